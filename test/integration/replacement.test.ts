import fc from 'fast-check';
import { expect, it } from 'vitest';
import { StagedMembers } from '../../src/leaderboard/staged-members.ts';
import type { XpRecord } from '../../src/leaderboard/writer.ts';
import { storeSuite } from '../support/store-suite.ts';
import { describeStores } from '../support/stores.ts';

const records = (prefix: string, count: number, xp: number): XpRecord[] =>
  Array.from({ length: count }, (_, n) => ({
    userId: `${prefix}${n}`,
    set: xp + n,
    profile: { username: `${prefix} ${n}` },
  }));

describeStores('a replacement of the members beside a bot', (kind) => {
  const suite = storeSuite(kind);

  const ranking = async (guild: string): Promise<Map<string, number>> => {
    const rows = await suite.store.client.zrange(`gr:{${guild}}:xp`, 0, -1, 'WITHSCORES');
    return new Map(rows.flatMap((row, i) => (i % 2 === 0 ? [[row, Number(rows[i + 1])]] : [])));
  };
  const exact = async (guild: string) => (await suite.store.audit.check(guild)).exact;
  const swap = async (staged: StagedMembers): Promise<void> => {
    await staged.listUnstaged();
    while ((await staged.putInPlace()) > 0);
    while ((await staged.sweep()).listed > 0);
    await staged.clear({ unlock: true });
  };

  it('keeps what the bot writes after the step of a member, and the members that the bot creates', async () => {
    // Writes of the bot before each step: user id, and XP to add; 0 = remove.
    const write = fc.tuple(
      fc.constantFrom('old0', 'old1', 'new0', 'new1', 'both0', 'bot0', 'bot1'),
      fc.integer({ min: 0, max: 3 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(write, { maxLength: 3 }), { maxLength: 12 }), async (writes) => {
        const guild = suite.newGuild();
        await suite.store.writer.recordMany(guild, [...records('old', 3, 10), ...records('both', 2, 20)]);
        const staged = await StagedMembers.lock(suite.store, guild);
        await staged.stage([...records('new', 3, 1000), ...records('both', 2, 2000)]);
        await staged.listUnstaged();

        // The expected XP by member: the file's at its step, then what the bot writes.
        const expected = await ranking(guild);
        const bot = async () => {
          for (const [userId, add] of writes.shift() ?? []) {
            if (add === 0) {
              expected.delete(userId);
              await suite.store.writer.remove(guild, [userId]);
            } else {
              expected.set(userId, (expected.get(userId) ?? 0) + add);
              await suite.store.writer.record(guild, { userId, add });
            }
          }
        };
        await bot();
        for (const [userId, xp] of [...records('new', 3, 1000), ...records('both', 2, 2000)].map(
          (r) => [r.userId, r.set] as const,
        )) {
          expected.set(userId, Number(xp));
        }
        await staged.putInPlace();
        await bot();
        for (const userId of ['old0', 'old1', 'old2']) expected.delete(userId);
        await staged.sweep();
        await bot();
        await staged.clear({ unlock: true });
        expect(await ranking(guild)).toEqual(expected);
        expect(await exact(guild)).toBe(true);
      }),
      { numRuns: kind.name === 'redis-server' ? 200 : 15 },
    );
  });

  it('ends with the members of the file, whatever the bot removes meanwhile', async () => {
    const guild = suite.newGuild();
    await suite.store.writer.recordMany(guild, records('old', 500, 10));
    const staged = await StagedMembers.lock(suite.store, guild);
    await staged.stage(records('new', 500, 1000));
    await staged.listUnstaged();
    while ((await staged.putInPlace()) > 0);
    await suite.store.writer.remove(
      guild,
      records('new', 100, 0).map(({ userId }) => userId),
    );
    while ((await staged.sweep()).listed > 0);
    await staged.clear({ unlock: true });
    expect([...(await ranking(guild)).keys()].sort()).toEqual(
      records('new', 500, 0)
        .slice(100)
        .map(({ userId }) => userId)
        .sort(),
    );
    expect(await exact(guild)).toBe(true);
    expect(await suite.store.client.keys(`gr:{${guild}}:next:*`)).toEqual([]);
  });

  it('replaces profiles as a whole, and raises the revision with every step', async () => {
    const guild = suite.newGuild();
    await suite.store.writer.record(guild, {
      userId: 'a',
      set: 1,
      profile: { username: 'old', level: 7, dailyStreak: 3 },
    });
    const before = await suite.store.client.hget(`gr:{${guild}}:stats`, 'rev');
    const staged = await StagedMembers.lock(suite.store, guild);
    await staged.stage([{ userId: 'a', set: 500, profile: { username: 'new' } }]);
    expect(await suite.store.client.hget(`gr:{${guild}}:stats`, 'rev')).toBe(before);
    await swap(staged);
    expect(await suite.store.client.hgetall(`gr:{${guild}}:member:a`)).toEqual({ username: 'new' });
    expect(await exact(guild)).toBe(true);
    expect(await suite.store.client.hget(`gr:{${guild}}:stats`, 'rev')).not.toBe(before);
  });

  it('that lost its lock to another one is refused at every step, and changes nothing', async () => {
    const guild = suite.newGuild();
    await suite.store.writer.recordMany(guild, records('old', 5, 10));
    const first = await StagedMembers.lock(suite.store, guild);
    await first.stage(records('first', 5, 100));
    await first.listUnstaged();
    // The lock ends while its owner is suspended.
    await suite.store.client.del(`gr:{${guild}}:next:xp:lock`);
    const second = await StagedMembers.lock(suite.store, guild);
    await second.stage(records('second', 5, 100));
    const refused = { reason: 'lock' };
    const before = [await ranking(guild), await suite.store.client.zrange(`gr:{${guild}}:next:xp`, 0, -1)];
    await expect(first.stage(records('late', 1, 1))).rejects.toMatchObject(refused);
    await expect(first.listUnstaged()).rejects.toMatchObject(refused);
    await expect(first.putInPlace()).rejects.toMatchObject(refused);
    await expect(first.clear({ unlock: true })).rejects.toMatchObject(refused);
    await first.renew();
    expect([await ranking(guild), await suite.store.client.zrange(`gr:{${guild}}:next:xp`, 0, -1)]).toEqual(before);
    await swap(second);
    expect([...(await ranking(guild)).keys()].every((id) => id.startsWith('second'))).toBe(true);
    await expect(first.sweep()).resolves.toEqual({ listed: 0, removed: 0 });
    expect(await exact(guild)).toBe(true);
  });

  it('is refused while another one holds the lock', async () => {
    const guild = suite.newGuild();
    await StagedMembers.lock(suite.store, guild);
    await expect(StagedMembers.lock(suite.store, guild)).rejects.toThrow(
      /^Another --replace or deletion of g\d+ is running/,
    );
  });

  it('is counted exactly while a count of the members runs', async () => {
    const guild = suite.newGuild();
    await suite.store.writer.recordMany(guild, records('old', 30, 10));
    const staged = await StagedMembers.lock(suite.store, guild);
    await staged.stage(records('new', 30, 15));
    await staged.listUnstaged();
    const { CounterAudit } = await import('../../src/leaderboard/counters.ts');
    let steps = 0;
    const { scripts, redisKeys } = suite.beside(async () => {
      steps++;
      if (steps === 4) await staged.putInPlace();
      if (steps === 6) await staged.sweep();
    });
    expect(await new CounterAudit(scripts, redisKeys, 7).rebuild(guild)).toMatchObject({
      actual: { members: 30n, totalXp: 885n },
      exact: true,
    });
  });
});
