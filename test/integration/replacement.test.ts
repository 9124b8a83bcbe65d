import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { FileRecord, XpRecord } from '../../src/core/members/xp-record.ts';
import { HIDE_REASONS, reasonsIn } from '../../src/core/ranking/model.ts';
import { StagedMembers } from '../../src/core/replace/staged-members.ts';
import { withStagedMembers } from '../../src/imports/staging.ts';
import { storeSuite } from '../support/store-suite.ts';
import { describeStores, realStore } from '../support/stores.ts';
import { randomRuns } from '../support/variants.ts';

const records = (prefix: string, count: number, xp: number): XpRecord[] =>
  Array.from({ length: count }, (_, n) => ({
    userId: `${prefix}${n}`,
    set: xp + n,
    username: `${prefix} ${n}`,
  }));

describeStores('replacements of the members beside a bot', (kind) => {
  const suite = storeSuite(kind);
  const isReal = kind === realStore;

  const places = async (guild: string, key: 'xp' | 'hidden'): Promise<Map<string, number>> => {
    const rows = await suite.store.client.zrange(`gr:{${guild}}:${key}`, 0, -1, 'WITHSCORES');
    return new Map(rows.flatMap((row, i) => (i % 2 === 0 ? [[row, Number(rows[i + 1])]] : [])));
  };
  const ranking = (guild: string) => places(guild, 'xp');
  const hiddenMembers = async (guild: string) => ({
    hidden: await places(guild, 'hidden'),
    profiles: await suite.store.client.hgetall(`gr:{${guild}}:members`),
    reasons: await suite.store.client.hgetall(`gr:{${guild}}:hidden:reasons`),
  });
  const exact = async (guild: string) => (await suite.store.counters.check(guild)).exact;
  const swap = async (staged: StagedMembers): Promise<void> => {
    await staged.putInPlace();
    await staged.end();
  };

  it('a replacement is refused while members wait for the end of their season, which would take XP of the new members', async () => {
    const guild = suite.newGuild();
    const { client } = suite.store;
    await suite.store.writer.record(guild, { userId: 'a', set: 5000 });
    await client.hset(`gr:{${guild}}:season`, { id: 's', archive: `${guild}.s1`, rest: 'keep', phase: 'reset' });
    await client.zadd(`gr:{${guild}}:season:xp`, 5000, 'a');
    const replace = () =>
      withStagedMembers(suite.store, guild, 'standard', undefined, async (staged) => {
        await staged.stage(records('new', 1, 10));
        await staged.putInPlace();
      });
    await expect(replace()).rejects.toThrow(
      `The end of a season of guild ${guild}, with the archive ${guild}.s1, is not finished: finish it first, with the same arguments as before`,
    );
    await client.del(`gr:{${guild}}:season:xp`);
    await replace();
    expect(await ranking(guild)).toEqual(new Map([['new0', 10]]));
  });

  // Many members take ioredis-mock seconds. The random test below runs the scripts there, with a few.
  if (isReal) {
    it('a replacement carries any number of hidden members over, a few in each step', async () => {
      const guild = suite.newGuild();
      const { writer, client } = suite.store;
      // More than one step each.
      const many = 600;
      const hidden = records('h', many, 10);
      await writer.recordMany(guild, [...records('old', 3, 10), ...hidden]);
      await writer.hide(
        guild,
        hidden.map(({ userId }) => userId),
      );
      const steps: number[] = [];
      const beside = suite.beside(async ({ name }, _keys, ...args) => {
        if (name.startsWith('replace-')) steps.push(args.length);
      });
      const staged = await StagedMembers.lock(beside, guild);
      const file = [...records('new', 3, 10), ...records('f', many, 20), ...records('h', many / 2, 30)];
      for (let from = 0; from < file.length; from += 100) {
        await staged.stage(
          file
            .slice(from, from + 100)
            .map((record) => ({ ...record, hidden: record.userId.startsWith('f') }) as XpRecord),
        );
      }
      await swap(staged);
      expect([...(await ranking(guild)).keys()]).toEqual(['new0', 'new1', 'new2']);
      const expected = [...records('f', many, 20), ...records('h', many / 2, 30), ...hidden.slice(many / 2)];
      expect(await places(guild, 'hidden')).toEqual(new Map(expected.map(({ userId, set }) => [userId, Number(set)])));
      expect(await client.hlen(`gr:{${guild}}:members`)).toBe(2 * many + 3);
      expect(await exact(guild)).toBe(true);
      // Each of 250 members has its reasons beside it.
      expect(Math.max(...steps)).toBeLessThan(510);
    });

    it('a replacement carries members again that the bot changed before the swap, however many', async () => {
      const guild = suite.newGuild();
      const { writer } = suite.store;
      const long = (n: number) => `${'u'.repeat(55)}${n}`;
      const crowd = Array.from({ length: 1300 }, (_, n) => ({ userId: long(n), set: 5 }));
      await writer.recordMany(guild, [...crowd, ...records('old', 3, 10)]);
      await writer.hide(guild, ['old0', 'old1']);
      let swaps = 0;
      const beside = suite.beside(async ({ name }) => {
        if (name !== 'replace-swap') return;
        swaps++;
        // More than one script carries, then more than the stats note, then one.
        if (swaps === 1)
          await writer.hide(
            guild,
            crowd.slice(0, 300).map(({ userId }) => userId),
          );
        if (swaps === 2) {
          await writer.hide(
            guild,
            crowd.map(({ userId }) => userId),
          );
          await writer.unhide(guild, ['old0', long(7)]);
        }
        if (swaps === 3) {
          await writer.award(guild, { userId: 'old1', amount: 90 });
          await writer.remove(guild, [long(9)]);
        }
      });
      const staged = await StagedMembers.lock(beside, guild);
      await staged.stage([
        { userId: 'old0', set: 50 },
        { userId: long(8), set: 70 },
        { userId: 'new', set: 60 },
      ]);
      await swap(staged);
      expect(swaps).toBe(3);
      expect(await ranking(guild)).toEqual(
        new Map([
          ['old0', 50],
          ['new', 60],
        ]),
      );
      const hidden = await places(guild, 'hidden');
      expect([hidden.size, hidden.get('old1'), hidden.get(long(8)), hidden.get(long(7))]).toEqual([
        1299,
        101,
        70,
        undefined,
      ]);
      expect(await exact(guild)).toBe(true);
      expect(await suite.store.client.hget(`gr:{${guild}}:stats`, 'replacing')).toBeNull();
    });

    it('a replacement ends beside a bot that changes hidden members all the time, or says that it cannot end', async () => {
      const guild = suite.newGuild();
      const { writer } = suite.store;
      const crowd = (size: number) => Array.from({ length: size }, (_, n) => ({ userId: `h${n}`, set: 5 }));
      await writer.recordMany(guild, [...crowd(1100), ...records('old', 3, 10)]);
      await writer.hide(
        guild,
        crowd(1100).map(({ userId }) => userId),
      );
      let changed = 600;
      const beside = suite.beside(async ({ name }) => {
        if (name === 'replace-swap') await writer.recordMany(guild, [...crowd(changed), ...crowd(changed)]);
      });
      const first = await StagedMembers.lock(beside, guild);
      await first.stage(records('new', 1, 10));
      await swap(first);
      expect([...(await ranking(guild)).keys()]).toEqual(['new0']);
      changed = 1100;
      const second = await StagedMembers.lock(beside, guild);
      await second.stage(records('newer', 1, 10));
      await expect(second.putInPlace()).rejects.toThrow('are hidden and shown faster than the replacement can follow');
      await second.end();
      expect([...(await ranking(guild)).keys()]).toEqual(['new0']);
      expect(await suite.store.client.keys(`gr:{${guild}}:next:*`)).toEqual([]);
      expect(await exact(guild)).toBe(true);
    });
  }

  it('a replacement keeps what a hidden member gains that a raw writer has put into the ranking too', async () => {
    const guild = suite.newGuild();
    const { writer, client } = suite.store;
    await writer.recordMany(guild, records('old', 2, 10));
    await writer.hide(guild, ['old0']);
    await client.zadd(`gr:{${guild}}:xp`, 7, 'old0');
    const beside = suite.beside(async ({ name }) => {
      if (name === 'replace-swap') await writer.claimDaily(guild, { userId: 'old0', reward: 1 });
    });
    const staged = await StagedMembers.lock(beside, guild);
    await staged.stage(records('new', 1, 10));
    await swap(staged);
    expect(await writer.claimDaily(guild, { userId: 'old0', reward: 1 })).toMatchObject({ claimed: false, streak: 1 });
  });

  it('a killed replacement leaves no sign of a guild that did not exist', async () => {
    const guild = suite.newGuild();
    const dies = suite.beside(async ({ name }) => {
      if (name === 'replace-swap') throw new Error('killed');
    });
    const staged = await StagedMembers.lock(dies, guild);
    await staged.stage(records('new', 1, 10));
    await expect(staged.putInPlace()).rejects.toThrow('killed');
    expect(await suite.store.client.exists(`gr:{${guild}}:stats`)).toBe(0);
    await suite.store.client.del(`gr:{${guild}}:next:xp:lock`);
    const next = await StagedMembers.lock(suite.store, guild);
    await next.stage(records('new', 2, 10));
    await swap(next);
    expect(await exact(guild)).toBe(true);
  });

  it('a replacement whose staged members a failover lost is refused, and the guild stays as it is', async () => {
    const guild = suite.newGuild();
    await suite.store.writer.recordMany(guild, records('old', 3, 10));
    const staged = await StagedMembers.lock(suite.store, guild);
    await staged.stage(records('new', 3, 10));
    await suite.store.client.zrem(`gr:{${guild}}:next:xp`, 'new1');
    await expect(staged.putInPlace()).rejects.toMatchObject({ code: 'staged' });
    await suite.store.client.del(`gr:{${guild}}:next:xp`, `gr:{${guild}}:next:stats`);
    await expect(staged.putInPlace()).rejects.toMatchObject({ code: 'staged' });
    await staged.end();
    expect([...(await ranking(guild)).keys()]).toEqual(['old0', 'old1', 'old2']);
    expect(await suite.store.client.keys(`gr:{${guild}}:next:*`)).toEqual([]);
  });

  it('a replacement ends with the members of the file and what the bot writes after its moment, whatever the bot did before', async () => {
    // Writes of the bot between the steps: user id, and XP to add; 0 = remove.
    const write = fc.tuple(
      fc.constantFrom('old0', 'old1', 'new0', 'new1', 'both0', 'hidden0', 'hidden1', 'bot0'),
      fc.integer({ min: 0, max: 3 }),
    );
    const place = fc.tuple(
      fc.constantFrom('old0', 'both0', 'both1', 'hidden0'),
      fc.constantFrom('hide', 'unhide'),
      fc.constantFrom(...HIDE_REASONS),
    );
    const calls = fc.array(fc.oneof(write, place), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(fc.array(calls, { maxLength: 7 }), fc.boolean(), async (writes, fileHides) => {
        const guild = suite.newGuild();
        const { writer, client } = suite.store;
        await writer.recordMany(guild, [
          ...records('old', 3, 10),
          ...records('both', 2, 20),
          ...records('hidden', 2, 30),
        ]);
        await writer.hide(guild, ['hidden0', 'hidden1', 'old2']);
        await writer.hide(guild, ['hidden1'], { reason: 'self' });
        const bot = async () => {
          for (const [userId, what, reason] of writes.shift() ?? []) {
            if (what === 'hide' || what === 'unhide')
              await writer[what](guild, [userId], { ...(reason && { reason }) });
            else if (what === 0) await writer.remove(guild, [userId]);
            else await writer.record(guild, { userId, add: Number(what) });
          }
        };
        let before = await hiddenMembers(guild);
        const beside = suite.beside(async ({ name }) => {
          if (!name.startsWith('replace-') || name === 'replace-end' || name === 'replace-clear') return;
          await bot();
          before = await hiddenMembers(guild);
        });
        const staged = await StagedMembers.lock(beside, guild);
        await bot();
        await staged.stage([...records('new', 2, 1000), ...records('both', 2, 2000)]);
        await bot();
        // Another row of the file hides this member.
        if (fileHides)
          await staged.stage([{ ...records('both', 2, 2000)[1], hidden: true, hiddenReasons: ['left'] } as FileRecord]);
        await staged.stage([{ ...records('hidden', 1, 3000)[0], level: 9 } as XpRecord]);
        await bot();

        await staged.putInPlace();
        const { hidden, profiles, reasons } = before;
        if (fileHides) {
          const own = hidden.has('both1') ? (reasons.both1 ?? 'moderator') : '';
          reasons.both1 = reasonsIn(`left ${own}`).join(' ');
          hidden.set('both1', 2001);
        }
        const expected = new Map<string, number>();
        const names: Record<string, string | undefined> = Object.fromEntries(
          [...hidden.keys()].flatMap((userId) => (profiles[userId] ? [[userId, profiles[userId]]] : [])),
        );
        const file = [...records('new', 2, 1000), ...records('both', 2, 2000), ...records('hidden', 1, 3000)];
        for (const { userId, set, username } of file) {
          (hidden.has(userId) ? hidden : expected).set(userId, Number(set));
          names[userId] = userId === 'hidden0' ? '9 0 - hidden 0' : `- 0 - ${username}`;
        }
        expect(await places(guild, 'xp')).toEqual(expected);
        expect(await places(guild, 'hidden')).toEqual(hidden);
        expect(await client.hgetall(`gr:{${guild}}:hidden:reasons`)).toEqual(reasons);
        expect(await client.hgetall(`gr:{${guild}}:members`)).toEqual(names);
        expect(await exact(guild)).toBe(true);
        await bot();
        await staged.end();
        expect(await exact(guild)).toBe(true);
        expect(await client.keys(`gr:{${guild}}:next:*`)).toEqual([]);
      }),
      { numRuns: randomRuns(isReal ? 300 : 12) },
    );
  });

  it('a replacement takes the curve that the members were staged with, and counts their levels on it', async () => {
    const guild = suite.newGuild();
    await suite.store.guildConfig.update(guild, { xpCurve: 'lurkr', plan: 'free' });
    await suite.store.writer.recordMany(guild, records('old', 5, 100_000));
    const staged = await StagedMembers.lock(suite.store, guild, [
      'xp_curve',
      'custom',
      'xp_curve_custom',
      '0,0,50,0,1,1',
    ]);
    await staged.stage([{ userId: 'a', set: 149 }]);
    expect(await suite.store.client.hget(`gr:{${guild}}:config`, 'xp_curve')).toBe('lurkr');
    await staged.putInPlace();
    expect(await suite.store.client.hgetall(`gr:{${guild}}:config`)).toEqual({
      xp_curve: 'custom',
      xp_curve_custom: '0,0,50,0,1,1',
      plan: 'free',
    });
    expect(await suite.store.counters.check(guild)).toMatchObject({ exact: true, actual: { levelSum: 2n } });
  });

  it('a replacement replaces profiles as a whole, and raises the revision', async () => {
    const guild = suite.newGuild();
    await suite.store.writer.record(guild, {
      userId: 'a',
      set: 1,
      username: 'old',
      level: 7,
      dailyStreak: 3,
    });
    const before = await suite.store.client.hget(`gr:{${guild}}:stats`, 'rev');
    const staged = await StagedMembers.lock(suite.store, guild);
    await staged.stage([{ userId: 'a', set: 500, username: 'new' }]);
    expect(await suite.store.client.hget(`gr:{${guild}}:stats`, 'rev')).toBe(before);
    await swap(staged);
    expect(await suite.store.client.hgetall(`gr:{${guild}}:members`)).toEqual({ a: '- 0 - new' });
    expect(await exact(guild)).toBe(true);
    expect(await suite.store.client.hget(`gr:{${guild}}:stats`, 'rev')).not.toBe(before);
  });

  it('a replacement that lost its lock to another replacement is refused at every step, and changes nothing', async () => {
    const guild = suite.newGuild();
    await suite.store.writer.recordMany(guild, records('old', 5, 10));
    const first = await StagedMembers.lock(suite.store, guild);
    await first.stage(records('first', 5, 100));
    // The lock ends while its owner is suspended.
    await suite.store.client.del(`gr:{${guild}}:next:xp:lock`);
    const second = await StagedMembers.lock(suite.store, guild);
    await second.stage(records('second', 5, 100));
    const refused = { code: 'lock' };
    const before = [await ranking(guild), await suite.store.client.zrange(`gr:{${guild}}:next:xp`, 0, -1)];
    await expect(first.stage(records('late', 1, 1))).rejects.toMatchObject(refused);
    await expect(first.putInPlace()).rejects.toMatchObject(refused);
    await expect(first.end()).rejects.toMatchObject(refused);
    await expect(first.renew()).rejects.toMatchObject(refused);
    expect([await ranking(guild), await suite.store.client.zrange(`gr:{${guild}}:next:xp`, 0, -1)]).toEqual(before);
    await swap(second);
    expect([...(await ranking(guild)).keys()].every((id) => id.startsWith('second'))).toBe(true);
    await expect(first.putInPlace()).rejects.toMatchObject(refused);
    expect(await exact(guild)).toBe(true);
  });

  it('a replacement is refused while another replacement holds the lock', async () => {
    const guild = suite.newGuild();
    await StagedMembers.lock(suite.store, guild);
    await expect(StagedMembers.lock(suite.store, guild)).rejects.toThrow(
      /^An import, a deletion or the end of a season is running for guild g\d+,/,
    );
  });

  it('a replacement is counted exactly while a count of the members runs', async () => {
    const guild = suite.newGuild();
    await suite.store.writer.recordMany(guild, records('old', 30, 10));
    const staged = await StagedMembers.lock(suite.store, guild);
    await staged.stage(records('new', 30, 15));
    const { GuildCounters } = await import('../../src/core/counters/counters.ts');
    let steps = 0;
    const store = suite.beside(async () => {
      if (++steps === 4) await staged.putInPlace();
    });
    expect(await new GuildCounters(store, 7).rebuild(guild)).toMatchObject({
      actual: { members: 30n, totalXp: 885n },
      exact: true,
    });
  });
});
