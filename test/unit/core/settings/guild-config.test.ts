import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type Core, openCore } from '../../../../src/core/core.ts';
import { GuildCounters } from '../../../../src/core/counters/counters.ts';
import { RefusedError, StoreUnavailableError } from '../../../../src/core/errors.ts';
import { utcOffsetsOf } from '../../../../src/core/settings/time-zone.ts';
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

it('an update stores plan and multiplier, raises the revision, leaves the counters alone, and publishes the invalidation', async () => {
  const { rev: before, ...counters } = await store.client.hgetall(STATS);
  await store.guildConfig.update('g', { plan: 'pro', xpMultiplier: 1.5 });
  const { rev, ...after } = await store.client.hgetall(STATS);
  expect(BigInt(rev as string)).toBeGreaterThan(BigInt(before as string));
  expect(after).toEqual(counters);
  expect(await store.client.hgetall(CONFIG)).toEqual({ plan: 'pro', xp_multiplier: '1.5' });
  await vi.waitFor(() => expect(published).toEqual(['g']), PATIENT);
});

it('an update stores a curve with the levels it gives, beside a plan, then publishes the invalidation', async () => {
  expect(await store.client.hget(STATS, 'level_sum')).toBe('3');
  await store.guildConfig.update('g', { xpCurve: 'amari', plan: 'pro' });
  expect(await store.client.hget(STATS, 'level_sum')).toBe('6');
  expect(await store.client.hgetall(CONFIG)).toEqual({ plan: 'pro', xp_curve: 'amari' });
  expect(await store.counters.check('g')).toMatchObject({ exact: true });
  await vi.waitFor(() => expect(published).toEqual(['g']), PATIENT);
});

it('an update stores nothing beside a curve that another count refuses', async () => {
  const refused = new RefusedError('count_busy', { guild: 'g' });
  vi.spyOn(GuildCounters.prototype, 'rebuild').mockRejectedValueOnce(refused);
  const before = await store.client.hgetall(STATS);
  await expect(store.guildConfig.update('g', { xpCurve: 'amari', plan: 'pro' })).rejects.toThrow(refused);
  expect([await store.client.hgetall(CONFIG), await store.client.hgetall(STATS)]).toEqual([{}, before]);
});

it('an update stores rules and removes them, raises the revision, leaves all else alone, and publishes the invalidation', async () => {
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

it('an update refuses rules above 16 kB, and stores nothing', async () => {
  await store.guildConfig.setRules('g', 'é'.repeat(8192));
  await expect(store.guildConfig.setRules('g', `${'é'.repeat(8192)}a`)).rejects.toThrow(
    'The rules have 16385 bytes, and the most is 16384: leave some out',
  );
  expect(await store.client.hget(CONFIG, 'rules')).toHaveLength(8192);
});

describe('the time zone of a guild', () => {
  const offsets = (timeZone: string) => utcOffsetsOf(timeZone, Date.now());

  it('a time zone takes the place of minutes from UTC, and the other way round', async () => {
    await store.guildConfig.update('g', { utcOffsetMinutes: 60 });
    await store.guildConfig.update('g', { timeZone: 'europe/berlin' });
    const zone = { time_zone: 'Europe/Berlin', utc_offsets: offsets('Europe/Berlin') };
    expect(await store.client.hgetall(CONFIG)).toEqual(zone);
    await store.guildConfig.update('g', { utcOffsetMinutes: -300 });
    expect(await store.client.hgetall(CONFIG)).toEqual({ utc_offset_minutes: '-300' });
  });

  it.each([
    [{ timeZone: 'Mars/Olympus', plan: 'pro' }, 'There is no time zone "Mars/Olympus"'],
    [{ timeZone: 'UTC', utcOffsetMinutes: 0 }, 'Give a time zone or minutes from UTC, not both'],
  ])('a time zone is refused, and nothing is stored: %j', async (change, message) => {
    await expect(store.guildConfig.update('g', change)).rejects.toThrow(message);
    expect(await store.client.hgetall(CONFIG)).toEqual({});
  });

  it('a time zone is renewed when little of its changes is left, which raises the revision and publishes the invalidation', async () => {
    await store.client.hset(CONFIG, { time_zone: 'Europe/Berlin', utc_offsets: '60' });
    const before = await store.client.hget(STATS, 'rev');
    await store.guildConfig.renewTimeZone('g');
    expect(await store.client.hget(CONFIG, 'utc_offsets')).toBe(offsets('Europe/Berlin'));
    expect(await store.client.hget(STATS, 'rev')).not.toBe(before);
    await vi.waitFor(() => expect(published).toContain('g'), PATIENT);
  });

  it.each([
    ['its changes are current', { time_zone: 'Europe/Berlin', utc_offsets: offsets('Europe/Berlin') }],
    ['the guild has minutes from UTC', { utc_offset_minutes: '60' }],
    ['this version of Node does not know it', { time_zone: 'Mars/Olympus', utc_offsets: '60' }],
  ])('a time zone is left alone when %s', async (_, config) => {
    await store.client.hset(CONFIG, config);
    const before = await store.client.hgetall(STATS);
    await store.guildConfig.renewTimeZone('g');
    expect([await store.client.hgetall(CONFIG), await store.client.hgetall(STATS)]).toEqual([config, before]);
  });

  it('a time zone keeps its own changes when somebody chooses it while the former time zone is renewed', async () => {
    await store.guildConfig.update('g', { timeZone: 'Asia/Tokyo' });
    vi.spyOn(store.client, 'hmget').mockResolvedValueOnce(['Europe/Berlin', '60']);
    await store.guildConfig.renewTimeZone('g');
    expect(await store.client.hgetall(CONFIG)).toEqual({ time_zone: 'Asia/Tokyo', utc_offsets: '540' });
  });
});

it('a renewal of a time zone fails when the invalidation cannot be published', async () => {
  vi.spyOn(store.client, 'publish').mockRejectedValue(new Error('down'));
  await expect(store.guildConfig.update('g', { plan: 'pro' })).rejects.toThrow(StoreUnavailableError);
});
