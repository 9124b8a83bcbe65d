import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { KEY_LOOK_UPS } from '../../src/core/access/address-limiter.ts';
import { generateKey, hashKey } from '../../src/core/access/key-format.ts';
import type { RedisClient } from '../../src/core/store/client.ts';
import { rawExchange } from '../support/raw-http.ts';
import { startService, type TestService } from '../support/service.ts';
import { mockStore, type TestStore } from '../support/stores.ts';
import { PATIENT } from '../support/wait.ts';

const { burst: BURST, intervalMs: INTERVAL_MS } = KEY_LOOK_UPS;

/** Requests that a flood sends down each connection. */
const ON_ONE_CONNECTION = 100;

describe('a flood of made-up keys', () => {
  let testStore: TestStore;
  let service: TestService;
  let key: string;
  let find: MockInstance<RedisClient['hgetall']>;
  let subscriber: RedisClient;

  async function start(env: Record<string, string> = {}): Promise<void> {
    testStore = await mockStore.start();
    const client = testStore.connect();
    subscriber = testStore.connect();
    find = vi.spyOn(client, 'hgetall');
    const connections = [client, subscriber];
    service = await startService({ ...testStore, connect: () => connections.shift() ?? testStore.connect() }, env);
    ({ key } = await service.store.apiKeys.create('guild', 'test', null));
  }
  beforeEach(() => start({ REDIS_TIMEOUT_MS: '60000' }));
  afterEach(async () => {
    await service.close();
    await testStore.stop();
  });

  const get = (apiKey: string, headers: Record<string, string> = {}) =>
    fetch(`${service.url}/api/v1/servers/guild/stats`, { headers: { 'x-api-key': apiKey, ...headers } });
  const statusOf = async (apiKey: string, headers?: Record<string, string>) => (await get(apiKey, headers)).status;

  /** Sends requests, many of them at once. @returns how often each status came. */
  async function flood(
    requests = BURST + 20,
    forwardedFor: (n: number) => string | undefined = () => undefined,
    newKey = generateKey,
  ): Promise<Record<number, number>> {
    const port = Number(new URL(service.url).port);
    const texts = Array.from({ length: requests }, (_, n) => {
      const address = forwardedFor(n);
      const from = address === undefined ? '' : `x-forwarded-for: ${address}\r\n`;
      return `GET /api/v1/servers/guild/stats HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${newKey()}\r\n${from}`;
    });
    const counts: Record<number, number> = {};
    for (let sent = 0; sent < requests; sent += ON_ONE_CONNECTION) {
      const bytes = `${texts.slice(sent, sent + ON_ONE_CONNECTION).join('\r\n')}connection: close\r\n\r\n`;
      for (const { status } of await rawExchange(port, Buffer.from(bytes), false)) {
        counts[status] = (counts[status] ?? 0) + 1;
      }
    }
    return counts;
  }

  it('a flood of made-up keys reaches Redis no more often than the limit, then gets 429 with Retry-After', async () => {
    expect(await flood()).toEqual({ 401: BURST, 429: 20 });
    expect(find).toHaveBeenCalledTimes(BURST);
    const refused = await get(generateKey());
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await refused.json()).toMatchObject({ code: 'quota_exceeded', status: 429 });
    // Requests without a key and the health paths are answered as ever.
    expect((await fetch(`${service.url}/api/v1/servers/guild/stats`)).status).toBe(401);
    expect((await fetch(`${service.url}/livez`)).status).toBe(200);
  });

  it('a flood makes no more look-ups when all its requests come before the first reply of Redis', async () => {
    let reply = () => {};
    const replied = new Promise<void>((resolve) => {
      reply = resolve;
    });
    find.mockImplementation(async () => {
      await replied;
      return {};
    });
    const waiting = Array.from({ length: BURST / ON_ONE_CONNECTION }, () => flood(ON_ONE_CONNECTION));
    await vi.waitFor(() => expect(find).toHaveBeenCalledTimes(BURST), PATIENT);
    expect(await flood(ON_ONE_CONNECTION)).toEqual({ 429: ON_ONE_CONNECTION });
    reply();
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => ({ 401: ON_ONE_CONNECTION })));
    expect(find).toHaveBeenCalledTimes(BURST);
  });

  it('a flood that goes on leaves some look-ups for unseen valid keys', async () => {
    await flood();
    const arrivals: number[] = [];
    for (let step = 0; step < 10; step++) {
      service.advance(INTERVAL_MS);
      // The flood and the unseen key take turns to be first after each interval.
      const first = step % 2 ? key : generateKey();
      const statuses = [await statusOf(first), await statusOf(generateKey()), await statusOf(generateKey())];
      if (first === key) arrivals.push(statuses[0] as number);
    }
    expect(arrivals).toEqual(arrivals.map(() => 200));
  });

  it('malformed keys do not count towards the limit, because they cost no look-up', async () => {
    expect(await flood(BURST + 20, undefined, () => 'gr_wrong')).toEqual({ 401: BURST + 20 });
    expect(await statusOf(key)).toBe(200);
  });

  it('valid keys and look-ups that failed leave the limit as it is', async () => {
    await flood(BURST - 1);
    for (let i = 0; i < 3; i++) {
      const { key: unseen } = await service.store.apiKeys.create('guild', 'more', null);
      expect(await statusOf(unseen)).toBe(200);
      find.mockRejectedValueOnce(new Error('down'));
      expect(await statusOf(generateKey())).toBe(503);
    }
    expect([await statusOf(generateKey()), await statusOf(generateKey())]).toEqual([401, 429]);
  });

  it('a key that was valid gets 200 in a flood, even when its cache entry has expired, until it is revoked', async () => {
    expect(await statusOf(key)).toBe(200);
    service.advance(60_000);
    await flood();
    expect(await statusOf(key)).toBe(200);
    await service.store.apiKeys.revokeAll('guild');
    service.advance(60_000);
    expect(await statusOf(key)).toBe(401);
  });

  it('a key that was valid gets 200 in a flood, when Redis lost all data and has it again', async () => {
    expect(await statusOf(key)).toBe(200);
    const record = await testStore.client.hgetall(`gr:key:${hashKey(key)}`);
    await testStore.client.flushall();
    service.advance(5000);
    expect(await flood(BURST + 20, undefined, () => key)).toEqual({ 401: BURST + 20 });
    await flood();
    await testStore.client.hset(`gr:key:${hashKey(key)}`, record);
    expect(await statusOf(key)).toBe(200);
  });

  it('a key that was valid gets 200 in a flood, after the subscription was made again or the guild changed', async () => {
    expect(await statusOf(key)).toBe(200);
    subscriber.emit('ready');
    await vi.waitFor(async () => {
      expect(await statusOf(key)).toBe(200);
      expect(find).toHaveBeenCalledTimes(2);
    }, PATIENT);
    await flood();
    await service.store.guildConfig.update('guild', { plan: 'pro' });
    subscriber.emit('ready');
    expect(await statusOf(key)).toBe(200);
  });

  it('a flood is counted by X-Forwarded-For behind a trusted proxy only', async () => {
    const refused = await flood(BURST + 20, (n) => `10.0.${n >> 8}.${n & 255}`);
    expect(refused[429]).toBe(20);
    await service.close();
    await start({ TRUST_PROXY: '1' });
    expect((await flood(BURST + 20, () => '203.0.113.1'))[429]).toBe(20);
    expect(await statusOf(key, { 'x-forwarded-for': '203.0.113.2' })).toBe(200);
    // A text that is no address counts with all others that are none.
    expect((await flood(BURST + 20, (n) => `no address ${n}`))[429]).toBe(20);
  });
});
