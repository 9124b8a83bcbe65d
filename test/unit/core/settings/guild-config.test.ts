import { beforeEach, expect, it, vi } from 'vitest';
import { type Core, openCore } from '../../../../src/core/core.ts';
import { GuildCounters } from '../../../../src/core/counters/counters.ts';
import { RefusedError, StoreUnavailableError } from '../../../../src/core/errors.ts';
import { mockStore } from '../../../support/stores.ts';
import { PATIENT } from '../../../support/wait.ts';

const STATS = 'gr:{g}:stats';
const CONFIG = 'gr:{g}:config';
let store: Core;
let published: string[];

beforeEach(async () => {
  const testStore = await mockStore.start();
  store = openCore(testStore.client, 'gr');
  published = [];
  const subscriber = testStore.connect();
  await subscriber.subscribe('gr:changed');
  subscriber.on('message', (_channel, guild) => published.push(guild));
  await store.writer.recordMany('g', [
    { userId: 'a', set: 100 },
    { userId: 'b', set: 255 },
  ]);
});

it('stores plan and multiplier, raises the revision, leaves the counters alone, and publishes the invalidation', async () => {
  const { rev: before, ...counters } = await store.client.hgetall(STATS);
  await store.guildConfig.update('g', { plan: 'pro', xpMultiplier: 1.5 });
  const { rev, ...after } = await store.client.hgetall(STATS);
  expect(BigInt(rev as string)).toBeGreaterThan(BigInt(before as string));
  expect(after).toEqual(counters);
  expect(await store.client.hgetall(CONFIG)).toEqual({ plan: 'pro', xp_multiplier: '1.5' });
  await vi.waitFor(() => expect(published).toEqual(['g']), PATIENT);
});

it('stores a curve with the levels it gives, beside a plan, then publishes the invalidation', async () => {
  expect(await store.client.hget(STATS, 'level_sum')).toBe('3');
  await store.guildConfig.update('g', { xpCurve: 'amari', plan: 'pro' });
  expect(await store.client.hget(STATS, 'level_sum')).toBe('6');
  expect(await store.client.hgetall(CONFIG)).toEqual({ plan: 'pro', xp_curve: 'amari' });
  expect(await store.counters.check('g')).toMatchObject({ exact: true });
  await vi.waitFor(() => expect(published).toEqual(['g']), PATIENT);
});

it('stores nothing beside a curve that another count refuses', async () => {
  const refused = new RefusedError('count_busy', { guild: 'g' });
  vi.spyOn(GuildCounters.prototype, 'rebuild').mockRejectedValueOnce(refused);
  const before = await store.client.hgetall(STATS);
  await expect(store.guildConfig.update('g', { xpCurve: 'amari', plan: 'pro' })).rejects.toThrow(refused);
  expect([await store.client.hgetall(CONFIG), await store.client.hgetall(STATS)]).toEqual([{}, before]);
});

it('stores rules and removes them, raises the revision, leaves all else alone, and publishes the invalidation', async () => {
  await store.guildConfig.update('g', { plan: 'pro' });
  const { rev: before, ...counters } = await store.client.hgetall(STATS);
  await store.guildConfig.setRules('g', '{"message":{"xp":5}}');
  expect(await store.client.hgetall(CONFIG)).toEqual({ plan: 'pro', rules: '{"message":{"xp":5}}' });
  await store.guildConfig.setRules('g', null);
  expect(await store.client.hgetall(CONFIG)).toEqual({ plan: 'pro' });
  const { rev, ...after } = await store.client.hgetall(STATS);
  expect(BigInt(rev as string)).toBeGreaterThan(BigInt(before as string));
  expect(after).toEqual(counters);
  await vi.waitFor(() => expect(published).toEqual(['g', 'g', 'g']), PATIENT);
});

it('refuses rules above 16 kB, and stores nothing', async () => {
  await store.guildConfig.setRules('g', 'é'.repeat(8192));
  await expect(store.guildConfig.setRules('g', `${'é'.repeat(8192)}a`)).rejects.toThrow(
    'The rules have 16385 bytes, and the most is 16384: leave some out',
  );
  expect(await store.client.hget(CONFIG, 'rules')).toHaveLength(8192);
});

it('fails when the invalidation cannot be published', async () => {
  vi.spyOn(store.client, 'publish').mockRejectedValue(new Error('down'));
  await expect(store.guildConfig.update('g', { plan: 'pro' })).rejects.toThrow(StoreUnavailableError);
});
