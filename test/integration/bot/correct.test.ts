import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Core, openCore } from '../../../src/core/core.ts';
import { deleteGuild } from '../../../src/core/guilds/delete.ts';
import {
  type Correction,
  correctMember,
  correctMembers,
  readCorrection,
  undoCorrection,
  type XpCorrection,
} from '../../../src/core/members/correct.ts';
import { MAX_XP } from '../../../src/core/ranking/curves.ts';
import { configureScript } from '../../../src/core/settings/guild-config.ts';
import { BOARDS } from '../../../src/core/store/redis-keys.ts';
import { Scripts } from '../../../src/core/store/scripts.ts';
import { createReader } from '../../../src/kit/reader.ts';
import { createWriter, type XpRecord } from '../../../src/kit/writer.ts';
import { CorrectionsModel } from '../../model/corrections-model.ts';
import { clocked } from '../../support/clocked.ts';
import { describeStores, realStore, type TestStore } from '../../support/stores.ts';
import { randomRuns } from '../../support/variants.ts';

describeStores('corrections of members', (kind) => {
  let store: TestStore;
  let core: Core;
  let guilds = 0;
  let guild = '';
  beforeAll(async () => {
    store = await kind.start();
    core = openCore(store.client, 'gr');
  });
  afterAll(() => store.stop());

  const begin = async (...members: XpRecord[]) => {
    guild = `g${guilds++}`;
    await core.writer.recordMany(guild, members);
  };
  const correct = (id: string, correction: Correction) => correctMember(core, guild, id, correction);
  const undo = (id: string) => undoCorrection(core, guild, id);
  const member = async (userId = 'a') => (await core.members.read(guild, [userId])).members[0];
  const gain = (add: number) => core.writer.record(guild, { userId: 'a', add });

  it('a correction tells what the member had before and has after it, and is kept for a day', async () => {
    await begin({ userId: 'a', set: 100, username: 'Ann', level: 3, dailyStreak: 4 });
    const result = await correct('c', { userId: 'a', xp: { add: 155 }, level: null, username: 'Anne' });
    expect(result).toEqual({
      ...{ userId: 'a', hidden: false, xpBefore: 100, levelBefore: 3, xp: 255, level: 2 },
      explicitLevel: { before: 3, after: null },
      username: { before: 'Ann', after: 'Anne' },
    });
    expect(await readCorrection(core, guild, 'c')).toEqual({ corrected: result, undone: null });
    expect(await member()).toMatchObject({ xp: 255, username: 'Anne', level: null, dailyStreak: 4 });
    expect(await store.client.pttl(`gr:{${guild}}:event:c`)).toBeGreaterThan(86_000_000);
  });

  it('an undo takes the difference back, and leaves the XP that was earned meanwhile', async () => {
    await begin({ userId: 'a', set: 100 });
    for (const [id, xp, after, undone] of [
      ['add', { add: 500 }, 600, 107],
      ['take', { take: 50 }, 50, 107],
      ['set', { set: 9000 }, 9000, 107],
      ['down', { set: 3 }, 3, 107],
      ['all', { take: 5000 }, 0, 107],
    ] as const) {
      await core.writer.record(guild, { userId: 'a', set: 100 });
      expect(await correct(id, { userId: 'a', xp })).toMatchObject({ xpBefore: 100, xp: after });
      await gain(7);
      expect(await undo(id)).toMatchObject({ xpBefore: after + 7, xp: undone, explicitLevel: 'unchanged' });
      expect((await member())?.xp).toBe(undone);
    }
  });

  it('a correction is done once, undone once, and refused for other values with the same id', async () => {
    await begin({ userId: 'a', set: 100 });
    const results = await Promise.all([1, 2].map(() => correct('c', { userId: 'a', xp: { add: 5 } })));
    expect(results[0]).toEqual(results[1]);
    expect((await member())?.xp).toBe(105);
    await expect(correct('c', { userId: 'a', xp: { add: 6 } })).rejects.toMatchObject({ code: 'event' });
    const undone = await Promise.all([undo('c'), undo('c'), undo('c')]);
    expect(new Set(undone.map((each) => JSON.stringify(each))).size).toBe(1);
    expect((await member())?.xp).toBe(100);
    expect((await readCorrection(core, guild, 'c')).undone).toEqual(undone[0]);
    // A repeat of the form does not bring it back.
    await correct('c', { userId: 'a', xp: { add: 5 } });
    expect((await member())?.xp).toBe(100);
  });

  it('an undo gives the earlier level and name back only if they are still what the correction made of them', async () => {
    await begin({ userId: 'a', set: 0, username: 'Ann', level: 3 });
    await correct('kept', { userId: 'a', level: 9, username: null });
    expect(await undo('kept')).toMatchObject({ levelBefore: 9, level: 3, explicitLevel: 'back', username: 'back' });
    expect(await member()).toMatchObject({ username: 'Ann', level: 3 });
    await correct('other', { userId: 'a', level: null, username: 'Anne' });
    await core.writer.setProfiles(guild, [{ userId: 'a', username: 'Annie', level: 4 }]);
    expect(await undo('other')).toMatchObject({ explicitLevel: 'left', username: 'left' });
    expect(await member()).toMatchObject({ username: 'Annie', level: 4 });
  });

  it('an undo gives any name back', async () => {
    for (const username of ['repeated', 'two\nlines', '\\n', '\\\\n\n', '%0A ', ' ', 'é'.repeat(256)]) {
      await begin({ userId: 'a', set: 5, username });
      expect((await correct('c', { userId: 'a', username: 'other' }))?.username.before).toBe(username);
      expect((await readCorrection(core, guild, 'c')).corrected?.username).toEqual({
        before: username,
        after: 'other',
      });
      await undo('c');
      expect((await member())?.username).toBe(username);
    }
  });

  it('an undo takes as much XP as the member still has', async () => {
    await begin({ userId: 'a', set: 10 });
    await correct('c', { userId: 'a', xp: { add: 50 } });
    await core.writer.record(guild, { userId: 'a', add: -45 });
    expect(await undo('c')).toMatchObject({ xpBefore: 15, xp: 0 });
  });

  it('a correction reaches hidden members, and finds them ranked or hidden at its undo', async () => {
    await begin({ userId: 'a', set: 10 }, { userId: 'b', set: 10 });
    await core.writer.hide(guild, ['a']);
    expect(await correct('a', { userId: 'a', xp: { set: 300 }, level: 8 })).toMatchObject({ hidden: true, xp: 300 });
    await correct('b', { userId: 'b', xp: { set: 300 }, level: 8 });
    await core.writer.unhide(guild, ['a']);
    await core.writer.hide(guild, ['b']);
    for (const id of ['a', 'b']) {
      await undo(id);
      expect(await member(id)).toMatchObject({ xp: 10, level: null, hidden: id === 'b' });
    }
    expect((await core.counters.check(guild)).exact).toBe(true);
  });

  it('a correction changes nothing of users who are no members, and cannot be undone when the member is gone', async () => {
    await begin({ userId: 'a', set: 10 });
    expect(await correct('none', { userId: 'x', xp: { add: 5 } })).toBeNull();
    expect(await readCorrection(core, guild, 'none')).toEqual({ corrected: null, undone: null });
    expect([await undo('none'), await undo('unknown')]).toEqual(['gone', 'gone']);
    await correct('c', { userId: 'a', xp: { add: 5 } });
    await core.writer.remove(guild, ['a']);
    expect(await undo('c')).toBe('missing');
    expect(await member()).toBeUndefined();
    await deleteGuild(core, guild);
    expect(await undo('c')).toBe('missing');
  });

  it('a correction is no event of a bot, and no bot undoes it by an event of its own', async () => {
    await begin({ userId: 'a', set: 10 });
    await createWriter(store.client).award(guild, { userId: 'a', amount: 5, eventId: 'message' });
    expect(await readCorrection(core, guild, 'message')).toEqual({ corrected: null, undone: null });
    expect(await undo('message')).toBe('gone');
    await expect(correct('message', { userId: 'a', xp: { add: 5 } })).rejects.toMatchObject({ code: 'event' });
  });

  it('a correction is refused above the range of XP, and so is its undo', async () => {
    await begin({ userId: 'a', set: MAX_XP - 1 });
    await expect(correct('over', { userId: 'a', xp: { add: 2 } })).rejects.toMatchObject({ code: 'range' });
    for (const [id, xp] of [
      ['take', { take: 50 }],
      ['set', { set: 5 }],
    ] as const) {
      await core.writer.record(guild, { userId: 'a', set: 100 });
      await correct(id, { userId: 'a', xp });
      await core.writer.record(guild, { userId: 'a', set: MAX_XP });
      await expect(undo(id)).rejects.toMatchObject({ code: 'range' });
    }
    await expect(correct('x y', { userId: 'a' })).rejects.toThrow('id of a correction');
    await expect(correct('c', { userId: 'a', xp: { take: -1 } })).rejects.toThrow('take must be a whole number');
  });

  // The end of a season lists members in steps, and ioredis-mock does not.
  if (kind === realStore) {
    it('a correction cannot be undone after the end of a season, which began all XP anew', async () => {
      await begin({ userId: 'a', set: 10 });
      await correct('c', { userId: 'a', xp: { add: 5 } });
      await core.writer.resetSeason(guild, { archiveAs: `${guild}.s` });
      await gain(3);
      expect(await undo('c')).toBe('season');
      expect((await member())?.xp).toBe(3);
      await correct('next', { userId: 'a', xp: { add: 5 } });
      expect(await undo('next')).toMatchObject({ xp: 3 });
    });
  }

  it('a correction counts on the boards for XP that is added or taken, and not for XP that is set', async () => {
    guild = `g${guilds++}`;
    await core.guildConfig.update(guild, { boards: ['week'] });
    const writer = createWriter(store.client);
    await writer.award(guild, { userId: 'a', amount: 100 });
    const gained = async () => (await createReader(store.client).member(guild, 'a', { board: 'week' }))?.xp;
    for (const [id, xp, after] of [
      ['add', { add: 20 }, 120],
      ['take', { take: 30 }, 70],
      ['set', { set: 9000 }, 100],
    ] as const) {
      await correct(id, { userId: 'a', xp });
      expect(await gained()).toBe(after);
      await undo(id);
      expect(await gained()).toBe(100);
    }
  });

  it('a list of corrections is done in calls of 200, each once, and passes over users who are no members', async () => {
    const ids = Array.from({ length: 401 }, (_, n) => `u${n}`);
    await begin(...ids.slice(1).map((userId) => ({ userId, set: 10 })));
    const list = ids.map((userId, n) => ({
      userId,
      xp: n % 2 ? { add: 5 } : { take: 3 },
      level: n === 7 ? 9 : undefined,
    }));
    const done: number[] = [];
    for (const _ of [1, 2]) {
      expect(await correctMembers(core, guild, 'list', list, (n) => done.push(n))).toBe(1);
    }
    expect(done).toEqual([200, 400, 401, 200, 400, 401]);
    expect([await member('u0'), (await member('u7'))?.level, (await member('u8'))?.xp]).toEqual([undefined, 9, 7]);
    expect((await createReader(store.client).stats(guild)).totalXp).toBe(200n * 15n + 200n * 7n);
    for (const key of await store.client.keys(`gr:{${guild}}:event*`)) {
      // Without digests, the mock keeps all arguments.
      if (kind === realStore) expect(await store.client.strlen(key)).toBeLessThan(200);
      expect(await store.client.pttl(key)).toBeLessThanOrEqual(3_600_000);
    }
  });

  it('corrections and undos leave the members of the model, whatever bots do between them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        guild = `g${guilds++}`;
        const model = new CorrectionsModel();
        const client = clocked(store.client, () => model.guild.nowMs);
        const timed = { scripts: new Scripts(client), redisKeys: core.redisKeys };
        const writer = createWriter(client);
        const config = { boards: 'week,month', utc_offset_minutes: '0' };
        await configureScript.run(timed.scripts, timed.redisKeys.guild(guild), config);
        for (const [index, each] of steps.entries()) {
          const { userId } = each;
          if (each.kind === 'award') {
            await writer.award(guild, { userId, amount: each.amount });
            model.guild.gain(userId, each.amount);
          } else if (each.kind === 'correct') {
            const { kind: _, ...correction } = each;
            const result = await correctMember(timed, guild, `c${index}`, correction);
            expect(result).toEqual(model.correct(`c${index}`, correction));
          } else if (each.kind === 'undo') {
            const id = `c${each.of}`;
            expect(await undoCorrection(timed, guild, id)).toEqual(model.undo(id));
          } else if (each.kind === 'rename') {
            const update = { userId, username: each.username, level: each.level };
            await writer.setProfiles(guild, [update]);
            model.guild.setProfiles([update]);
          } else if (each.kind === 'remove') {
            await writer.remove(guild, [userId]);
            model.guild.remove([userId]);
          } else {
            await writer[each.kind](guild, [userId]);
            model.guild.move([userId], each.kind);
          }
        }
        for (const [id, expected] of model.guild.members) {
          const { xp, level, username, hidden } = expected;
          expect(await member(id)).toMatchObject({ xp, level: level ?? null, username: username ?? null, hidden });
        }
        expect((await core.counters.check(guild)).exact).toBe(true);
        for (const board of BOARDS) {
          const { data } = await createReader(client).page(guild, 1, 50, { board });
          expect(data.map(({ userId, xp }) => [userId, xp])).toEqual(model.guild.board(board));
        }
      }),
      { numRuns: randomRuns(kind === realStore ? 300 : 12) },
    );
  });
});

const userId = fc.constantFrom('1', 'a', 'a-b');
const amount = fc.integer({ min: 0, max: 900 });
const level = fc.option(fc.integer({ min: 0, max: 60 }), { nil: null });
const username = fc.constantFrom('Ann', 'two\nlines', '\\', null);
const xp: fc.Arbitrary<XpCorrection> = fc.oneof(
  fc.record({ set: amount }),
  fc.record({ add: amount }),
  fc.record({ take: amount }),
);
const kindOf = <K extends string>(kind: K) => fc.constant(kind);

/** A call of a bot, a correction or an undo. A correction has the number of its step for an id. */
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: kindOf('award'), userId, amount }) },
  {
    weight: 6,
    arbitrary: fc.record(
      { kind: kindOf('correct'), userId, xp, level, username },
      { requiredKeys: ['kind', 'userId'] },
    ),
  },
  { weight: 6, arbitrary: fc.record({ kind: kindOf('undo'), userId, of: fc.nat({ max: 24 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: kindOf('rename'), userId, username, level }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('hide', 'unhide'), userId }) },
  { weight: 1, arbitrary: fc.record({ kind: kindOf('remove'), userId }) },
);
