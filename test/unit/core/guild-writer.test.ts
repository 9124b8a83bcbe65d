import { describe, expect, it } from 'vitest';
import { RefusedError } from '../../../src/core/errors.ts';
import type { ProfileChange, XpRecord } from '../../../src/core/members/xp-record.ts';
import { storeSuite } from '../../support/store-suite.ts';
import { mockStore } from '../../support/stores.ts';

describe('GuildWriter', () => {
  const suite = storeSuite(mockStore);
  const members = (guild: string) => suite.store.client.zrange(`gr:{${guild}}:xp`, 0, -1);
  const profile = (guild: string, userId: string) => suite.store.client.hget(`gr:{${guild}}:members`, userId);
  const keys = (guild: string) => suite.store.client.keys(`gr:{${guild}}:*`);

  it('records are stored with the given profile fields, and the result says what became of each member', async () => {
    const { writer } = suite.store;
    const guild = suite.newGuild();
    await writer.record(guild, { userId: 'b', set: 103 });
    const result = await writer.recordMany(guild, [
      { userId: 'a', set: 5 },
      {
        userId: 'b',
        add: -3n,
        username: 'B',
        level: 4,
        dailyStreak: 0,
        lastDailyClaim: '2026-01-15T10:00:00+02:00',
      },
      { userId: 'c', set: 9007199254740990n, lastDailyClaim: new Date(0), level: 7 },
    ]);
    const last = { xpBefore: 0, levelBefore: 0, xp: 9007199254740990, level: 7 };
    expect(result).toEqual({
      repeated: false,
      ...{ revision: await suite.store.client.hget(`gr:{${guild}}:stats`, 'rev'), created: 2, ...last },
      members: [
        { userId: 'a', xpBefore: 0, levelBefore: 0, xp: 5, level: 0, created: true, hidden: false },
        { userId: 'b', xpBefore: 103, levelBefore: 1, xp: 100, level: 4, created: false, hidden: false },
        { userId: 'c', ...last, created: true, hidden: false },
      ],
    });
    expect(await profile(guild, 'a')).toBeNull();
    expect(await profile(guild, 'b')).toBe('4 0 1768464000000 B');
    expect(await profile(guild, 'c')).toBe('7 0 0');
    const gone = { username: null, level: null, dailyStreak: null, lastDailyClaim: null };
    expect(await writer.record(guild, { userId: 'b', add: 0, ...gone })).toMatchObject({ level: 1, created: 0 });
    expect(await profile(guild, 'b')).toBeNull();
  });

  it('records make hidden members, and leave a member where it is', async () => {
    const { writer } = suite.store;
    const guild = suite.newGuild();
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

  it('a loss with the floor 0 stops at 0 XP, and no other floor can be given', async () => {
    const { writer } = suite.store;
    const guild = suite.newGuild();
    const xpAfter = async (add: number) => (await writer.record(guild, { userId: 'a', add, floor: 0 })).xp;
    expect([await xpAfter(7), await xpAfter(-2), await xpAfter(-9), await xpAfter(0)]).toEqual([7, 5, 0, 0]);
    const records = [
      { userId: 'a', add: 1 },
      { userId: 'a', add: -1, floor: 1 as 0 },
    ];
    await expect(writer.recordMany(guild, records)).rejects.toMatchObject({ code: 'argument', params: { index: 1 } });
  });

  it('a daily claim that lies more than a day ahead is refused with the place of the field', async () => {
    const { writer } = suite.store;
    const guild = suite.newGuild();
    const claimIn = (hours: number) => ({
      userId: 'a',
      set: 1,
      lastDailyClaim: new Date(Date.now() + hours * 3_600_000),
    });
    await writer.record(guild, claimIn(23));
    const inList = writer.recordMany(guild, [claimIn(23), claimIn(25)]);
    await expect(inList).rejects.toThrow('records[1].lastDailyClaim is more than a day from now');
    await expect(writer.record(guild, claimIn(25))).rejects.toThrow(/^lastDailyClaim is more than a day from now/);
  });

  it('a new level gives a member the XP of the curve, and leaves the profile as it is', async () => {
    const { writer } = suite.store;
    const guild = suite.newGuild();
    await writer.record(guild, { userId: 'a', set: 103, username: 'Ann', dailyStreak: 4 });
    const change = { xpBefore: 103, levelBefore: 1, xp: 255, level: 2 };
    expect(await writer.setLevel(guild, { userId: 'a', level: 2 })).toEqual({
      ...change,
      revision: await suite.store.client.hget(`gr:{${guild}}:stats`, 'rev'),
      created: 0,
      repeated: false,
      members: [{ userId: 'a', ...change, created: false, hidden: false }],
    });
    expect(await profile(guild, 'a')).toBe('- 4 - Ann');
  });

  it('a new level is refused by name for an unfit user id, and for an unfit level', async () => {
    const { writer } = suite.store;
    const guild = suite.newGuild();
    await expect(writer.setLevel(guild, { userId: 'a b', level: 2 })).rejects.toThrow('The user id "a b"');
    await expect(writer.setLevel(guild, { userId: 'a', level: -1 })).rejects.toThrow('level must be a whole number');
    expect(await keys(guild)).toEqual([]);
  });

  it('records that take several calls store nothing if the last value is unfit, and else return the last revision', async () => {
    const guild = suite.newGuild();
    const records: XpRecord[] = Array.from({ length: 501 }, (_, n) => ({ userId: `u${n}`, set: n }));
    const last = { userId: 'last', set: 1.5 };
    await expect(suite.store.writer.recordMany(guild, [...records, last])).rejects.toMatchObject({ code: 'xp' });
    expect(await keys(guild)).toEqual([]);
    const { revision } = await suite.store.writer.recordMany(guild, [...records, ...records]);
    expect(revision).toBe(await suite.store.client.hget(`gr:{${guild}}:stats`, 'rev'));
  });

  it('an empty list of records changes nothing', async () => {
    const nothing = { repeated: false, xpBefore: 0, levelBefore: 0, xp: 0, level: 0 };
    const result = await suite.store.writer.recordMany(suite.newGuild(), []);
    expect(result).toEqual({ revision: expect.any(String), created: 0, ...nothing, members: [] });
  });

  it.each([1.5, Number.NaN, 2 ** 53, '5', undefined, null])(
    '%j is refused as XP, and nothing is stored',
    async (xp) => {
      const guild = suite.newGuild();
      const records = [{ userId: 'a', set: 1 }, { userId: 'b', set: xp } as unknown as XpRecord];
      await expect(suite.store.writer.recordMany(guild, records)).rejects.toMatchObject({
        code: 'xp',
        params: { index: 1 },
      });
      expect(await keys(guild)).toEqual([]);
    },
  );

  it.each<[ProfileChange]>([
    [{ level: -1 }],
    [{ level: 1.5 }],
    [{ dailyStreak: -1 }],
    [{ dailyStreak: Number.NaN }],
    [{ lastDailyClaim: 'yesterday' }],
  ])('the profile %j is refused, and nothing is stored', async (profile) => {
    const guild = suite.newGuild();
    const refusal = suite.store.writer.record(guild, { userId: 'a', set: 1, ...profile });
    await expect(refusal).rejects.toThrow(RefusedError);
    await expect(refusal).rejects.toMatchObject({ code: 'field', params: { index: 0 } });
    expect(await keys(guild)).toEqual([]);
  });

  it('a refusal of the script is reported with its index', async () => {
    const records = [
      { userId: 'a', set: 1 },
      { userId: 'b', add: -1 },
    ] as const;
    const refusal = suite.store.writer.recordMany(suite.newGuild(), records);
    await expect(refusal).rejects.toMatchObject({ code: 'range', params: { index: 1 } });
  });

  it('a removal leaves nothing stored of the members', async () => {
    const { writer, client } = suite.store;
    const guild = suite.newGuild();
    const records = ['a', 'b', 'd'].map((userId) => ({ userId, set: 5, username: userId }));
    await writer.recordMany(guild, records);
    for (const userId of ['a', 'b', 'd']) {
      await client.set(`gr:{${guild}}:cooldown:${userId}`, '1');
      await client.zadd(`gr:{${guild}}:season:xp`, 5, userId);
    }
    expect(await writer.remove(guild, ['a', 'b', 'c'])).toBe(2);
    expect(await members(guild)).toEqual(['d']);
    expect(await client.zrange(`gr:{${guild}}:season:xp`, 0, -1)).toEqual(['d']);
    expect((await keys(guild)).filter((key) => key.includes('cooldown'))).toEqual([`gr:{${guild}}:cooldown:d`]);
    expect(await client.hgetall(`gr:{${guild}}:members`)).toEqual({ d: '- 0 - d' });
  });
});
