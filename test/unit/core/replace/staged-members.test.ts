import { expect, it } from 'vitest';
import { StagedMembers } from '../../../../src/core/replace/staged-members.ts';
import { storeSuite } from '../../../support/store-suite.ts';
import { describeStores } from '../../../support/stores.ts';

describeStores('the staged members of a guild', (kind) => {
  const suite = storeSuite(kind);
  const keysOf = (guild: string) => suite.store.redisKeys.staging(guild);
  const lock = (guild: string) => StagedMembers.lock(suite.store, guild);
  const staged = (guild: string) => suite.store.client.zrange(keysOf(guild).xp, 0, -1, 'WITHSCORES');
  const leftOf = async (guild: string) => (await suite.store.client.keys(`gr:{${guild}}:next:*`)).sort();
  const ids = (count: number) => Array.from({ length: count }, (_, n) => `u${n}`);
  const stored = async (guild: string, ...userIds: string[]) =>
    (await suite.store.members.read(guild, userIds)).members.map(
      ({ userId, xp, hidden, username }) => `${hidden ? '!' : ''}${userId} ${xp} ${username ?? '-'}`,
    );

  /** Makes a guild with members a, b and c, and the hidden member h. */
  const newGuild = async (): Promise<string> => {
    const guild = suite.newGuild();
    await suite.store.writer.recordMany(guild, [
      ...['a', 'b', 'c'].map((userId, n) => ({ userId, set: 10 + n, username: `old ${userId}` })),
      { userId: 'h', set: 13, hidden: true },
    ]);
    return guild;
  };

  it('staged members are seen by no reader, and counted once each', async () => {
    const guild = await newGuild();
    const before = await suite.store.client.hgetall(`gr:{${guild}}:stats`);
    const owner = await lock(guild);
    expect(await owner.stage([{ userId: 'a', set: 500 }])).toEqual({ created: 1 });
    const again = [{ userId: 'a', set: 600 } as const, { userId: 'new', set: 700, hidden: true } as const];
    expect(await owner.stage(again)).toEqual({ created: 1 });
    expect(await staged(guild)).toEqual(['a', '600', 'new', '700']);
    expect(await stored(guild, 'a', 'new')).toEqual(['a 10 old a']);
    expect(await suite.store.client.hgetall(`gr:{${guild}}:stats`)).toEqual(before);
  });

  it('staged members bring the note of explicit levels with them, and take it away', async () => {
    const guild = await newGuild();
    const note = () => suite.store.client.hget(`gr:{${guild}}:stats`, 'explicit');
    for (const [level, noted] of [
      [7, '1'],
      [undefined, null],
    ] as const) {
      const owner = await lock(guild);
      await owner.stage([{ userId: 'a', set: 500, ...(level !== undefined && { level }) }]);
      await owner.putInPlace();
      await owner.end();
      expect(await note()).toBe(noted);
    }
  });

  it('staged members are all refused when one of them is bad, with its index', async () => {
    const guild = suite.newGuild();
    const owner = await lock(guild);
    const stage = owner.stage([
      { userId: 'a', set: 1 },
      { userId: 'b', set: -1 },
    ]);
    await expect(stage).rejects.toMatchObject({ code: 'xp', params: { index: 1 } });
    expect(await staged(guild)).toEqual([]);
  });

  it('staged members tell the number of present members that are not staged, in more than one step', async () => {
    const guild = suite.newGuild();
    await suite.store.writer.recordMany(
      guild,
      Array.from({ length: 600 }, (_, index) => ({ userId: `u${index}`, set: index })),
    );
    const owner = await lock(guild);
    await owner.stage([{ userId: 'u300', set: 1 }]);
    expect(await owner.countUnstaged()).toBe(599);
  });

  it('staged members replace the present members with their profiles, and members who are not staged are removed unless they are hidden', async () => {
    const guild = await newGuild();
    const owner = await lock(guild);
    await owner.stage([
      { userId: 'a', set: 500, username: 'new a' },
      { userId: 'b', set: 600, hidden: true },
      { userId: 'd', set: 700, hidden: true },
      { userId: 'e', set: 800, hidden: true },
    ]);
    await owner.stage([{ userId: 'e', set: 900, hidden: false }]);
    expect(await owner.countUnstaged()).toBe(1);
    await owner.putInPlace();
    await suite.store.writer.record(guild, { userId: 'later', set: 1 });
    await owner.putInPlace();
    const all = ['a', 'b', 'c', 'd', 'e', 'h', 'later'] as const;
    expect(await stored(guild, ...all)).toEqual([
      'a 500 new a',
      '!b 600 -',
      '!d 700 -',
      // Another row of it said so.
      '!e 900 -',
      '!h 13 -',
      'later 1 -',
    ]);
    expect(await suite.store.client.hgetall(`gr:{${guild}}:members`)).toEqual({ a: '- 0 - new a' });
    await owner.end();
    expect(await leftOf(guild)).toEqual([]);
    const { exact, actual } = await suite.store.counters.check(guild);
    expect({ exact, ...actual }).toMatchObject({ exact: true, members: 2n, totalXp: 501n, hidden: 4n });
  });

  it('the staged members of a killed run are told and removed before the next members are staged', async () => {
    const guild = await newGuild();
    await (await lock(guild)).stage([
      ...ids(130).map((userId) => ({ userId, set: 2 })),
      { userId: 'x', set: 2, hidden: true },
    ]);
    await suite.store.client.del(keysOf(guild).lock);
    const owner = await lock(guild);
    expect(owner.leftBehind).toBe(131);
    expect(await staged(guild)).toEqual([]);
    expect(await leftOf(guild)).toEqual([keysOf(guild).config, keysOf(guild).lock]);
  });

  it('staged members are removed with their profiles at the end, which gives the lock back', async () => {
    const guild = await newGuild();
    const owner = await lock(guild);
    await owner.stage(['a', 'd'].map((userId) => ({ userId, set: 9, username: userId })));
    expect(await suite.store.client.hgetall(keysOf(guild).members)).toEqual({ a: '- 0 - a', d: '- 0 - d' });
    await owner.end();
    expect(await leftOf(guild)).toEqual([]);
    expect(await stored(guild, 'a', 'd')).toEqual(['a 10 old a']);
  });
});
