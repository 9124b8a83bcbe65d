import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { Quotas, WINDOW_S } from '../../../../src/core/access/quotas.ts';
import { StoreUnavailableError } from '../../../../src/core/errors.ts';
import { CommandBatcher } from '../../../../src/core/reads/command-batcher.ts';
import { RedisKeys } from '../../../../src/core/store/redis-keys.ts';
import { Scripts } from '../../../../src/core/store/scripts.ts';
import { mockStore, type TestStore } from '../../../support/stores.ts';

const PLANS = new Map([
  ['free', 3],
  ['pro', 10],
]);
/** Returns the identity of a key without a cap. */
const of = (guildId: string, plan: string) => ({ guildId, plan, keyId: 'k', cap: null });

let testStore: TestStore;
let quotas: Quotas;

beforeAll(async () => {
  testStore = await mockStore.start();
});
afterAll(() => testStore.stop());
beforeEach(async () => {
  await testStore.empty();
  quotas = new Quotas(new CommandBatcher(new Scripts(testStore.client), new RedisKeys('gr')), PLANS);
});

it('each request gets the state after it, as if requests had been counted one by one', async () => {
  const states = await quotas.consume(of('g', 'free'), 5);
  expect(states.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
    [true, 2],
    [true, 1],
    [true, 0],
    [false, 0],
    [false, 0],
  ]);
  for (const { limit, resetMs } of states) {
    expect(limit).toBe(3);
    expect(resetMs).toBeGreaterThan((WINDOW_S - 60) * 1000);
    expect(resetMs).toBeLessThanOrEqual(WINDOW_S * 1000);
  }
  expect(await testStore.client.get('gr:quota:{g}')).toBe('3');
});

it('the count is never lowered when a lower plan refuses requests', async () => {
  await quotas.consume(of('g', 'pro'), 8);
  expect(await quotas.consume(of('g', 'free'), 2)).toMatchObject([{ allowed: false }, { allowed: false }]);
  expect(await testStore.client.get('gr:quota:{g}')).toBe('8');
});

it('the count stays when the plan changes, and each guild has a count of its own', async () => {
  await quotas.consume(of('g', 'free'), 3);
  expect(await quotas.consume(of('g', 'pro'), 1)).toMatchObject([{ allowed: true, limit: 10, remaining: 6 }]);
  expect(await quotas.consume(of('h', 'free'), 1)).toMatchObject([{ allowed: true, remaining: 2 }]);
});

it('a plan that is not listed has the free quota', async () => {
  expect(await quotas.consume(of('g', 'platinum'), 1)).toMatchObject([{ limit: 3, remaining: 2 }]);
});

it('the plan free needs a quota', () => {
  expect(() => new Quotas({} as CommandBatcher, new Map([['pro', 10]]))).toThrow('there is no quota for the plan free');
});

it('allowed and denied requests are counted by plan', async () => {
  await quotas.consume(of('g', 'free'), 4);
  await quotas.consume(of('h', 'pro'), 2);
  await quotas.consume(of('i', 'unknown'), 1);
  expect([...quotas.counts()]).toEqual([
    ['free', { allowed: 4, denied: 1 }],
    ['pro', { allowed: 2, denied: 0 }],
  ]);
});

it('a running window stays, and a counter without a window gets one', async () => {
  await quotas.consume(of('g', 'free'), 1);
  await testStore.client.expire('gr:quota:{g}', 100);
  expect((await quotas.consume(of('g', 'free'), 1))[0]?.resetMs).toBeLessThanOrEqual(100_000);
  await testStore.client.persist('gr:quota:{g}');
  const states = await quotas.consume(of('g', 'free'), 1);
  expect(states[0]?.resetMs).toBeGreaterThan((WINDOW_S - 60) * 1000);
  expect(await testStore.client.ttl('gr:quota:{g}')).toBeGreaterThan(WINDOW_S - 60);
});

it.each([null, 50])(
  'a window ends after an hour at most with the cap %s, even when the clock of Redis went back',
  async (cap) => {
    for (const key of ['gr:quota:{g}', 'gr:quota:{g}:k'])
      await testStore.client.set(key, '1', 'PX', 2 * WINDOW_S * 1000);
    const [state] = await quotas.consume({ ...of('g', 'free'), cap }, 1);
    expect(state?.remaining).toBe(1);
    expect(state?.resetMs).toBeLessThanOrEqual(WINDOW_S * 1000);
    expect(await testStore.client.ttl('gr:quota:{g}')).toBeLessThanOrEqual(WINDOW_S);
  },
);

it('a count fails with the store, and then nothing is counted as allowed or denied', async () => {
  const broken = { run: () => Promise.reject(new StoreUnavailableError('down')) } as unknown as CommandBatcher;
  const down = new Quotas(broken, PLANS);
  await expect(down.consume(of('g', 'free'), 1)).rejects.toThrow(StoreUnavailableError);
  expect([...down.counts()][0]).toEqual(['free', { allowed: 0, denied: 0 }]);
});
