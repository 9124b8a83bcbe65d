import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { Quotas, WINDOW_S } from '../../../src/access/quotas.ts';
import { StoreUnavailableError } from '../../../src/errors.ts';
import type { RedisClient } from '../../../src/redis/commands.ts';
import { KeyNames } from '../../../src/redis/keys.ts';
import { mockStore, type TestStore } from '../../helpers/stores.ts';

const PLANS = new Map([
  ['free', 3],
  ['pro', 10],
]);
const keys = new KeyNames('gr');
let testStore: TestStore;
let quotas: Quotas;
let observed: [command: string, failed: boolean][];

beforeAll(async () => {
  testStore = await mockStore.start();
});
afterAll(() => testStore.stop());
beforeEach(async () => {
  await testStore.empty();
  observed = [];
  quotas = new Quotas(testStore.client, keys, PLANS, (command, ms, failed) => {
    expect(ms).toBeGreaterThanOrEqual(0);
    expect(ms).toBeLessThan(10_000);
    observed.push([command, failed]);
  });
});

it('tells what each of many requests left, as if they had been counted one by one', async () => {
  const { states } = await quotas.consume('g', 'free', 5);
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
  expect(await testStore.client.get('gr:quota:{g}')).toBe('5');
});

it('goes on counting when the plan changes, and keeps guilds apart', async () => {
  await quotas.consume('g', 'free', 3);
  expect((await quotas.consume('g', 'pro', 1)).states).toMatchObject([{ allowed: true, limit: 10, remaining: 6 }]);
  expect((await quotas.consume('h', 'free', 1)).states).toMatchObject([{ allowed: true, remaining: 2 }]);
});

it('gives a plan that is not listed the free quota', async () => {
  expect((await quotas.consume('g', 'platinum', 1)).states).toMatchObject([{ limit: 3, remaining: 2 }]);
});

it('cannot do without a quota for the plan free', () => {
  expect(() => new Quotas(testStore.client, keys, new Map([['pro', 10]]))).toThrow(
    'there is no quota for the plan free',
  );
});

it('tallies what it allowed and denied, by plan', async () => {
  await quotas.consume('g', 'free', 4);
  await quotas.consume('h', 'pro', 2);
  await quotas.consume('i', 'unknown', 1);
  expect([...quotas.tally()]).toEqual([
    ['free', { allowed: 4, denied: 1 }],
    ['pro', { allowed: 2, denied: 0 }],
  ]);
});

it('brings the revision of the guild, also when the quota says no', async () => {
  expect((await quotas.consume('g', 'free', 1)).revision).toBe('');
  await testStore.client.hset('gr:{g}:stats', 'rev', '1768478400000001');
  expect((await quotas.consume('g', 'free', 1)).revision).toBe('1768478400000001');
  expect((await quotas.consume('g', 'free', 9)).revision).toBe('1768478400000001');
});

it('keeps the window that runs, and starts one for a counter that has none', async () => {
  await quotas.consume('g', 'free', 1);
  await testStore.client.expire('gr:quota:{g}', 100);
  expect((await quotas.consume('g', 'free', 1)).states[0]?.resetMs).toBeLessThanOrEqual(100_000);
  await testStore.client.persist('gr:quota:{g}');
  const { states } = await quotas.consume('g', 'free', 1);
  expect(states[0]?.resetMs).toBeGreaterThan((WINDOW_S - 60) * 1000);
  expect(await testStore.client.ttl('gr:quota:{g}')).toBeGreaterThan(WINDOW_S - 60);
});

it('tells of every count, and of failures as such', async () => {
  await quotas.consume('g', 'free', 1);
  await quotas.consume('g', 'free', 9);
  expect(observed).toEqual([
    ['consume', false],
    ['consume', false],
  ]);
});

it('fails with the store, and counts nothing as allowed or denied then', async () => {
  const broken = {
    defineCommand() {},
    rlflxIncr: () => Promise.reject(new Error('down')),
  } as unknown as RedisClient;
  const down = new Quotas(broken, keys, PLANS, (command, _ms, failed) => observed.push([command, failed]));
  await expect(down.consume('g', 'free', 1)).rejects.toThrow(StoreUnavailableError);
  expect(observed).toEqual([['consume', true]]);
  expect([...down.tally()][0]).toEqual(['free', { allowed: 0, denied: 0 }]);
});
