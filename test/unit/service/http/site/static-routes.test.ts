import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { RequestHandler } from 'express';
import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { demoPage } from '../../../../../scripts/demo/demo-page.ts';
import type { AppParts } from '../../../../../src/service/http/app.ts';
import { readWidgetFile } from '../../../../../src/service/http/site/widget-file.ts';
import { testApi } from '../test-api.ts';

const appOf = async (parts: Partial<AppParts> = {}) => (await testApi({ parts })).app;
const widget = readWidgetFile();

interface Sent {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Returns an answer with the bytes that were sent. supertest decompresses them. */
async function send(port: number, method: string, path: string, headers: Record<string, string>): Promise<Sent> {
  const asked = httpRequest({ port, method, path, headers, agent: false }).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  const body = Buffer.concat(await answer.toArray());
  return { status: answer.statusCode, headers: answer.headers, body };
}

describe('the address of the service itself', () => {
  const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';

  it('the address of the service shows a page to a person, even below a path of a proxy', async () => {
    const { text, headers } = await request(await appOf())
      .get('/')
      .set('Accept', accept)
      .expect(200);
    expect(text).toContain('This service shows the XP, levels and leaderboards of community servers.');
    expect(text).not.toMatch(/(?:href|src)="\//);
    expect(headers.vary).toBe('Accept, Accept-Encoding');
  });

  it('the address of the service answers a program, or a request with an API key, with a problem', async () => {
    const app = await appOf();
    const { body } = await request(app).get('/').expect(404);
    expect(body.code).toBe('not_found');
    await request(app).get('/').set({ Accept: accept, 'x-api-key': 'nonsense' }).expect(401);
  });
});

describe('pages', () => {
  const shared = {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'ETag, X-Request-Id',
    'cross-origin-resource-policy': 'cross-origin',
  };
  const page = {
    'cache-control': 'no-cache',
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; " +
      "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
  };

  it.each([
    ['/api/v1/openapi.json', 'application/json; charset=utf-8', { ...shared, 'cache-control': 'no-cache' }],
    ['/docs', 'text/html; charset=utf-8', page],
    ['/docs/docs.css', 'text/css; charset=utf-8', { 'cache-control': 'no-cache' }],
    ['/docs/docs.js', 'text/javascript; charset=utf-8', { 'cache-control': 'no-cache' }],
    ['/docs/elements.js', 'text/javascript; charset=utf-8', { 'cache-control': 'no-cache' }],
    ['/docs/operations.js', 'text/javascript; charset=utf-8', { 'cache-control': 'no-cache' }],
    ['/docs/request.js', 'text/javascript; charset=utf-8', { 'cache-control': 'no-cache' }],
    ['/docs/samples.js', 'text/javascript; charset=utf-8', { 'cache-control': 'no-cache' }],
    ['/docs/schemas.js', 'text/javascript; charset=utf-8', { 'cache-control': 'no-cache' }],
    ['/widget.js', 'text/javascript; charset=utf-8', { ...shared, 'cache-control': 'public, max-age=3600' }],
    [
      `/${widget.path}`,
      'text/javascript; charset=utf-8',
      { ...shared, 'cache-control': 'public, max-age=31536000, immutable' },
    ],
  ])('the site serves %s as %s', async (path, type, headers) => {
    const seen: string[] = [];
    const observe: RequestHandler = (_req, res, next) => {
      res.on('finish', () => seen.push(res.context.route));
      next();
    };
    const observing = await appOf({ middleware: [observe] });
    const got = await request(observing).get(path).set('accept-encoding', 'identity').expect(200);
    expect(got.headers).toMatchObject({
      ...headers,
      'content-type': type,
      'content-length': String(Buffer.byteLength(got.text ?? got.body)),
      'x-content-type-options': 'nosniff',
      'x-request-id': 'r-1',
      vary: 'Accept-Encoding',
      etag: expect.stringMatching(/^"[\w-]{27}"$/),
    });
    const same = await request(observing)
      .get(path)
      .set('accept-encoding', 'identity')
      .set('if-none-match', got.headers.etag ?? '')
      .expect(304);
    expect(same.headers.etag).toBe(got.headers.etag);
    expect(same.headers).not.toHaveProperty('content-length');
    await request(observing).head(path).expect(200);
    const { body } = await request(observing).post(path).expect(405);
    expect(body.code).toBe('method_not_allowed');
    expect(seen).toEqual([path, path, path, path]);
    await request(observing)
      .get(`${path}/`)
      .expect(path === '/docs' ? 308 : 404);
    await request(observing).get(path.toUpperCase()).expect(404);
  });

  it.each(['/widget.js', '/docs', '/docs/docs.css', '/api/v1/openapi.json'])(
    '%s is compressed for a client that accepts it',
    async (path) => {
      const server = (await appOf()).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const get = (encoding: string, tags: readonly string[] = [], method = 'GET') =>
        send((server.address() as AddressInfo).port, method, path, {
          'accept-encoding': encoding,
          'if-none-match': tags.join(', '),
        });
      const plain = await get('identity');
      expect(plain.headers).not.toHaveProperty('content-encoding');
      const tags = [plain.headers.etag as string];
      const lengths = [plain.body.length];
      for (const [encoding, decompress] of [
        ['gzip', gunzipSync],
        ['br', brotliDecompressSync],
      ] as const) {
        // A client may not take one coding for another.
        const got = await get(`${encoding}, identity;q=0.1`, tags);
        const headers = {
          ...{ 'content-encoding': encoding, vary: 'Accept-Encoding', etag: got.headers.etag },
          'content-length': String(got.body.length),
        };
        expect(got).toMatchObject({ status: 200, headers });
        expect(decompress(got.body).equals(plain.body)).toBe(true);
        expect(await get(encoding, [], 'HEAD')).toMatchObject({ status: 200, headers, body: Buffer.alloc(0) });
        const tag = got.headers.etag as string;
        const same = await get(encoding, [tag]);
        expect(same).toMatchObject({ status: 304, headers: { etag: tag, vary: 'Accept-Encoding' } });
        expect(same.headers).not.toHaveProperty('content-encoding');
        expect(await get('identity', [tag])).toMatchObject({ status: 200, body: plain.body });
        tags.push(tag);
        lengths.push(got.body.length);
      }
      expect(new Set(tags).size).toBe(3);
      expect(lengths).toEqual(lengths.toSorted((a, b) => b - a));
      server.close();
    },
  );

  it('the widget is served under the address of its content, and no other content is', async () => {
    const app = await appOf();
    const { text } = await request(app).get(`/${widget.path}`).expect(200);
    expect((await request(app).get('/widget.js')).text).toBe(text);
    const digest = createHash('sha384').update(text).digest();
    expect(widget.integrity).toBe(`sha384-${digest.toString('base64')}`);
    expect(widget.path).toBe(`widget.${digest.toString('hex').slice(0, 16)}.js`);
    await request(app).get('/widget.0123456789abcdef.js').expect(404);
  });

  it('the documentation page names the address and the hash of the widget', async () => {
    const { text } = await request(await appOf())
      .get('/docs')
      .expect(200);
    expect(text).toContain(`data-path="${widget.path}" data-integrity="${widget.integrity}"`);
  });

  it('a page for frames exists only if sites are named that may show it', async () => {
    for (const path of ['/embed', '/embed/embed.js'])
      await request(await appOf())
        .get(path)
        .expect(404);
    const app = await appOf({ embedOrigins: ['https://a.example', 'https://b.example'] });
    const { headers, text } = await request(app).get('/embed').expect(200);
    const { 'x-frame-options': _never, ...framed } = page;
    expect(headers).toMatchObject({
      ...framed,
      'content-security-policy': page['content-security-policy']
        .replace("frame-ancestors 'none'", 'frame-ancestors https://a.example https://b.example')
        .replace('img-src data:', 'img-src data: http: https:'),
    });
    expect(headers).not.toHaveProperty('x-frame-options');
    expect(text).toContain(`<script src="${widget.path}" defer></script>`);
    await request(app).get('/embed/embed.js').expect(200);
    await request(app).get('/embed/').expect(404);
  });

  it('/docs/ leads to /docs by a relative address, for proxies that serve it below a path', async () => {
    for (const method of ['get', 'head'] as const) {
      await request(await appOf())
        [method]('/docs/?x=1')
        .expect(308)
        .expect('location', '../docs')
        .expect('cache-control', 'no-cache')
        .expect('x-request-id', 'r-1');
    }
    await request(await appOf())
      .post('/docs/')
      .expect(404);
  });

  it('the demo gets 404 unless it is asked for', async () => {
    for (const path of ['/', '/demo.css', '/dashboard', '/dashboard.css'])
      await request(await appOf())
        .get(path)
        .expect(404);
  });
});

describe('the demo', () => {
  const server = {
    id: 'g1',
    name: `<Tom & "Ann's">`,
    plan: 'pro',
    requestsPerHour: 10_000,
    members: 400,
    key: 'gr_k1',
  };
  const demo = {
    servers: [server, { ...server, id: 'g2', name: 'Two', plan: 'free', requestsPerHour: 100, key: 'gr_k2' }],
    visitor: { id: 'u1', name: 'Ada' },
    rewards: [{ level: 5, name: 'Regular', colour: '#16a34a' }],
    redisUrl: 'redis://127.0.0.1:7000',
    dashboardLink: async () => 'http://127.0.0.1:8090/invite',
  };
  const appOfDemo = () => appOf({ extraRoutes: demoPage(demo) });

  it('the demo page shows the widget of the first server without an API key, and names each server as text, with plan and API key', async () => {
    const { text, headers } = await request(await appOfDemo())
      .get('/')
      .expect(200);
    expect(text).toMatch(/^<!doctype html>/);
    expect(text).toContain('<guild-leaderboard guild="g1" boards="all,week,month" member="u1" refresh="2">');
    expect(text).toContain('&lt;Tom &amp; &quot;Ann&#39;s&quot;&gt;');
    expect(text).not.toContain('<Tom');
    for (const shown of ['10,000 API requests an hour', '100 API requests an hour', '>gr_k1<', '>gr_k2<']) {
      expect(text).toContain(shown);
    }
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-src 'self'; /,
      ),
    });
  });

  it('the code on the demo page has the address by which its visitor came', async () => {
    const { text } = await request(await appOfDemo())
      .get('/')
      .set('Host', 'laptop.local:8080')
      .expect(200);
    expect(text).toContain('src=&quot;http://laptop.local:8080/widget.js&quot;');
    expect(text).toContain('http://laptop.local:8080/api/v1/servers/g1/leaderboard?limit=3');
  });

  it('the demo page gives bots the address of its Redis, or says that no bot reaches its data', async () => {
    const reason = 'This demo keeps its data in memory';
    const { text } = await request(await appOfDemo()).get('/');
    expect(text).toContain('redis://127.0.0.1:7000');
    expect(text).not.toContain(reason);
    const inMemory = await appOf({ extraRoutes: demoPage({ ...demo, redisUrl: undefined }) });
    expect((await request(inMemory).get('/')).text).toContain(reason);
  });

  it('/dashboard of the demo leads to a new link that signs in', async () => {
    await request(await appOfDemo())
      .get('/dashboard')
      .expect(303)
      .expect('location', 'http://127.0.0.1:8090/invite')
      .expect('cache-control', 'no-store');
  });

  it('the demo fills the fields of /docs, which are empty in a service', async () => {
    const fields = /id="key"[^>]* value="([^"]*)"[\s\S]*id="guild"[^>]* value="([^"]*)"[\s\S]*data-user-id="([^"]*)"/;
    const ofDemo = await request(await appOfDemo())
      .get('/docs')
      .expect(200)
      .expect('cache-control', 'no-store');
    expect(fields.exec(ofDemo.text)?.slice(1)).toEqual(['gr_k1', 'g1', 'u1']);
    const ofService = await request(await appOf()).get('/docs');
    expect(fields.exec(ofService.text)?.slice(1)).toEqual(['', '', '']);
  });

  it.each([
    ['/demo.css', 'text/css; charset=utf-8'],
    ['/dashboard.css', 'text/css; charset=utf-8'],
    ['/dashboard.js', 'text/javascript; charset=utf-8'],
    ['/logo.svg', 'image/svg+xml'],
    ['/dashboard-light.png', 'image/png'],
    ['/dashboard-dark.png', 'image/png'],
  ])('the demo serves %s, which browsers do not store', async (path, type) => {
    const { headers } = await request(await appOfDemo())
      .get(path)
      .expect(200);
    expect(headers).toMatchObject({ 'content-type': type, 'cache-control': 'no-store' });
    await request(await appOfDemo())
      .get(path.toUpperCase())
      .expect(404);
    await request(await appOfDemo())
      .get(`${path}/`)
      .expect(404);
  });
});
