import type { Request, Response } from 'express';
import { WINDOW_S } from '../access/quotas.ts';
import { Problem } from './problem.ts';
import type { View } from './view.ts';

/** For whoever opens an answer as if it were a page: it runs nothing, loads nothing and stands in no frame. */
const SAFETY = [
  ...['X-Content-Type-Options', 'nosniff'],
  ...['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ...['X-Frame-Options', 'DENY'],
  ...['Referrer-Policy', 'no-referrer'],
  ...['Cross-Origin-Resource-Policy', 'cross-origin'],
];

/** Writes answers: every header that an answer carries is put together here. */
export class Replies {
  private readonly cacheControl: string;
  private readonly vary: string;

  constructor(
    /** Seconds a browser may reuse an answer without asking; 0 = it always asks. */
    cacheMaxAgeS: number,
    /** Whether the CORS headers depend on the Origin of the request. */
    variesByOrigin: boolean,
    /** Milliseconds since the epoch. */
    private readonly now: () => number,
    /** Called with every answer that goes out. */
    private readonly onAnswer: (req: Request, res: Response) => void,
  ) {
    this.cacheControl = cacheMaxAgeS > 0 ? `private, max-age=${cacheMaxAgeS}` : 'private, no-cache';
    this.vary = variesByOrigin ? 'x-api-key, Origin' : 'x-api-key';
  }

  /** 200 with the ready bytes, or 304 when the client holds them already. @throws Problem member_not_found for a null. */
  view(req: Request, res: Response, view: View | null): void {
    if (view === null) throw memberNotFound();
    const headers = this.start(res);
    headers.push('ETag', view.etag, 'Cache-Control', this.cacheControl, 'Vary', this.vary);
    const ifNoneMatch = req.headers['if-none-match'];
    if (ifNoneMatch !== undefined && matches(ifNoneMatch, view.etag)) {
      res.writeHead(304, headers);
      res.end();
    } else {
      headers.push('Content-Type', 'application/json; charset=utf-8', 'Content-Length', view.length);
      res.writeHead(200, headers);
      sendWhole(res, view.body);
    }
    this.onAnswer(req, res);
  }

  problem(req: Request, res: Response, problem: Problem): void {
    const headers = this.start(res);
    const body = Buffer.from(problem.body(res.exchange.requestId));
    headers.push('Cache-Control', 'no-store', 'Vary', this.vary);
    if (problem.extra.headers) headers.push(...problem.extra.headers);
    headers.push('Content-Type', 'application/problem+json', 'Content-Length', String(body.length));
    res.writeHead(problem.status, headers);
    res.end(body);
    this.onAnswer(req, res);
  }

  /** The headers of every answer, as the flat list that writeHead takes fastest. */
  private start({ exchange: { requestId, cors, quota } }: Response): string[] {
    if (!quota) return [...SAFETY, 'X-Request-Id', requestId, ...cors];
    const { limit, remaining, resetMs } = quota;
    const headers = [
      'X-Request-Id',
      requestId,
      'RateLimit-Policy',
      `"hourly";q=${limit};w=${WINDOW_S}`,
      'RateLimit',
      `"hourly";r=${remaining};t=${Math.max(0, Math.ceil(resetMs / 1000))}`,
      'X-RateLimit-Limit',
      String(limit),
      'X-RateLimit-Remaining',
      String(remaining),
      'X-RateLimit-Reset',
      String(Math.ceil((this.now() + resetMs) / 1000)),
    ];
    for (const part of SAFETY) headers.push(part);
    for (const part of cors) headers.push(part);
    return headers;
  }
}

/** Headers and body in one write of one string, where `end` with a body makes a vectored write of two: 4 % of a request. */
function sendWhole(res: Response, body: string): void {
  const { socket } = res;
  socket?.cork();
  res.write(body, 'latin1');
  socket?.uncork();
  res.end();
}

/** RFC 9110 section 13.1.2: a list of entity tags, compared weakly, or "*". */
function matches(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch === etag || ifNoneMatch === '*') return true;
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag);
}

function memberNotFound(): Problem {
  return new Problem('member_not_found', 'This server has no member with that user_id in its ranking.');
}
