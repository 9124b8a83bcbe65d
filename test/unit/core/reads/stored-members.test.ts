import { expect, it } from 'vitest';
import { InvalidInputError } from '../../../../src/core/errors.ts';
import { StoredMembers, type StoredMembersAt } from '../../../../src/core/reads/stored-members.ts';
import { storeSuite } from '../../../support/store-suite.ts';
import { describeStores } from '../../../support/stores.ts';

describeStores('the stored members of a guild', (kind) => {
  const suite = storeSuite(kind);
  const revision = (guild: string) => suite.store.client.hget(`gr:{${guild}}:stats`, 'rev');
  const ANIMATED = 'a_0123456789abcdef0123456789abcdef';
  const withoutProfile = {
    hidden: false,
    hiddenReasons: [],
    username: null,
    level: null,
    dailyStreak: 0,
    lastDailyClaim: null,
    avatar: null,
  };
  const byModerator = { hidden: true, hiddenReasons: ['moderator'] };

  /** Makes a guild with a ranked and a hidden member. */
  const guildOfTwo = async (): Promise<string> => {
    const guild = suite.newGuild();
    await suite.store.writer.recordMany(guild, [
      { userId: 'ranked', set: 10 },
      { userId: 'hidden', set: 20, hidden: true },
    ]);
    return guild;
  };

  /** Reads all, with a write after the first step. Returns user id and place of each member as they come. */
  const readBeside = async (guild: string, write: () => Promise<unknown>): Promise<string[]> => {
    const steps: StoredMembersAt[] = [];
    for await (const step of suite.store.members.readAll(guild)) {
      if (steps.push(step) === 1) await write();
    }
    return steps.flatMap(({ members }) => members.map(({ userId, hidden }) => (hidden ? `!${userId}` : userId)));
  };

  it('members come in the order in which they are asked for, with their whole profiles, without users who are no members', async () => {
    const guild = suite.newGuild();
    await suite.store.writer.recordMany(guild, [
      {
        userId: 'a',
        set: Number.MAX_SAFE_INTEGER,
        username: 'Ann "Ä"\n\\',
        level: 0,
        dailyStreak: 0,
        lastDailyClaim: '2026-01-15T10:00:00+02:00',
        avatar: ANIMATED,
      },
      { userId: 'b', set: 0, hidden: true, level: 12, dailyStreak: 7 },
      { userId: 'c', set: 5 },
    ]);
    expect(await suite.store.members.read(guild, ['c', 'nobody', 'b', 'a'])).toEqual({
      revision: await revision(guild),
      curve: '',
      members: [
        { ...withoutProfile, userId: 'c', xp: 5 },
        { ...withoutProfile, userId: 'b', xp: 0, ...byModerator, level: 12, dailyStreak: 7 },
        {
          ...{ userId: 'a', xp: Number.MAX_SAFE_INTEGER, hidden: false, hiddenReasons: [], username: 'Ann "Ä"\n\\' },
          ...{ level: 0, dailyStreak: 0, lastDailyClaim: '2026-01-15T08:00:00.000Z', avatar: ANIMATED },
        },
      ],
    });
  });

  it('members are valid, whatever a raw writer left', async () => {
    const guild = suite.newGuild();
    await suite.store.client.zadd(`gr:{${guild}}:xp`, 12.7, 'a');
    const xp = { userId: 'a', xp: 12 };
    await suite.store.client.hset(`gr:{${guild}}:avatars`, 'a', 'x\ny');
    for (const [raw, member] of [
      ['- 3.5 yesterday', { ...withoutProfile, ...xp, dailyStreak: 3 }],
      ['x 3 - Ann', { ...withoutProfile, ...xp, dailyStreak: 3, username: 'Ann' }],
      ['Ann Lee of Berlin', { ...withoutProfile, ...xp }],
      ['7', { ...withoutProfile, ...xp }],
    ] as const) {
      await suite.store.client.hset(`gr:{${guild}}:members`, 'a', raw);
      expect(await suite.store.members.read(guild, ['a'])).toEqual({ revision: '', curve: '', members: [member] });
    }
  });

  it('members come with the curve of the guild as text', async () => {
    const guild = suite.newGuild();
    for (const xpCurve of ['amari', 'custom=0,0,50,0,1,1,9'] as const) {
      await suite.store.guildConfig.update(guild, { xpCurve });
      expect((await suite.store.members.read(guild, [])).curve).toBe(xpCurve);
    }
  });

  it('members are not read for a bad id', async () => {
    await expect(suite.store.members.read('a guild', [])).rejects.toThrow(InvalidInputError);
    await expect(suite.store.members.read('g', ['a user'])).rejects.toThrow(InvalidInputError);
  });

  it('all members are read, each once, in steps of one revision', async () => {
    const guild = await guildOfTwo();
    const ranked = Array.from({ length: 520 }, (_, n) => `u${n}`);
    await suite.store.client.zadd(`gr:{${guild}}:xp`, ...ranked.flatMap((userId, n) => [n, userId]));
    const steps: StoredMembersAt[] = [];
    for await (const step of suite.store.members.readAll(guild)) steps.push(step);
    const members = steps.flatMap((step) => step.members);
    expect(members.filter(({ hidden }) => hidden)).toEqual([
      { ...withoutProfile, userId: 'hidden', xp: 20, ...byModerator },
    ]);
    expect(members.map(({ userId }) => userId).sort()).toEqual(['hidden', 'ranked', ...ranked].sort());
    expect(Math.max(...steps.map((step) => step.members.length))).toBeLessThanOrEqual(250);
    expect(new Set(steps.map((step) => step.revision))).toEqual(new Set([await revision(guild)]));
    // One more step, so that a change after the last member is seen.
    expect(steps.filter((step) => step.members.length === 0)).toEqual([steps.at(-1)]);
  });

  it('a guild without members is read in one step without members', async () => {
    const guild = suite.newGuild();
    expect((await suite.store.members.readAll(guild).next()).value).toEqual({ revision: '', curve: '', members: [] });
    expect(await readBeside(guild, async () => {})).toEqual([]);
  });

  it('members that are hidden or put back meanwhile are not missed', async () => {
    const { writer } = suite.store;
    const first = await guildOfTwo();
    expect(await readBeside(first, () => writer.hide(first, ['ranked']))).toEqual(['!hidden', '!ranked']);
    const second = await guildOfTwo();
    expect(await readBeside(second, () => writer.unhide(second, ['hidden']))).toEqual(['!hidden', 'ranked']);
  });

  it('members that are hidden after they were read come again, with the later state last', async () => {
    const guild = suite.newGuild();
    await suite.store.writer.record(guild, { userId: 'a', set: 10 });
    expect(await readBeside(guild, () => suite.store.writer.hide(guild, ['a']))).toEqual(['a', '!a']);
  });

  it('members that vanish before their step are left out, and the steps differ in their revisions', async () => {
    const guild = await guildOfTwo();
    let removed = false;
    const store = suite.beside(async () => {
      if (!removed) await suite.store.writer.remove(guild, ['hidden']);
      removed = true;
    });
    const before = await revision(guild);
    const steps: StoredMembersAt[] = [];
    for await (const step of new StoredMembers(store).readAll(guild)) steps.push(step);
    expect(steps.flatMap(({ members }) => members.map(({ userId }) => userId))).toEqual(['ranked']);
    expect(steps.at(-1)?.revision).not.toBe(before);
  });
});
