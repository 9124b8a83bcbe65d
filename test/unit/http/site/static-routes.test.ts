import type { RequestHandler } from 'express';
import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { demoPage } from '../../../../scripts/demo/demo-page.ts';
import type { AppParts } from '../../../../src/http/app.ts';
import { testApi } from '../../../support/test-api.ts';

const appOf = async (parts: Partial<AppParts> = {}) => (await testApi({ parts })).app;

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
    ['/widget.js', 'text/javascript; charset=utf-8', { ...shared, 'cache-control': 'public, max-age=3600' }],
  ])('serve %s as %s', async (path, type, headers) => {
    const seen: string[] = [];
    const observe: RequestHandler = (_req, res, next) => {
      res.on('finish', () => seen.push(res.context.route));
      next();
    };
    const observing = await appOf({ middleware: [observe] });
    const got = await request(observing).get(path).expect(200);
    expect(got.headers).toMatchObject({
      ...headers,
      'content-type': type,
      'content-length': String(Buffer.byteLength(got.text ?? got.body)),
      'x-content-type-options': 'nosniff',
      'x-request-id': 'r-1',
      etag: expect.stringMatching(/^"[\w-]{27}"$/),
    });
    const same = await request(observing)
      .get(path)
      .set('if-none-match', got.headers.etag ?? '')
      .expect(304);
    expect(same.headers.etag).toBe(got.headers.etag);
    expect(same.headers).not.toHaveProperty('content-length');
    await request(observing).head(path).expect(200);
    const { body } = await request(observing).post(path).expect(405);
    expect(body.code).toBe('method_not_allowed');
    expect(seen).toEqual([path, path, path, path]);
    await request(observing).get(`${path}/`).expect(404);
    await request(observing).get(path.toUpperCase()).expect(404);
  });

  it('are not the demonstration unless it is asked for', async () => {
    for (const path of ['/', '/demo.css', '/demo.js'])
      await request(await appOf())
        .get(path)
        .expect(404);
  });
});

describe('the demonstration', () => {
  const guilds = [
    { name: `<Tom & "Ann's">`, guild: 'g1', key: 'k1' },
    { name: 'Two', guild: 'g2', key: 'k2' },
  ];

  it('shows the widget on the first guild and offers all, whatever their names hold', async () => {
    const { text, headers } = await request(await appOf({ extraRoutes: demoPage({ guilds }) }))
      .get('/')
      .expect(200);
    expect(text).toContain('<guild-leaderboard guild="g1" api-key="k1" refresh="2"></guild-leaderboard>');
    expect(text).toContain(
      '<option value="g1" data-key="k1">&#60;Tom &#38; &#34;Ann&#39;s&#34;&#62;</option><option value="g2" data-key="k2">Two</option>',
    );
    expect(text).toMatch(/^<!doctype html>/);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
    });
  });

  it('refreshes as often as it is told, and stands without a guild', async () => {
    const { text } = await request(await appOf({ extraRoutes: demoPage({ guilds: [], refreshS: 7 }) }))
      .get('/')
      .expect(200);
    expect(text).toContain('<guild-leaderboard guild="" api-key="" refresh="7">');
    expect(text).toContain('<select id="guild"></select>');
  });

  it.each([
    ['/demo.css', 'text/css; charset=utf-8'],
    ['/demo.js', 'text/javascript; charset=utf-8'],
  ])('serves %s, stored nowhere', async (path, type) => {
    const { headers } = await request(await appOf({ extraRoutes: demoPage({ guilds }) }))
      .get(path)
      .expect(200);
    expect(headers).toMatchObject({ 'content-type': type, 'cache-control': 'no-store' });
    await request(await appOf({ extraRoutes: demoPage({ guilds }) }))
      .get(path.toUpperCase())
      .expect(404);
    await request(await appOf({ extraRoutes: demoPage({ guilds }) }))
      .get(`${path}/`)
      .expect(404);
  });
});
