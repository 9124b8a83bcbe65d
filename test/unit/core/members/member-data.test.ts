import { setImmediate } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { StoreUnavailableError } from '../../../../src/core/errors.ts';
import { readMemberData } from '../../../../src/core/members/member-data.ts';
import type { RedisClient } from '../../../../src/core/store/client.ts';
import { createWriter } from '../../../../src/kit/writer.ts';
import { storeSuite } from '../../../support/store-suite.ts';
import { describeStores } from '../../../support/stores.ts';

describeStores('what is stored of a member', (kind) => {
  const suite = storeSuite(kind);
  const read = (guild: string, userId = 'a') => readMemberData(suite.store, guild, userId);
  const nothing = {
    xp: null,
    hidden_xp: null,
    hidden_reasons: null,
    profile: null,
    avatar: null,
    cooldown_ms: null,
    season_xp: null,
    boards: null,
    staged: null,
  };

  it('the data of a user of whom nothing is stored are null', async () => {
    const guild = suite.newGuild();
    await suite.store.writer.record(guild, { userId: 'b', set: 5 });
    expect(await read(guild)).toBeNull();
  });

  it('the data of a ranked member have XP and profile as they are stored', async () => {
    const guild = suite.newGuild();
    const profile = { username: 'Ann B', level: 3, dailyStreak: 4, lastDailyClaim: new Date(0) };
    await suite.store.writer.record(guild, { userId: 'a', set: Number.MAX_SAFE_INTEGER, ...profile });
    expect(await read(guild)).toEqual({
      ...{ ...nothing, guild, user_id: 'a', xp: '9007199254740991' },
      profile: {
        stored: '3 4 0 Ann B',
        ...{ username: 'Ann B', level: 3, daily_streak: 4, last_daily_claim: '1970-01-01T00:00:00.000Z' },
      },
    });
  });

  it('the data of a hidden member have XP, reasons and cooldown', async () => {
    const guild = suite.newGuild();
    const writer = createWriter(suite.store.client);
    await writer.award(guild, { userId: 'a', amount: 7, cooldownMs: 60_000 });
    await writer.hide(guild, ['a'], { reason: 'self' });
    const data = await read(guild);
    expect(data).toEqual({
      ...nothing,
      ...{ guild, user_id: 'a', hidden_xp: '7', hidden_reasons: 'self', cooldown_ms: data?.cooldown_ms },
    });
    expect(data?.cooldown_ms).toBeGreaterThan(0);
    expect(data?.cooldown_ms).toBeLessThanOrEqual(60_000);
  });

  it.each([
    [
      'a profile alone',
      'hash',
      ':members',
      '- 0 - Ann',
      { profile: { stored: '- 0 - Ann', username: 'Ann', level: null } },
    ],
    ['an avatar alone', 'hash', ':avatars', '0'.repeat(32), { avatar: '0'.repeat(32) }],
    ['a reason alone', 'hash', ':hidden:reasons', 'left', { hidden_reasons: 'left' }],
    ['XP that a season has archived', 'zset', ':season:xp', '8', { season_xp: '8' }],
    ['XP on a board', 'zset', '~week:xp', '9', { boards: { week: '9' } }],
    ['XP on a board of a hidden member', 'zset', '~month.prev:hidden', '6', { boards: { 'month.prev': '6' } }],
    ['a staged member', 'zset', ':next:xp', '4', { staged: { xp: '4', hidden_reasons: null, profile: null } }],
    ['a hidden staged one', 'zset', ':next:hidden', '3', { staged: { xp: '3', hidden_reasons: null, profile: null } }],
  ] as const)('the data of a member have %s', async (_, type, suffix, value, expected) => {
    const guild = suite.newGuild();
    const key = `gr:{${guild}}${suffix}`;
    if (type === 'zset') await suite.store.client.zadd(key, value, 'a');
    else await suite.store.client.hset(key, 'a', value);
    expect(await read(guild)).toMatchObject({ ...nothing, ...expected, guild, user_id: 'a' });
    expect(await read(guild, 'b')).toBeNull();
  });

  it('the data of a staged member have reasons and profile', async () => {
    const guild = suite.newGuild();
    const { client } = suite.store;
    await client.zadd(`gr:{${guild}}:next:hidden`, 2, 'a');
    await client.hset(`gr:{${guild}}:next:hidden:reasons`, 'a', 'left self');
    await client.hset(`gr:{${guild}}:next:members`, 'a', '- 5 - Bo');
    const staged = { xp: '2', hidden_reasons: 'left self', profile: { stored: '- 5 - Bo', daily_streak: 5 } };
    expect(await read(guild)).toMatchObject({ ...nothing, staged });
  });

  it('the read of a member fails with one error when each of its commands fails', async () => {
    const { redisKeys } = suite.store;
    const fails = () => Promise.reject(new StoreUnavailableError(new Error('planted')));
    const client = { zscore: fails, hget: fails, pttl: fails } as unknown as RedisClient;
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    try {
      await expect(readMemberData({ client, redisKeys }, 'g', 'a')).rejects.toThrow(StoreUnavailableError);
      // Node reports them after the promises of this round.
      await setImmediate();
      expect(unhandled).not.toHaveBeenCalled();
    } finally {
      process.off('unhandledRejection', unhandled);
    }
  });
});
