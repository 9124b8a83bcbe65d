import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { needs } from '../support/needs.ts';
import { startService, type TestService } from '../support/service.ts';
import { realStore, type TestStore } from '../support/stores.ts';
import { PATIENT } from '../support/wait.ts';
import { type ProxyExample, proxies, type RunningProxy, startProxy } from './proxies.ts';

const DATA = '/g/guild/data.json';

/** Returns an example whose proxy waits for a service that a busy machine holds up. */
const patient = (proxy: ProxyExample): ProxyExample => ({
  ...proxy,
  complete: (config, at) => proxy.complete(config.replace(/(proxy_\w+_timeout) [12]s/g, '$1 60s'), at),
});

describe('the cache for public data of nginx', needs('nginx', 'openssl', 'redis-server'), () => {
  let testStore: TestStore;
  let service: TestService;
  let proxy: RunningProxy;
  let asked = 0;

  beforeAll(async () => {
    testStore = await realStore.start();
    service = await startService(testStore, { PUBLIC_PAGES: '1', TRUST_PROXY: '127.0.0.1' });
    const { port } = new URL(service.url);
    proxy = await startProxy(patient(proxies[0] as ProxyExample), [Number(port), Number(port)]);
    await vi.waitFor(async () => expect((await proxy.get('/readyz')).status, proxy.output()).toBe(200), PATIENT);
  });
  afterAll(async () => {
    await proxy.stop();
    await service.close();
    await testStore.stop();
  });
  beforeEach(async () => {
    await testStore.empty();
    service.advance(120_000);
    await service.store.writer.recordMany('guild', [
      { userId: 'ann', set: 300, username: 'Ann' },
      { userId: 'bob', set: 200, username: 'Bob' },
    ]);
    await service.store.guildConfig.update('guild', { publicPage: true });
    asked++;
  });

  /** An address that no test before has asked for. */
  const fresh = (query = '') => `${DATA}?test=${asked}${query}`;
  const from = ({ headers }: Awaited<ReturnType<RunningProxy['get']>>) => headers['x-cache-status'];
  /** Returns the requests for public data that the service has answered. */
  const answered = async () => {
    const metrics = await service.registry.metrics();
    const counts = metrics.matchAll(/^http_request_duration_seconds_count\{[^}]*data\.json[^}]*\} (\d+)$/gm);
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  };

  it('the cache asks the service once for many visitors who come at the same moment', async () => {
    const before = await answered();
    const answers = await Promise.all(Array.from({ length: 200 }, () => proxy.get(fresh())));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
    expect(await answered()).toBe(before + 1);
    expect(new Set(answers.map(from))).toContain('HIT');
  });

  it('the cache confirms an answer by its tag, and keeps an answer for each coding', async () => {
    const path = fresh('&limit=100');
    await service.store.writer.recordMany(
      'guild',
      Array.from({ length: 100 }, (_, n) => ({ userId: `m${n}`, set: n })),
    );
    for (const [accepted, coding] of [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
      ['identity', undefined],
    ] as const) {
      const first = await proxy.get(path, { 'accept-encoding': accepted });
      expect([from(first), first.headers['content-encoding']]).toEqual(['MISS', coding]);
      // An answer that has become too old meanwhile is asked for anew, and then kept again.
      await vi.waitFor(async () => {
        const again = await proxy.get(path, {
          'accept-encoding': `x, ${accepted}`,
          'if-none-match': String(first.headers.etag),
        });
        expect([from(again), again.status]).toEqual(['HIT', 304]);
      }, PATIENT);
    }
  });

  it('a client that accepts each coding, or refuses one, changes no answer for other clients', async () => {
    const path = fresh('&limit=100');
    await service.store.writer.recordMany(
      'guild',
      Array.from({ length: 100 }, (_, n) => ({ userId: `m${n}`, set: n })),
    );
    const codingFor = async (accepted?: string) => {
      const { status, headers } = await proxy.get(path, accepted === undefined ? {} : { 'accept-encoding': accepted });
      return [status, headers['content-encoding']];
    };
    for (const odd of ['*', 'br;q=0, gzip;q=0', 'x-other', 'gzip;q=0.000']) {
      expect([odd, ...(await codingFor(odd))]).toEqual([odd, 200, undefined]);
    }
    expect(await codingFor('br;q=0, gzip')).toEqual([200, 'gzip']);
    expect(await codingFor()).toEqual([200, undefined]);
    expect(await codingFor('gzip')).toEqual([200, 'gzip']);
    expect(await codingFor('gzip, deflate, br;q=0.5')).toEqual([200, 'br']);
  });

  it('the cache shows a hidden member no longer than a proxy and a browser together may keep an answer', async () => {
    const path = fresh();
    const first = await proxy.get(path);
    const [, maxAge, sharedMaxAge] =
      /^public, max-age=(\d+), s-maxage=(\d+)$/.exec(String(first.headers['cache-control'])) ?? [];
    expect(Number(maxAge) + Number(sharedMaxAge)).toBeLessThanOrEqual(10);
    await service.store.writer.hide('guild', ['ann']);
    await vi.waitFor(async () => {
      const answer = await proxy.get(path);
      expect(['HIT', 'EXPIRED', 'REVALIDATED']).toContain(from(answer));
      // Once nginx asks again, it has the answer of now: an old one is never extended.
      expect(from(answer)).toBe('EXPIRED');
      expect(answer.body).not.toContain('Ann');
    }, PATIENT);
    expect((await proxy.get(path)).body).not.toContain('Ann');
  });

  it('the cache keeps no refusal, no web page and nothing of the API', async () => {
    await service.store.guildConfig.update('guild', { publicPage: false });
    expect((await proxy.get(fresh())).status).toBe(404);
    await service.store.guildConfig.update('guild', { publicPage: true });
    const answer = await proxy.get(fresh());
    expect([answer.status, from(answer)]).toEqual([200, 'MISS']);
    const { key } = await service.store.apiKeys.create('guild', 'test', null);
    for (const path of ['/g/guild', '/api/v1/servers/guild/stats']) {
      await proxy.get(path, { 'x-api-key': key });
      const again = await proxy.get(path, { 'x-api-key': key });
      expect([again.status, from(again)]).toEqual([200, undefined]);
    }
  });

  it('the cache sends no old answer while the service is away', async () => {
    const path = fresh();
    expect((await proxy.get(path)).status).toBe(200);
    await service.close();
    await vi.waitFor(async () => expect((await proxy.get(path)).status).toBeGreaterThanOrEqual(502), PATIENT);
  });
});
