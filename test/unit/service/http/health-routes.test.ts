import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { createAdminApp } from '../../../../src/service/http/admin.ts';
import type { Readiness } from '../../../../src/service/http/health-routes.ts';
import { testApi } from './test-api.ts';

describe.each([
  ['the API', async (readiness: Readiness) => (await testApi({ parts: { readiness } })).app],
  ['the admin listener', async (readiness: Readiness) => createAdminApp(readiness, async () => '', 'text/plain')],
])('health on %s', (_name, make) => {
  it('/livez answers while the process lives, and /readyz says whether the process is ready', async () => {
    for (const path of ['/livez', '/readyz']) {
      const { headers, body } = await request(await make(() => undefined))
        .get(path)
        .expect(200);
      expect(body).toEqual({ status: 'ok' });
      expect(headers['cache-control']).toBe('no-store');
      expect(headers).not.toHaveProperty('x-powered-by');
    }
  });

  it.each([{ reason: 'draining' }, { reason: 'redis', cause: 'READONLY' }, { reason: 'workers' }] as const)(
    'the readiness check answers 503 for %j',
    async (unready) => {
      const { headers, body } = await request(await make(() => unready))
        .get('/readyz')
        .expect(503);
      expect(body).toEqual({ status: 'unavailable', ...unready });
      expect(headers).toMatchObject({ 'cache-control': 'no-store', 'retry-after': '1' });
    },
  );

  it.each(['/livez/', '/LIVEZ', '/readyz/', '/Readyz'])('the path %s gets 404', async (path) => {
    await request(await make(() => undefined))
      .get(path)
      .expect(404);
  });
});

it('metrics are served as they are given, and stored nowhere', async () => {
  const admin = createAdminApp(
    () => undefined,
    async () => 'a 1\n',
    'text/plain; version=0.0.4; charset=utf-8',
  );
  const { headers, text } = await request(admin).get('/metrics').expect(200);
  expect(text).toBe('a 1\n');
  expect(headers).toMatchObject({
    'content-type': 'text/plain; version=0.0.4; charset=utf-8',
    'cache-control': 'no-store',
  });
});

it('the admin listener answers an unknown resource with 404, and failed metrics with 500 and the reason', async () => {
  const fails = async () => Promise.reject(new Error('a worker did not answer'));
  const admin = createAdminApp(() => undefined, fails, 'text/plain');
  const { body } = await request(admin).get('/none').expect(404);
  expect(body).toEqual({
    status: 404,
    detail: 'There is no such resource. This port has /livez, /readyz and /metrics.',
  });
  expect((await request(admin).post('/metrics').expect(404)).body.status).toBe(404);
  expect((await request(admin).get('/metrics').expect(500)).body.detail).toBe('a worker did not answer');
});
