import { describe, expect, it } from 'vitest';
import { RecordRefusedError } from '../../../src/errors.ts';
import type { ProfileChange, XpRecord } from '../../../src/leaderboard/writer.ts';
import { storeSuite } from '../../support/store-suite.ts';
import { mockStore } from '../../support/stores.ts';

describe('LeaderboardWriter', () => {
  const suite = storeSuite(mockStore);
  const members = (guild: string) => suite.store.client.zrange(`gr:{${guild}}:xp`, 0, -1);
  const profile = (guild: string, userId: string) => suite.store.client.hgetall(`gr:{${guild}}:member:${userId}`);
  const keys = (guild: string) => suite.store.client.keys(`gr:{${guild}}:*`);

  it('stores records with the given profile fields, and says what became of each member', async () => {
    const [{ writer }, guild] = [suite.store, suite.newGuild()];
    await writer.record(guild, { userId: 'b', set: 103 });
    const result = await writer.recordMany(guild, [
      { userId: 'a', set: 5 },
      {
        userId: 'b',
        add: -3n,
        profile: { username: 'B', level: 4, dailyStreak: 0, lastDailyClaim: '2026-01-15T10:00:00+02:00' },
      },
      { userId: 'c', set: 9007199254740990n, profile: { lastDailyClaim: new Date(0), level: 7 } },
    ]);
    const last = { xpBefore: 0, levelBefore: 0, xp: 9007199254740990, level: 7 };
    expect(result).toEqual({
      ...{ revision: await suite.store.client.hget(`gr:{${guild}}:stats`, 'rev'), created: 2, ...last },
      members: [
        { userId: 'a', xpBefore: 0, levelBefore: 0, xp: 5, level: 0, created: true, hidden: false },
        { userId: 'b', xpBefore: 103, levelBefore: 1, xp: 100, level: 4, created: false, hidden: false },
        { userId: 'c', ...last, created: true, hidden: false },
      ],
    });
    expect(await profile(guild, 'a')).toEqual({});
    const stored = { username: 'B', level: '4', daily_streak: '0', last_daily_claim: '2026-01-15T08:00:00.000Z' };
    expect(await profile(guild, 'b')).toEqual(stored);
    expect(await profile(guild, 'c')).toEqual({ level: '7', last_daily_claim: '1970-01-01T00:00:00.000Z' });
    const gone = { username: null, level: null, dailyStreak: null, lastDailyClaim: null };
    expect(await writer.record(guild, { userId: 'b', add: 0, profile: gone })).toMatchObject({ level: 1, created: 0 });
    expect(await profile(guild, 'b')).toEqual({});
  });

  it('makes those hidden members who are to be, and leaves a member where it is', async () => {
    const [{ writer }, guild] = [suite.store, suite.newGuild()];
    const records = [
      { userId: 'a', set: 5, hidden: true },
      { userId: 'b', set: 6, hidden: false },
    ] as const;
    for (const created of [['b'], []]) {
      const result = await writer.recordMany(guild, records);
      expect(result.members.map(({ hidden }) => hidden)).toEqual([true, false]);
      expect(result.members.filter((member) => member.created).map(({ userId }) => userId)).toEqual(created);
    }
    expect(await members(guild)).toEqual(['b']);
  });

  it('gives a change of nothing for no records', async () => {
    const nothing = { xpBefore: 0, levelBefore: 0, xp: 0, level: 0 };
    const result = await suite.store.writer.recordMany(suite.newGuild(), []);
    expect(result).toEqual({ revision: expect.any(String), created: 0, ...nothing, members: [] });
  });

  it.each([1.5, Number.NaN, 2 ** 53, '5', undefined, null])('refuses %j as XP, and stores nothing', async (xp) => {
    const guild = suite.newGuild();
    const records = [{ userId: 'a', set: 1 }, { userId: 'b', set: xp } as unknown as XpRecord];
    await expect(suite.store.writer.recordMany(guild, records)).rejects.toMatchObject({ index: 1, reason: 'xp' });
    expect(await keys(guild)).toEqual([]);
  });

  it.each<[ProfileChange]>([
    [{ level: -1 }],
    [{ level: 1.5 }],
    [{ dailyStreak: -1 }],
    [{ dailyStreak: Number.NaN }],
    [{ lastDailyClaim: 'yesterday' }],
  ])('refuses the profile %j, and stores nothing', async (profile) => {
    const guild = suite.newGuild();
    const refusal = suite.store.writer.record(guild, { userId: 'a', set: 1, profile });
    await expect(refusal).rejects.toThrow(RecordRefusedError);
    await expect(refusal).rejects.toMatchObject({ index: 0, reason: 'field' });
    expect(await keys(guild)).toEqual([]);
  });

  it('reports a refusal of the script with its index', async () => {
    const records = [
      { userId: 'a', set: 1 },
      { userId: 'b', add: -1 },
    ] as const;
    const refusal = suite.store.writer.recordMany(suite.newGuild(), records);
    await expect(refusal).rejects.toMatchObject({ index: 1, reason: 'range' });
  });

  it('removes members with all that is stored of them', async () => {
    const [{ writer, client }, guild] = [suite.store, suite.newGuild()];
    const records = ['a', 'b', 'd'].map((userId) => ({ userId, set: 5, profile: { username: userId } }));
    await writer.recordMany(guild, records);
    for (const userId of ['a', 'b', 'd']) {
      await client.set(`gr:{${guild}}:cooldown:${userId}`, '1');
      await client.zadd(`gr:{${guild}}:season:xp`, 5, userId);
    }
    expect(await writer.remove(guild, ['a', 'b', 'c'])).toBe(2);
    expect(await members(guild)).toEqual(['d']);
    expect(await client.zrange(`gr:{${guild}}:season:xp`, 0, -1)).toEqual(['d']);
    const left = (await keys(guild)).filter((key) => /:(member|cooldown):/.test(key)).sort();
    expect(left).toEqual([`gr:{${guild}}:cooldown:d`, `gr:{${guild}}:member:d`]);
  });
});
