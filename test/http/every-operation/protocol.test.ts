import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { rawExchange } from '../../support/raw-http.ts';
import { mockStore } from '../../support/stores.ts';
import { serviceSuite } from '../../support/suite.ts';

describe('paths and answers', () => {
  const suite = serviceSuite(mockStore);
  const path = '/api/v1/servers/guild/stats';

  it('the response and the log name the same request id', async () => {
    const { headers } = await suite.get('/servers/guild/members/nobody').expect(404);
    await expect
      .poll(() => suite.service.log.find((line) => line.request_id === headers['x-request-id']))
      .toMatchObject({
        msg: 'request',
        method: 'GET',
        route: '/servers/:guild_id/members/:user_id',
        status: 404,
        guild: 'guild',
        duration_ms: expect.any(Number),
      });
  });

  it('an HTTP/1.1 request without a Host gets a readable 400, and counts if its key is valid', async () => {
    const port = Number(new URL(suite.service.url).port);
    const ask = async (head: string) => (await rawExchange(port, Buffer.from(`${head}\r\n\r\n`), false))[0];
    const hostless = `GET ${path} HTTP/1.1\r\nConnection: close`;
    expect(await ask(hostless)).toMatchObject({ status: 400 });
    const answer = await ask(`${hostless}\r\nx-api-key: ${suite.key}`);
    expect(JSON.parse(answer?.body as string)).toMatchObject({
      code: 'invalid_request',
      errors: [{ parameter: 'Host', detail: 'must be sent, as HTTP/1.1 asks' }],
    });
    expect(answer?.head).toContain('X-RateLimit-Remaining: 99');
    expect(await ask(`GET ${path} HTTP/1.0\r\nx-api-key: ${suite.key}`)).toMatchObject({ status: 200 });
    expect(await ask(`GET ${path} HTTP/1.1\r\nHost:\r\nConnection: close\r\nx-api-key: ${suite.key}`)).toMatchObject({
      status: 200,
    });
  });

  it('no response that a browser opens as a page runs or loads anything, or stands in a frame', async () => {
    for (const key of [suite.key, 'wrong']) {
      const { headers } = await suite.get('/servers/guild/stats', key);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'cross-origin',
      });
    }
  });
});

describe('CORS', () => {
  const path = '/api/v1/servers/guild/stats';

  describe('CORS for every origin', () => {
    const suite = serviceSuite(mockStore);

    it('a preflight gets 204 before a key is asked for', async () => {
      const { headers } = await request(suite.service.url)
        .options(path)
        .set({
          origin: 'https://a.example',
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'x-api-key',
        })
        .expect(204);
      expect(headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, HEAD, OPTIONS',
        'access-control-allow-headers': 'x-api-key, if-none-match, authorization, *',
        'access-control-max-age': '7200',
      });
    });

    it('scripts can read the headers of quota and caching, even of errors', async () => {
      for (const key of [suite.key, 'wrong']) {
        const { headers } = await suite.get('/servers/guild/stats', key).set('origin', 'https://a.example');
        expect(headers['access-control-allow-origin']).toBe('*');
        for (const name of [
          'ETag',
          'RateLimit',
          'RateLimit-Policy',
          'X-RateLimit-Limit',
          'X-RateLimit-Remaining',
          'X-RateLimit-Reset',
          'Retry-After',
        ]) {
          expect(headers['access-control-expose-headers']?.split(', ')).toContain(name);
        }
      }
    });
  });

  describe('CORS for listed origins', () => {
    const suite = serviceSuite(mockStore, { CORS_ORIGINS: 'https://a.example,https://b.example' });

    it('a listed origin is named in the response, which varies by the origin', async () => {
      const { headers } = await suite.get('/servers/guild/stats').set('origin', 'https://b.example');
      expect(headers['access-control-allow-origin']).toBe('https://b.example');
      expect(headers.vary).toBe('x-api-key, Origin');
    });
  });
});

describe.each(['errors', 'off'])('LOG_REQUESTS=%s', (mode) => {
  const suite = serviceSuite(mockStore, { LOG_REQUESTS: mode });

  it('LOG_REQUESTS logs the requests that its value names', async () => {
    await suite.get('/servers/guild/stats').expect(200);
    await suite.get('/servers/guild/members/nobody').expect(404);
    const requests = () => suite.service.log.filter(({ msg }) => msg === 'request').map(({ status }) => status);
    await expect.poll(requests).toEqual(mode === 'errors' ? [404] : []);
  });
});
