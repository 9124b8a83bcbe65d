import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FailedAuthLimiter, MAX_FAILURES, WINDOW_MS } from '../../src/access/failed-auth-limiter.ts';
import { generateKey } from '../../src/access/key-format.ts';
import { startService, type TestService } from '../support/service.ts';
import { mockStore, type TestStore } from '../support/stores.ts';

describe('a flood of made-up keys', () => {
  let testStore: TestStore;
  let service: TestService;
  let key: string;
  let lookUps: () => number;

  async function start(env: Record<string, string> = {}): Promise<void> {
    testStore = await mockStore.start();
    const connect = testStore.connect;
    const [first] = [connect()];
    const spy = vi.spyOn(first, 'hgetall');
    lookUps = () => spy.mock.calls.length;
    const connections = [first];
    service = await startService({ ...testStore, connect: () => connections.shift() ?? connect() }, env);
    ({ key } = await service.store.apiKeys.create('guild', 'test', null));
  }
  beforeEach(() => start());
  afterEach(async () => {
    await service.close();
    await testStore.stop();
  });

  const get = (apiKey: string, headers: Record<string, string> = {}) =>
    fetch(`${service.url}/api/v1/servers/guild/stats`, { headers: { 'x-api-key': apiKey, ...headers } });

  async function flood(headers: (n: number) => Record<string, string> = () => ({})): Promise<number[]> {
    const statuses: number[] = [];
    for (let n = 0; n < MAX_FAILURES + 20; n++) statuses.push((await get(generateKey(), headers(n))).status);
    return statuses;
  }

  it('reaches Redis no more often than the limit, then gets 429 with Retry-After', async () => {
    const statuses = await flood();
    expect(statuses.slice(0, MAX_FAILURES).every((status) => status === 401)).toBe(true);
    expect(statuses.slice(MAX_FAILURES).every((status) => status === 429)).toBe(true);
    expect(lookUps()).toBe(MAX_FAILURES);
    const refused = await get(generateKey());
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ code: 'quota_exceeded', status: 429 });
  });

  it('does not affect a key that was valid, even when its cache entry has expired', async () => {
    expect((await get(key)).status).toBe(200);
    await flood();
    expect((await get(key)).status).toBe(200);
    service.advance(60_000);
    expect((await get(key)).status).toBe(200);
  });

  it('does not keep a key valid that was revoked meanwhile', async () => {
    expect((await get(key)).status).toBe(200);
    await flood();
    await service.store.apiKeys.revokeAll('guild');
    service.advance(60_000);
    expect((await get(key)).status).not.toBe(200);
  });

  it('does not affect requests without a key and the health paths', async () => {
    await flood();
    expect((await fetch(`${service.url}/api/v1/servers/guild/stats`)).status).toBe(401);
    expect((await fetch(`${service.url}/livez`)).status).toBe(200);
  });

  it('is counted by X-Forwarded-For behind a trusted proxy only', async () => {
    expect((await flood((n) => ({ 'x-forwarded-for': `10.0.0.${n}` }))).at(-1)).toBe(429);
    await service.close();
    await start({ TRUST_PROXY: '1' });
    expect((await flood(() => ({ 'x-forwarded-for': '203.0.113.1' }))).at(-1)).toBe(429);
    expect((await get(key, { 'x-forwarded-for': '203.0.113.2' })).status).toBe(200);
  });
});

describe('the count of failures', () => {
  let now = 0;
  const floodedFrom = (address: string, flood = new FailedAuthLimiter(() => now)): FailedAuthLimiter => {
    for (let i = 0; i < MAX_FAILURES; i++) flood.recordFailure(address);
    return flood;
  };

  it('ends with its window', () => {
    const flood = floodedFrom('192.0.2.1');
    expect(flood.retryAfterMs('192.0.2.1')).toBe(WINDOW_MS);
    now += WINDOW_MS;
    expect(flood.retryAfterMs('192.0.2.1')).toBe(0);
  });

  it.each([
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff::2', true],
    ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['::1', '::2', true],
    ['::ffff:192.0.2.1', '192.0.2.1', true],
    ['192.0.2.1', '192.0.2.2', false],
  ])('counts %s and %s as one network: %s', (one, other, same) => {
    expect(floodedFrom(one).retryAfterMs(other) > 0).toBe(same);
  });

  it('holds a bounded number of addresses', () => {
    const flood = new FailedAuthLimiter(() => now);
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < 200_000; i++) flood.recordFailure(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(60 * 1024 * 1024);
  });
});
