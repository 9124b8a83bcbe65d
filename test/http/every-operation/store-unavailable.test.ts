import request from 'supertest';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../../scripts/dev/embedded-redis.ts';
import { needs } from '../../support/needs.ts';
import { startService, type TestService } from '../../support/service.ts';
import { storeOn } from '../../support/stores.ts';

describe('a store that fails', needs('redis-server'), () => {
  let server: EmbeddedRedis;
  let testStore: ReturnType<typeof storeOn>;
  let service: TestService;
  let key: string;
  const get = (path: string) => request(service.url).get(path).set('x-api-key', key);

  beforeEach(async () => {
    server = await startEmbeddedRedis();
    testStore = storeOn(server);
    service = await startService(testStore, { PUBLIC_PAGES: '1' });
    ({ key } = await service.store.apiKeys.create('guild', 'test', null));
  });
  afterEach(async () => {
    await service.close();
    testStore.disconnect();
    await server.stop();
  });

  it('a request that finds a Redis key of another type gets 503 with Retry-After, and counts', async () => {
    await testStore.client.set('gr:{guild}:xp', 'text');
    const { body, headers } = await get('/api/v1/servers/guild/leaderboard').expect(503);
    expect(body).toMatchObject({ code: 'store_unavailable', status: 503 });
    expect(headers['retry-after']).toBe('1');
    expect(headers['x-ratelimit-remaining']).toBe('99');
    expect(JSON.stringify(body)).not.toMatch(/WRONGTYPE|127\.0\.0\.1/);
    await expect.poll(() => service.logText()).toContain('WRONGTYPE');
    await testStore.client.del('gr:{guild}:xp');
    await get('/api/v1/servers/guild/leaderboard').expect(200);
  });

  it('a visitor of the public page gets an understandable 503 when a Redis key has another type', async () => {
    await service.store.guildConfig.update('guild', { publicPage: true });
    await request(service.url).get('/g/guild').expect(200);
    await testStore.client.set('gr:{guild}:xp', 'text');
    await testStore.client.hincrby('gr:{guild}:stats', 'rev', 1);
    const { headers, text } = await request(service.url).get('/g/guild').expect(503);
    expect(headers).toMatchObject({ 'retry-after': '1', 'content-type': 'text/html; charset=utf-8' });
    expect(text).toContain('<h1>Leaderboard unavailable</h1>');
    expect(text).toContain('live.js');
    const overlay = await request(service.url).get('/g/guild?overlay=1').expect(503);
    expect(overlay.text).toMatch(/class="overlay".*live\.js/s);
    expect(overlay.text).not.toContain('class="note"');
    expect(text).not.toMatch(/WRONGTYPE|127\.0\.0\.1/);
    await testStore.client.del('gr:{guild}:xp');
    await request(service.url).get('/g/guild').expect(200);
  });

  it('requests get 503 while Redis is away, and the service lives but is not ready', async () => {
    await get('/api/v1/servers/guild/stats').expect(200);
    testStore.disconnect();
    await server.stop();
    await expect.poll(async () => (await get('/api/v1/servers/guild/stats')).status).toBe(503);
    for (const path of ['/g/guild', '/g/guild/m/ann', '/g/guild/badge.svg']) await get(path).expect(503);
    await expect.poll(async () => (await get('/readyz')).status).toBe(503);
    expect((await get('/readyz')).body).toEqual({ status: 'unavailable', reason: 'redis', cause: 'unreachable' });
    await get('/livez').expect(200);
  });
});
