import request from 'supertest';
import { expect, it } from 'vitest';
import { describeStores } from '../../support/stores.ts';
import { serviceSuite, setPlan } from '../../support/suite.ts';

describeStores('quotas', (kind) => {
  const suite = serviceSuite(kind, { PLAN_QUOTAS: 'free=5,starter=7,pro=1000' });
  const path = '/servers/guild/stats';
  const remaining = async (path: string) => Number((await suite.get(path)).headers['x-ratelimit-remaining']);

  it('every response tells the rest of the quota, in both families of headers', async () => {
    const { headers } = await suite.get(path).expect(200);
    expect(headers['ratelimit-policy']).toBe('"hourly";q=5;w=3600');
    expect(headers.ratelimit).toMatch(/^"hourly";r=4;t=3(600|5\d\d)$/);
    expect(headers['x-ratelimit-limit']).toBe('5');
    expect(headers['x-ratelimit-remaining']).toBe('4');
    const start = Date.parse('2026-01-15T12:00:00Z') / 1000;
    suite.service.setWallClock(0);
    const reset = Number((await suite.get(path)).headers['x-ratelimit-reset']);
    expect(reset).toBeGreaterThan(start + 3500);
    expect(reset).toBeLessThanOrEqual(start + 3600);
  });

  it('the last request of the quota window gets 200, and the next one gets 429 with Retry-After', async () => {
    for (let i = 1; i <= 4; i++) await suite.get(path).expect(200);
    const last = await suite.get(path).expect(200);
    expect(last.headers['x-ratelimit-remaining']).toBe('0');
    const { body, headers } = await suite.get(path).expect(429);
    expect(body).toMatchObject({ code: 'quota_exceeded', status: 429 });
    expect(Number(headers['retry-after'])).toBeGreaterThan(3500);
    expect(headers['x-ratelimit-remaining']).toBe('0');
    expect(body).not.toHaveProperty('data');
  });

  it('every response to a valid key counts: 304, 400, 403, 404, 405 and HEAD', async () => {
    await setPlan(suite, 'guild', 'pro');
    const { etag } = (await suite.get(path)).headers;
    await suite
      .get(path)
      .set('if-none-match', etag ?? '')
      .expect(304);
    await suite.get('/servers/guild/leaderboard?limit=0').expect(400);
    await suite.get('/servers/other/stats').expect(403);
    await suite.get('/servers/guild/members/none').expect(404);
    await suite.get('/no/such/path').expect(404);
    await suite.get('/servers/%zz/stats').expect(400);
    const url = `/api/v1${path}`;
    await request(suite.service.url).post(url).set('x-api-key', suite.key).expect(405);
    await request(suite.service.url).head(url).set('x-api-key', suite.key).expect(200);
    expect(await remaining(path)).toBe(990);
  });

  it('OPTIONS, refused keys and health checks do not count', async () => {
    await request(suite.service.url).options(`/api/v1${path}`).set('x-api-key', suite.key).expect(204);
    await suite.get(path, 'gr_wrong').expect(401);
    await request(suite.service.url).get('/readyz').set('x-api-key', suite.key).expect(200);
    expect(await remaining(path)).toBe(4);
  });

  it('all keys of a guild share its quota', async () => {
    const { key } = await suite.service.store.apiKeys.create('guild', 'second', null);
    await suite.get(path).expect(200);
    const { headers } = await suite.get(path, key).expect(200);
    expect(headers['x-ratelimit-remaining']).toBe('3');
  });

  it('a change of plan takes effect at once and keeps the count', async () => {
    for (let i = 1; i <= 5; i++) await suite.get(path).expect(200);
    await suite.get(path).expect(429);
    await setPlan(suite, 'guild', 'pro');
    await expect.poll(async () => (await suite.get(path)).status).toBe(200);
    expect(await remaining(path)).toBeLessThan(995);
    await setPlan(suite, 'guild', 'starter');
    await expect.poll(async () => (await suite.get(path)).headers['x-ratelimit-limit']).toBe('7');
    await suite.get(path);
    await suite.get(path).expect(429);
  });

  it('refused requests do not count against the quota of a higher plan', async () => {
    for (let i = 1; i <= 5; i++) await suite.get(path).expect(200);
    for (let i = 1; i <= 20; i++) await suite.get(path).expect(429);
    await setPlan(suite, 'guild', 'starter');
    await expect
      .poll(async () => (await suite.get(path)).headers)
      .toMatchObject({
        'x-ratelimit-limit': '7',
        'x-ratelimit-remaining': '1',
      });
  });

  it('a guild with an unknown plan has the free quota', async () => {
    await setPlan(suite, 'guild', 'platinum');
    await expect.poll(async () => (await suite.get(path)).headers['x-ratelimit-limit']).toBe('5');
  });

  it('exactly the quota passes when 50 clients come at once', async () => {
    await setPlan(suite, 'guild', 'starter');
    const answers = await Promise.all(Array.from({ length: 50 }, () => suite.get(path)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(7);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(43);
    const left = answers.map(({ headers }) => Number(headers['x-ratelimit-remaining'])).sort((a, b) => b - a);
    expect(left.slice(0, 7)).toEqual([6, 5, 4, 3, 2, 1, 0]);
  });
});
