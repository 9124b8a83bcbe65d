import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RequestHandler } from 'express';
import request from 'supertest';
import { describe, expect, it, vi } from 'vitest';
import { rawExchange } from '../../../support/raw-http.ts';
import { type TestApi, type TestApiOptions, testApi } from './test-api.ts';

const PROBLEM_ROUTE = [
  '/api/v1/servers/guild/Stats',
  '/api/v1/servers/guild/stats/',
  '/API/v1/servers/guild/stats',
  '/none',
];

/** Sends raw bytes to the application, as no HTTP client would. @returns the status and body of the answer. */
async function sendRaw({ app }: TestApi, head: string): Promise<{ status: number | undefined; body: string }> {
  const server = createServer({ requireHostHeader: false, joinDuplicateHeaders: true }, app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const [answer] = await rawExchange(port, Buffer.from(`${head}\r\nConnection: close\r\n\r\n`), false);
  server.close();
  return { status: answer?.status, body: answer?.body ?? '' };
}

describe('a layer added to the application', () => {
  it('an added layer sees each kind of request, once, with its context', async () => {
    const seen: string[] = [];
    const layer: RequestHandler = (req, res, next) => {
      seen.push(`${req.method} ${req.url} ${res.context.requestId}`);
      next();
    };
    const api = await testApi({ quota: 12, parts: { middleware: [layer] } });
    const { key } = api;
    await api.writer.record('guild', { userId: 'u1', set: 100 });
    const kinds: [method: string, url: string, headers: Record<string, string>, status: number][] = [
      ['GET', api.path('leaderboard'), { 'x-api-key': key }, 200],
      ['GET', api.path('leaderboard'), { 'x-api-key': key }, 200], // parsed before
      ['HEAD', api.path('leaderboard'), { 'x-api-key': key }, 200],
      ['GET', api.path('members/u1'), { 'x-api-key': key }, 200],
      ['GET', api.path('members/u2'), { 'x-api-key': key }, 404],
      ['GET', api.path('stats'), { 'x-api-key': key }, 200],
      ['GET', api.path('stats'), { 'x-api-key': key, 'if-none-match': '*' }, 304],
      ['GET', api.path('leaderboard?limit=0'), { 'x-api-key': key }, 400],
      ['GET', '/api/v1/servers/other/stats', { 'x-api-key': key }, 403],
      ['GET', api.path('stats'), {}, 401],
      ['GET', api.path('stats'), { 'x-api-key': 'gr_wrong' }, 401],
      ['POST', api.path('stats'), { 'x-api-key': key }, 405],
      ['GET', '/none', { 'x-api-key': key }, 404],
      ['GET', '/api/v1/servers/%zz/stats', { 'x-api-key': key }, 400],
      ['GET', api.path('stats'), { 'x-api-key': key }, 429],
      ['OPTIONS', api.path('stats'), {}, 204],
      ['GET', '/livez', {}, 200],
      ['GET', '/readyz', {}, 200],
      ['GET', '/docs', {}, 200],
      ['GET', '/widget.js', {}, 200],
      ['GET', '/api/v1/openapi.json', {}, 200],
    ];
    for (const [method, url, headers, status] of kinds) {
      const answer = await request(api.app)[method.toLowerCase() as 'get'](url).set(headers);
      expect([method, url, answer.status]).toEqual([method, url, status]);
    }
    await sendRaw(api, 'GET /livez HTTP/1.1');
    await sendRaw(api, 'GET /livez HTTP/1.0');
    const expected = kinds.map(([method, url]) => `${method} ${url}`);
    expect(seen).toEqual([...expected, 'GET /livez', 'GET /livez'].map((line, i) => `${line} r-${i + 1}`));
  });
});

describe('a path', () => {
  it.each(PROBLEM_ROUTE)('the path %s gets 404, and counts when it carries a key', async (path) => {
    const api = await testApi();
    const { body } = await request(api.app).get(path).expect(404);
    expect(body).toMatchObject({
      code: 'not_found',
      detail: 'There is no such resource. The operations are under /api/v1/servers/{guild_id}.',
      request_id: 'r-1',
    });
    expect(await api.counted()).toBe(0);
    const counted = await request(api.app).get(path).set('x-api-key', api.key).expect(404);
    expect(counted.headers['x-ratelimit-remaining']).toBe('99');
    expect(await api.counted()).toBe(1);
    expect(api.answers).toEqual(Array(2).fill(['unmatched', 404]));
  });

  it('a path that is not valid percent-encoding gets 400, and counts when it carries a key', async () => {
    const api = await testApi();
    const { body } = await request(api.app).get('/api/v1/servers/%zz/stats').set('x-api-key', api.key).expect(400);
    expect(body.errors).toEqual([{ parameter: 'path', detail: 'must be valid percent-encoding' }]);
    expect(await api.counted()).toBe(1);
    await request(api.app).get('/api/v1/servers/%zz/stats').expect(400);
    expect(await api.counted()).toBe(1);
  });
});

describe('every request', () => {
  it('a response keeps the connection open, except while the process ends', async () => {
    const activity = { inFlight: 0, isClosing: false };
    const { app } = await testApi({ parts: { activity } });
    const ask = () => request(app).get('/livez').set('connection', 'keep-alive');
    expect((await ask()).headers.connection).not.toBe('close');
    activity.isClosing = true;
    expect((await ask()).headers.connection).toBe('close');
  });

  it('no response names the software', async () => {
    const api = await testApi();
    for (const path of [api.path('stats'), '/livez', '/docs', '/none']) {
      expect((await request(api.app).get(path)).headers).not.toHaveProperty('x-powered-by');
    }
    expect((await request(api.app).get('/livez')).headers).not.toHaveProperty('etag');
  });

  it('a parameter in brackets is unknown to the API', async () => {
    const seen: unknown[] = [];
    const layer: RequestHandler = (req, _res, next) => {
      seen.push(req.query);
      next();
    };
    const { app } = await testApi({ parts: { middleware: [layer] } });
    await request(app).get('/livez?a[b]=1&c=2');
    expect(seen).toEqual([{ 'a[b]': '1', c: '2' }]);
  });

  it.each([
    [0, expect.stringMatching(/127\.0\.0\.1$/)],
    [1, '192.0.2.9'],
  ])('a request comes from the address that %d proxies name', async (trustProxy, ip) => {
    const seen: unknown[] = [];
    const layer: RequestHandler = (req, _res, next) => {
      seen.push(req.ip);
      next();
    };
    const { app } = await testApi({ parts: { trustProxy, middleware: [layer] } });
    await request(app).get('/livez').set('x-forwarded-for', '192.0.2.1, 192.0.2.9');
    expect(seen).toEqual([ip]);
  });

  it.each([
    [0, 'r-1'],
    [1, 'theirs'],
  ])('a request has with %d trusted proxies the id %s', async (trustProxy, id) => {
    const { app, path } = await testApi({ parts: { trustProxy } });
    const { headers } = await request(app).get(path('stats')).set('x-request-id', 'theirs');
    expect(headers['x-request-id']).toBe(id);
  });

  it('a request that is no operation of the API is counted by its kind', async () => {
    const others: string[] = [];
    const api = await testApi({ parts: { countOther: (kind) => others.push(kind) } });
    const stats = api.path('stats');
    await request(api.app).options(stats);
    await request(api.app).get('/livez');
    await request(api.app).get('/docs');
    await request(api.app).get(stats).set('x-api-key', api.key);
    await request(api.app).get('/none');
    expect(others).toEqual(['options', 'probe', 'page']);
  });

  it('OPTIONS gets 204 without a key and without a count', async () => {
    const api = await testApi({ corsOrigins: ['https://a.example'] });
    const { headers } = await request(api.app)
      .options(api.path('stats'))
      .set({ 'x-api-key': api.key, origin: 'https://a.example' })
      .expect(204);
    expect(await api.counted()).toBe(0);
    expect(headers).toMatchObject({
      'access-control-allow-origin': 'https://a.example',
      'access-control-expose-headers':
        'ETag, RateLimit, RateLimit-Policy, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, X-Request-Id',
      'access-control-allow-methods': 'GET, HEAD, OPTIONS',
      'access-control-allow-headers': 'x-api-key, if-none-match, authorization, *',
      'access-control-max-age': '7200',
      allow: 'GET, HEAD, OPTIONS',
      vary: 'Origin',
      'x-request-id': 'r-1',
    });
  });
});

describe('CORS for listed origins', () => {
  const options: TestApiOptions = { corsOrigins: ['https://a.example', 'https://c.example'] };

  it.each(['https://a.example', 'https://c.example'])(
    'CORS lets pages of %s read data and problems',
    async (origin) => {
      const api = await testApi(options);
      for (const key of [api.key, 'gr_wrong']) {
        const { headers } = await request(api.app).get(api.path('stats')).set({ 'x-api-key': key, origin });
        expect(headers).toMatchObject({ 'access-control-allow-origin': origin, vary: 'x-api-key, Origin' });
      }
    },
  );

  it('a response varies by the origin even when the list of origins is empty', async () => {
    const api = await testApi({ corsOrigins: [] });
    const { headers } = await request(api.app).get(api.path('stats')).set('x-api-key', api.key).expect(200);
    expect(headers.vary).toBe('x-api-key, Origin');
  });

  it.each([undefined, 'https://b.example'])('CORS names no origin to %s', async (origin) => {
    const api = await testApi(options);
    for (const key of [api.key, 'gr_wrong']) {
      const headers = { 'x-api-key': key, ...(origin && { origin }) };
      const answer = await request(api.app).get(api.path('stats')).set(headers);
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
      expect(answer.headers).not.toHaveProperty('access-control-expose-headers');
    }
  });
});

describe('a failure', () => {
  it('a failure of the service is reported and gets 500, which shows nothing of it', async () => {
    const onProblem = vi.fn();
    const api = await testApi({ parts: { onProblem } });
    const failure = new Error('secret');
    vi.spyOn(api.authenticator, 'authenticate').mockRejectedValue(failure);
    const { text, body } = await request(api.app).get(api.path('stats')).set('x-api-key', api.key).expect(500);
    expect(body).toMatchObject({ code: 'internal', detail: 'The request failed for a reason on our side.' });
    expect(text).not.toContain('secret');
    expect(api.reported).toEqual([failure]);
    expect(onProblem).toHaveBeenCalledTimes(1);
  });

  it('a failure of the client is not reported', async () => {
    const onProblem = vi.fn();
    const api = await testApi({ parts: { onProblem } });
    await request(api.app).get('/api/v1/servers/other/stats').set('x-api-key', api.key).expect(403);
    expect(api.reported).toEqual([]);
    expect(onProblem).toHaveBeenCalledTimes(1);
  });

  it('a failure after the response has begun ends the connection', async () => {
    const api = await testApi({
      parts: {
        extraRoutes: (_req, res) => {
          res.writeHead(200);
          res.write('{');
          throw new Error('halfway');
        },
      },
    });
    await expect(request(api.app).get('/extra')).rejects.toThrow(/aborted|hang up/);
    expect(api.reported).toHaveLength(1);
  });
});

describe('a request with two Hosts', () => {
  it('a request with two Hosts gets 400, whatever the version', async () => {
    const api = await testApi();
    for (const version of ['1.0', '1.1']) {
      const head = `GET ${api.path('stats')} HTTP/${version}\r\nHost: a\r\nHost: a\r\nx-api-key: ${api.key}`;
      const { status, body } = await sendRaw(api, head);
      expect(status).toBe(400);
      expect(JSON.parse(body).errors).toEqual([{ parameter: 'Host', detail: 'must be sent once' }]);
    }
    expect(await api.counted()).toBe(2);
  });
});

describe('a request without a Host', () => {
  it('an HTTP/1.1 request without a Host gets 400, whatever its method, and counts when it has a key', async () => {
    const api = await testApi();
    const stats = api.path('stats');
    for (const method of ['GET', 'OPTIONS']) {
      const { status, body } = await sendRaw(api, `${method} ${stats} HTTP/1.1`);
      expect(status).toBe(400);
      expect(JSON.parse(body)).toMatchObject({
        code: 'invalid_request',
        errors: [{ parameter: 'Host', detail: 'must be sent, as HTTP/1.1 asks' }],
      });
    }
    expect(await api.counted()).toBe(0);
    // Parsed before or not, the address needs a Host.
    for (const count of [1, 3]) {
      expect((await sendRaw(api, `GET ${stats} HTTP/1.1\r\nx-api-key: ${api.key}`)).status).toBe(400);
      expect(await api.counted()).toBe(count);
      await request(api.app).get(stats).set('x-api-key', api.key).expect(200);
    }
  });

  it('an HTTP/1.0 request without a Host is served, because HTTP/1.0 knows no Host', async () => {
    const api = await testApi();
    expect((await sendRaw(api, `GET ${api.path('stats')} HTTP/1.0\r\nx-api-key: ${api.key}`)).status).toBe(200);
  });
});
