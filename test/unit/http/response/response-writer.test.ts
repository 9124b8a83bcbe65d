import type { Request, Response } from 'express';
import { describe, expect, it, vi } from 'vitest';
import type { QuotaState } from '../../../../src/access/quotas.ts';
import { headerLines, RawHead } from '../../../../src/http/response/headers.ts';
import { Problem } from '../../../../src/http/response/problem.ts';
import type { RenderedBody } from '../../../../src/http/response/rendered-body.ts';
import { ResponseWriter } from '../../../../src/http/response/response-writer.ts';

const view: RenderedBody = {
  body: '{"a":1}',
  etag: '"tag"',
  lines: headerLines('ETag', '"tag"', 'Content-Length', '7'),
};
const NOW = Date.parse('2026-01-15T12:00:00Z');

function setup(maxAge = 0, byOrigin = false, quota?: QuotaState) {
  const writeHead = vi.fn<(status: number, headers: string[]) => void>();
  const end = vi.fn();
  const onAnswer = vi.fn();
  const context = { requestId: 'r-1', cors: headerLines('Access-Control-Allow-Origin', '*'), quota };
  const calls: string[] = [];
  const socket = { cork: () => calls.push('cork'), uncork: () => calls.push('uncork') };
  const write = vi.fn(() => calls.push('write'));
  const res = { context, writeHead, write, end, socket } as unknown as Response;
  const replies = new ResponseWriter(maxAge, byOrigin, () => NOW, new RawHead(() => NOW, 5000), onAnswer);
  const request = (ifNoneMatch?: string) =>
    ({ headers: ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch } }) as unknown as Request;
  return { replies, res, request, writeHead, write, end, calls, onAnswer };
}

const SAFETY = [
  ...['X-Content-Type-Options', 'nosniff', 'Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ...['X-Frame-Options', 'DENY', 'Referrer-Policy', 'no-referrer', 'Cross-Origin-Resource-Policy', 'cross-origin'],
];
const ID = ['X-Request-Id', 'r-1'];
const CACHING = ['Cache-Control', 'private, no-cache', 'Vary', 'x-api-key'];
const CORS = ['Access-Control-Allow-Origin', '*'];

describe('an answer with data', () => {
  it('carries exactly these headers, and the bytes as they are', () => {
    const { replies, res, request, writeHead, write, end, calls, onAnswer } = setup();
    const req = request();
    replies.view(req, res, view);
    const content = ['ETag', '"tag"', 'Content-Length', '7'];
    expect(writeHead.mock.calls).toEqual([[200, [...ID, ...content, ...CACHING, ...SAFETY, ...CORS]]]);
    expect(write.mock.calls).toEqual([['{"a":1}', 'latin1']]);
    expect(end.mock.calls).toEqual([[]]);
    expect(calls).toEqual(['cork', 'write', 'uncork']);
    expect(onAnswer.mock.calls).toEqual([[req, res]]);
  });

  it('goes nowhere when its connection is gone', () => {
    const { replies, res, request, write, calls } = setup();
    replies.view(request(), { ...res, socket: null } as unknown as Response, view);
    expect(write).toHaveBeenCalledTimes(1);
    expect(calls).toEqual(['write']);
  });

  it.each(['"tag"', 'W/"tag"', '*', '"x", "tag"', '"x",W/"tag" , "y"'])('is 304 to If-None-Match: %s', (header) => {
    const { replies, res, request, writeHead, end, onAnswer } = setup();
    replies.view(request(header), res, view);
    expect(writeHead.mock.calls).toEqual([[304, [...ID, 'ETag', '"tag"', ...CACHING, ...SAFETY, ...CORS]]]);
    expect(end.mock.calls).toEqual([[]]);
    expect(onAnswer).toHaveBeenCalledTimes(1);
  });

  it.each(['', '"x"', 'tag', '"x", "y"', '"W/tag"', 'xW/"tag"', '"tag"x'])('is 200 to If-None-Match: %s', (header) => {
    const { replies, res, request, writeHead } = setup();
    replies.view(request(header), res, view);
    expect(writeHead.mock.calls[0]?.[0]).toBe(200);
  });

  it('says how long it may be reused, and that it depends on the origin, where that is so', () => {
    const { replies, res, request, writeHead } = setup(1, true);
    replies.view(request(), res, view);
    const headers = writeHead.mock.calls[0]?.[1] ?? [];
    expect(headers).toContain('private, max-age=1');
    expect(headers).toContain('x-api-key, Origin');
  });

  it.each([
    [1500, '2', 1],
    [0, '0', 0],
    [-5, '0', 0],
  ])('tells the quota, of which %d ms are left', (resetMs, seconds) => {
    const { replies, res, request, writeHead } = setup(0, false, { allowed: true, limit: 9, remaining: 4, resetMs });
    replies.view(request(), res, view);
    const quota = [
      ...['RateLimit-Policy', '"hourly";q=9;w=3600', 'X-RateLimit-Limit', '9'],
      ...['RateLimit', `"hourly";r=4;t=${seconds}`, 'X-RateLimit-Remaining', '4'],
      ...['X-RateLimit-Reset', String(Math.ceil((NOW + resetMs) / 1000))],
    ];
    expect(writeHead.mock.calls[0]?.[1].slice(0, quota.length)).toEqual(quota);
  });
});

describe('a problem', () => {
  it('carries exactly these headers, its own among them', () => {
    const { replies, res, request, writeHead, end, onAnswer } = setup();
    const problem = new Problem('quota_exceeded', 'Enough – for now', { headers: ['Retry-After', '5'] });
    const req = request();
    replies.problem(req, res, problem);
    const body = Buffer.from(problem.body('r-1'));
    const rest = ['Cache-Control', 'no-store', 'Retry-After', '5'];
    const content = ['Content-Type', 'application/problem+json', 'Content-Length', String(body.length)];
    const ever = ['Vary', 'x-api-key', ...SAFETY, ...CORS];
    expect(writeHead.mock.calls).toEqual([[429, [...ID, ...rest, ...content, ...ever]]]);
    expect(end.mock.calls).toEqual([[body]]);
    expect(onAnswer.mock.calls).toEqual([[req, res]]);
  });

  it('needs no headers of its own', () => {
    const { replies, res, request, writeHead } = setup();
    replies.problem(request(), res, new Problem('not_found', 'x'));
    expect(writeHead.mock.calls[0]?.[0]).toBe(404);
  });
});
