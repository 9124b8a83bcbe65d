import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Request, Response } from 'express';
import request from 'supertest';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Operation } from '../../../src/http/api/operations.ts';
import type { Deliver } from '../../../src/http/api/passage.ts';
import type { Gate } from '../../../src/http/api/require-api-key.ts';
import type { AppParts } from '../../../src/http/app.ts';
import { Problem } from '../../../src/http/response/problem.ts';
import type { RenderedBody } from '../../../src/http/response/rendered-body.ts';
import { appOf, repliesTo } from '../../support/app.ts';
import { rawExchange } from '../../support/raw-http.ts';

const STATS = '/api/v1/servers/g/stats';
const VIEW = { body: '{}', etag: '"x"', lines: '' };

let view: RenderedBody | null;
let fails: unknown;
let admitted: string[];
let answered: [route: string, status: number][];
let reported: unknown[];
let draining: boolean;
const observers = { onRequest: vi.fn(), onProblem: vi.fn() };

const replies = repliesTo((route, status) => answered.push([route, status]));
let deliver: Deliver;

/** A gate that lets everyone in, and takes down who came. */
const gate = {
  admit(req: Request, res: Response, next: (error?: unknown) => void, operation: Operation) {
    admitted.push(`${req.method} ${req.url}`);
    try {
      if (fails !== undefined) throw fails;
      operation(req, { guildId: 'g', plan: 'free', keyId: 'k', origins: [] });
      deliver(req, res, view);
    } catch (error) {
      next(error);
    }
  },
} as unknown as Gate;

const app = (change: Partial<AppParts> = {}) =>
  appOf({
    gate,
    replies,
    isDraining: () => draining,
    ...observers,
    report: (error) => reported.push(error),
    ...change,
  });

beforeEach(() => {
  view = VIEW;
  deliver = (req, res, ready) => replies.view(req, res, ready);
  fails = undefined;
  admitted = [];
  answered = [];
  reported = [];
  draining = false;
});
afterEach(() => {
  for (const observer of Object.values(observers)) observer.mockReset();
});

describe('an operation', () => {
  it('answers GET and HEAD through the gate, under the pattern of its route', async () => {
    await request(app()).get(STATS).expect(200, '{}');
    await request(app()).head(STATS).expect(200);
    expect(admitted).toEqual([`GET ${STATS}`, `HEAD ${STATS}`]);
    expect(answered).toEqual(Array(2).fill(['/servers/:guild_id/stats', 200]));
  });

  it('is 404 when there is nothing to show', async () => {
    view = null;
    const { body } = await request(app()).get('/api/v1/servers/g/members/u').expect(404);
    expect(body).toMatchObject({
      code: 'member_not_found',
      detail: 'This server has no member with that user_id in its ranking.',
    });
  });

  it('refuses other methods, and counts those that bring a key', async () => {
    const { body } = await request(app()).post(STATS).expect(405);
    expect(body.code).toBe('method_not_allowed');
    expect(admitted).toEqual([]);
    await request(app()).post(STATS).set('x-api-key', 'k').expect(405);
    expect(admitted).toEqual([`POST ${STATS}`]);
    expect(answered).toEqual(Array(2).fill(['/servers/:guild_id/stats', 405]));
  });

  it.each([`${STATS}/`, '/api/v1/servers/g/Stats', '/API/v1/servers/g/stats', '/api/v1/servers/g', '/none'])(
    'is not at %s, which is counted when it brings a key',
    async (path) => {
      const { body } = await request(app()).get(path).expect(404);
      expect(body).toMatchObject({
        code: 'not_found',
        detail: 'There is no such resource. The operations are under /api/v1/servers/{guild_id}.',
        request_id: 'r-1',
      });
      expect(admitted).toEqual([]);
      await request(app()).get(path).set('x-api-key', 'k').expect(404);
      expect(admitted).toEqual([`GET ${path}`]);
      expect(answered).toEqual(Array(2).fill(['unmatched', 404]));
    },
  );

  it('is 400 at a path that is not percent-encoding, counted like any other', async () => {
    const { body } = await request(app()).get('/api/v1/servers/%zz/stats').set('x-api-key', 'k').expect(400);
    expect(body.errors).toEqual([{ parameter: 'path', detail: 'must be valid percent-encoding' }]);
    expect(admitted).toHaveLength(1);
    await request(app()).get('/api/v1/servers/%zz/stats').expect(400);
    expect(admitted).toHaveLength(1);
  });
});

describe('every request', () => {
  it('gets an exchange before anyone looks at it', async () => {
    const exchanges: unknown[] = [];
    const onRequest = (_req: unknown, res: { context: object }) => exchanges.push({ ...res.context });
    await request(app({ onRequest: onRequest as never })).get('/livez');
    expect(exchanges).toEqual([
      {
        requestId: 'r-1',
        startedAt: 5,
        route: 'unmatched',
        cors: expect.stringContaining('Access-Control-Allow-Origin: *\r\n'),
        identity: undefined,
        quota: undefined,
      },
    ]);
  });

  it('keeps its connection, except while the process goes away', async () => {
    const { headers } = await request(app()).get(STATS).set('connection', 'keep-alive');
    expect(headers.connection).not.toBe('close');
    draining = true;
    const last = await request(app()).get(STATS).set('connection', 'keep-alive');
    expect(last.headers.connection).toBe('close');
  });

  it('is answered without telling what answers', async () => {
    for (const path of [STATS, '/livez', '/docs', '/none']) {
      const { headers } = await request(app()).get(path);
      expect(headers).not.toHaveProperty('x-powered-by');
    }
    const { headers } = await request(app()).get('/livez');
    expect(headers).not.toHaveProperty('etag');
  });

  it('takes a parameter given in brackets for one it does not know', async () => {
    const seen: unknown[] = [];
    await request(app({ onRequest: (req) => void seen.push(req.query) })).get('/livez?a[b]=1&c=2');
    expect(seen).toEqual([{ 'a[b]': '1', c: '2' }]);
  });

  it.each([
    [0, expect.stringMatching(/127\.0\.0\.1$/)],
    [1, '192.0.2.9'],
  ])('comes from the address that %d proxies name', async (trustProxy, ip) => {
    const seen: unknown[] = [];
    const observing = app({ trustProxy, onRequest: (req) => void seen.push(req.ip) });
    await request(observing).get('/livez').set('x-forwarded-for', '192.0.2.1, 192.0.2.9');
    expect(seen).toEqual([ip]);
  });

  it('with OPTIONS is answered without a key and without a count', async () => {
    const { headers } = await request(app({ corsOrigins: ['https://a.example'] }))
      .options(STATS)
      .set({ 'x-api-key': 'k', origin: 'https://a.example' })
      .expect(204);
    expect(admitted).toEqual([]);
    expect(headers).toMatchObject({
      'access-control-allow-origin': 'https://a.example',
      'access-control-expose-headers':
        'ETag, RateLimit, RateLimit-Policy, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, X-Request-Id',
      'access-control-allow-methods': 'GET, HEAD, OPTIONS',
      'access-control-allow-headers': 'x-api-key, if-none-match',
      'access-control-max-age': '7200',
      allow: 'GET, HEAD, OPTIONS',
      vary: 'Origin',
      'x-request-id': 'r-1',
    });
  });

  it.each([undefined, 'https://b.example'])(
    'from the origin %s is told of no origin that may read it',
    async (origin) => {
      const { headers } = await request(app({ corsOrigins: ['https://a.example'] }))
        .get(STATS)
        .set(origin ? { origin } : {});
      expect(headers).not.toHaveProperty('access-control-allow-origin');
      expect(headers).not.toHaveProperty('access-control-expose-headers');
    },
  );
});

describe('a failure', () => {
  it('of ours is reported and 500, and tells nothing of itself', async () => {
    fails = new Error('secret');
    const { text } = await request(app()).get(STATS).expect(500);
    expect(text).not.toContain('secret');
    expect(reported).toEqual([fails]);
    expect(observers.onProblem).toHaveBeenCalledTimes(1);
    expect(observers.onRequest).toHaveBeenCalledTimes(1);
  });

  it('of the client is not reported', async () => {
    fails = new Problem('wrong_guild', 'no');
    await request(app()).get(STATS).expect(403);
    expect(reported).toEqual([]);
    expect(observers.onProblem).toHaveBeenCalledTimes(1);
  });

  it('needs no observers', async () => {
    await request(app({ onRequest: undefined, onProblem: undefined }))
      .get('/none')
      .expect(404);
  });

  it('after the answer has begun ends the connection', async () => {
    deliver = (_req, res) => {
      res.writeHead(200);
      res.write('{');
      throw new Error('halfway');
    };
    await expect(request(app()).get(STATS)).rejects.toThrow(/aborted|hang up/);
    expect(reported).toHaveLength(1);
  });
});

describe('a request without a Host', () => {
  const ask = async (head: string) => {
    const server = createServer({ requireHostHeader: false }, app()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const [answer] = await rawExchange(port, Buffer.from(`${head}\r\nConnection: close\r\n\r\n`), false);
    server.close();
    return answer;
  };

  it('is refused when it is HTTP/1.1, whatever its method, and counted when it has a key', async () => {
    for (const method of ['GET', 'OPTIONS']) {
      const answer = await ask(`${method} ${STATS} HTTP/1.1`);
      expect(answer?.status).toBe(400);
      expect(JSON.parse(answer?.body as string)).toMatchObject({
        code: 'invalid_request',
        errors: [{ parameter: 'Host', detail: 'must be sent, as HTTP/1.1 asks' }],
      });
    }
    expect(admitted).toEqual([]);
    expect((await ask(`GET ${STATS} HTTP/1.1\r\nx-api-key: k`))?.status).toBe(400);
    expect(admitted).toEqual([`GET ${STATS}`]);
  });

  it('is served when it is HTTP/1.0, which knows no Host', async () => {
    expect((await ask('GET /livez HTTP/1.0'))?.status).toBe(200);
  });
});
