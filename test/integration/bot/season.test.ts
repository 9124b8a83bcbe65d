import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openCore } from '../../../src/core/core.ts';
import type { ScriptClient } from '../../../src/core/store/scripts.ts';
import { createReader } from '../../../src/kit/reader.ts';
import { createWriter } from '../../../src/kit/writer.ts';
import { needs } from '../../support/needs.ts';
import { scriptOf } from '../../support/script-digests.ts';
import { realStore, type TestStore } from '../../support/stores.ts';

const ARCHIVE = 'g.2026-s1';
/** Why d is hidden. */
const BOTH = { d: 'left moderator' };

/** Returns a client that fails after a number of commands, as if the bot had been killed. */
function failingAfter(client: ScriptClient, commands: number): ScriptClient {
  let left = commands;
  const guard = <T>(run: () => Promise<T>) => (left-- > 0 ? run() : Promise.reject(new Error('killed')));
  return {
    evalsha: (...args) => guard(() => client.evalsha(...args)),
    eval: (...args) => client.eval(...args),
  };
}

describe('seasons that end', needs('redis-server'), () => {
  const kind = realStore;
  let store: TestStore;
  beforeAll(async () => {
    store = await kind.start();
  });
  afterAll(() => store.stop());
  beforeEach(() => store.empty());

  const writer = () => createWriter(store.client);
  const content = async (guild: string) => {
    const { client } = store;
    const ranked = await client.zrevrange(`gr:{${guild}}:xp`, 0, -1, 'WITHSCORES');
    const hidden = await client.zrevrange(`gr:{${guild}}:hidden`, 0, -1, 'WITHSCORES');
    expect((await openCore(client, 'gr').counters.check(guild)).exact).toBe(true);
    const reasons = await client.hgetall(`gr:{${guild}}:hidden:reasons`);
    // A member that is not hidden has none.
    for (const id of Object.keys(reasons)) expect(hidden).toContain(id);
    return { ranked, hidden, reasons };
  };
  const fill = async () => {
    const { guildConfig } = openCore(store.client, 'gr');
    await guildConfig.update('g', { xpCurve: 'custom=0,0,50,0,1,1', xpMultiplier: 2 });
    await writer().recordMany('g', [
      { userId: 'a', set: 300, username: 'Ann\n', level: 9, dailyStreak: 4, lastDailyClaim: new Date(0) },
      { userId: 'b', set: 200 },
      { userId: 'c', set: 0 },
      { userId: 'd', set: 100, username: 'Dee' },
    ]);
    await writer().hide('g', ['d']);
    await writer().hide('g', ['d'], { reason: 'left' });
  };

  it('the end of a season names the member whose stored name is too long, and goes on once the name is corrected', async () => {
    await fill();
    await store.client.hset('gr:{g}:members', 'b', `- 0 - ${'x'.repeat(513)}`);
    const refusal = 'Member b of guild g has a name above 512 bytes: correct the profile with HSET';
    await expect(writer().resetSeason('g', { archiveAs: ARCHIVE })).rejects.toThrow(refusal);
    await store.client.hset('gr:{g}:members', 'b', '- 0 - x');
    expect(await writer().resetSeason('g', { archiveAs: ARCHIVE })).toEqual({ archived: 4, reset: 4 });
  });

  it('the end of a season copies all members with their profiles, and starts them at 0', async () => {
    await fill();
    expect(await writer().resetSeason('g', { archiveAs: ARCHIVE })).toEqual({ archived: 4, reset: 4 });
    expect(await content(ARCHIVE)).toEqual({
      ranked: ['a', '300', 'b', '200', 'c', '0'],
      hidden: ['d', '100'],
      reasons: BOTH,
    });
    expect(await content('g')).toEqual({ ranked: ['c', '0', 'b', '0', 'a', '0'], hidden: ['d', '0'], reasons: BOTH });
    const reader = createReader(store.client);
    expect(await reader.member(ARCHIVE, 'a')).toEqual({
      ...{ userId: 'a', username: 'Ann\n', level: 9, xp: 300, rank: 1 },
      ...{ dailyStreak: 4, lastDailyClaim: '1970-01-01T00:00:00.000Z' },
    });
    expect(await reader.member(ARCHIVE, 'b')).toMatchObject({ level: 4 });
    expect(await reader.member('g', 'a')).toMatchObject({ username: 'Ann\n', level: 0, xp: 0, dailyStreak: 4 });
    expect(await reader.stats(ARCHIVE)).toMatchObject({ xpCurve: 'custom', xpMultiplier: 2, totalXp: 500n });
    expect(await store.client.exists('gr:{g}:season:xp', 'gr:{g}:next:xp:lock', `gr:{${ARCHIVE}}:next:xp:lock`)).toBe(
      0,
    );
  });

  it('an archive gets the name of its guild, and the icon if its id begins with the id of the guild, and keeps both', async () => {
    const icon = '0123456789abcdef0123456789abcdef';
    const role = { id: '11', name: 'Regular', color: 0, position: 1 };
    await fill();
    await writer().describeGuild('g', { name: 'Quiet Hours', icon, roles: [role] });
    const aboutOf = (guild: string) => store.client.hgetall(`gr:{${guild}}:about`);
    await writer().resetSeason('g', { archiveAs: ARCHIVE });
    await writer().describeGuild('g', { name: 'Loud Hours', icon: null });
    await writer().resetSeason('g', { archiveAs: 'other' });
    await writer().resetSeason('g', { archiveAs: 'other' });
    expect(await aboutOf(ARCHIVE)).toEqual({ name: 'Quiet Hours', icon });
    expect(await aboutOf('other')).toEqual({ name: 'Loud Hours' });
    await writer().describeGuild('g', { name: 'Late Hours', icon });
    await writer().resetSeason('g', { archiveAs: 'third' });
    expect(await aboutOf('third')).toEqual({ name: 'Late Hours' });
  });

  it('the end of a season removes the members on request', async () => {
    await fill();
    await writer().record('g', { userId: 'e', set: 50 });
    await writer().hide('g', ['e'], { reason: 'left' });
    expect(await writer().resetSeason('g', { archiveAs: ARCHIVE, keepMembers: false })).toEqual({
      archived: 5,
      reset: 5,
    });
    expect(await content('g')).toEqual({ ranked: [], hidden: ['d', '0'], reasons: { d: 'left moderator' } });
    expect(await store.client.hkeys('gr:{g}:members')).toEqual(['d']);
  });

  it('the end of a season shows no member who opted out, whatever is removed', async () => {
    await fill();
    await writer().hide('g', ['a'], { reason: 'self' });
    await writer().resetSeason('g', { archiveAs: ARCHIVE, keepMembers: false });
    await writer().award('g', { userId: 'a', amount: 5 });
    const { ranked, hidden, reasons } = await content('g');
    expect([ranked, hidden, reasons.a]).toEqual([[], ['a', '10', 'd', '0'], 'self']);
  });

  it('the end of a season does nothing when it is called again, and ends the next season in another archive only', async () => {
    await fill();
    await writer().resetSeason('g', { archiveAs: ARCHIVE });
    await writer().record('g', { userId: 'a', add: 7 });
    expect(await writer().resetSeason('g', { archiveAs: ARCHIVE })).toEqual({ archived: 0, reset: 0 });
    expect((await content('g')).ranked.slice(0, 2)).toEqual(['a', '7']);
    await writer().resetSeason('g', { archiveAs: 'g.2026-s2' });
    expect((await content('g.2026-s2')).ranked.slice(0, 2)).toEqual(['a', '7']);
    await expect(writer().resetSeason('g', { archiveAs: ARCHIVE })).rejects.toThrow(`${ARCHIVE} already has data`);
    await expect(writer().resetSeason('g', { archiveAs: 'g' })).rejects.toThrow(
      'archiveAs must differ from the id of the guild',
    );
    await expect(writer().resetSeason('g', { archiveAs: 'a b' })).rejects.toThrow('The guild id "a b"');
  });

  it.each([true, false])(
    'the end of a season goes on after a kill at any of its commands, and loses no XP that a bot adds, with keepMembers: %s',
    async (keepMembers) => {
      const options = { archiveAs: ARCHIVE, keepMembers };
      for (let commands = 1; ; commands++) {
        await store.empty();
        await fill();
        const killed = createWriter(failingAfter(store.client, commands)).resetSeason('g', options);
        const ended = await killed.then(() => true).catch(() => false);
        await writer().award('g', { userId: 'b', amount: 5 });
        await writer().record('g', { userId: 'new', add: 1 });
        if (!ended) {
          const other = writer().resetSeason('g', { archiveAs: 'g.other' });
          await expect(other).rejects.toThrow(/is not finished|is running/);
        }
        // They would expire after ten seconds.
        await store.client.del('gr:{g}:next:xp:lock', `gr:{${ARCHIVE}}:next:xp:lock`);
        await writer().resetSeason('g', options);
        const now = await content('g');
        const old = await content(ARCHIVE);
        const sum = async (userId: string) =>
          Number((await store.client.zscore('gr:{g}:xp', userId)) ?? 0) +
          Number((await store.client.zscore(`gr:{${ARCHIVE}}:xp`, userId)) ?? 0);
        expect([await sum('a'), await sum('b'), await sum('new')]).toEqual([300, 210, 1]);
        expect(old.hidden).toEqual(['d', '100']);
        expect(now.hidden).toEqual(['d', '0']);
        if (ended) {
          expect(commands).toBeGreaterThan(10);
          break;
        }
      }
    },
  );

  it('the end of a season copies members again who changed their place after a kill, and shows their new place in the archive', async () => {
    for (let commands = 1; ; commands++) {
      await store.empty();
      await fill();
      const killed = createWriter(failingAfter(store.client, commands)).resetSeason('g', { archiveAs: ARCHIVE });
      const ended = await killed.then(() => true).catch(() => false);
      const isCopied = (await store.client.hget('gr:{g}:season', 'phase')) !== 'copy';
      await writer().unhide('g', ['d']);
      await writer().unhide('g', ['d'], { reason: 'left' });
      await writer().hide('g', ['a'], { reason: 'self' });
      await store.client.del('gr:{g}:next:xp:lock', `gr:{${ARCHIVE}}:next:xp:lock`);
      await writer().resetSeason('g', { archiveAs: ARCHIVE });
      expect(await content(ARCHIVE)).toEqual(
        isCopied
          ? { ranked: ['a', '300', 'b', '200', 'c', '0'], hidden: ['d', '100'], reasons: BOTH }
          : { ranked: ['b', '200', 'd', '100', 'c', '0'], hidden: ['a', '300'], reasons: { a: 'self' } },
      );
      if (ended) {
        expect(commands).toBeGreaterThan(10);
        break;
      }
    }
  });

  /** Returns a client that calls `before` with the name of each script, and with the place of a "season-mark". */
  const watched = (before: (script: string | undefined, place: string) => Promise<unknown>): ScriptClient => ({
    evalsha: async (...args) => {
      await before(scriptOf(args[0]), String(args[5 + args[1]]));
      return store.client.evalsha(...args);
    },
    eval: store.client.eval.bind(store.client),
  });
  const killedAt = (script: string) => watched(async (each) => each === script && Promise.reject(new Error('killed')));

  it('the end of a season copies members that a killed call has marked, even if they escape each reading of the places', async () => {
    await writer().recordMany('g', [
      { userId: 'a', set: 300 },
      { userId: 'b', set: 200 },
    ]);
    let stages = 0;
    const killed: ScriptClient = {
      evalsha: async (...args) => {
        if (scriptOf(args[0]) === 'stage' && ++stages === 1) throw new Error('killed');
        return store.client.evalsha(...args);
      },
      eval: store.client.eval.bind(store.client),
    };
    await expect(createWriter(killed).resetSeason('g', { archiveAs: ARCHIVE })).rejects.toThrow(
      'The store did not answer',
    );
    const elusive = watched(async (script, place) => {
      if (script === 'season-mark' && place === 'ranked') await writer().hide('g', ['a'], { reason: 'left' });
      if (script === 'season-mark' && place === 'hidden') await writer().unhide('g', ['a'], { reason: 'left' });
    });
    await createWriter(elusive).resetSeason('g', { archiveAs: ARCHIVE });
    expect((await content(ARCHIVE)).ranked).toEqual(['a', '300', 'b', '200']);
    expect((await content('g')).ranked).toEqual(['b', '0', 'a', '0']);
  });

  it.each(['season-end-copy', 'season-reset'])(
    'the end of a season keeps the curve of the archive when it changes after a kill at %s',
    async (script) => {
      await fill();
      await expect(createWriter(killedAt(script)).resetSeason('g', { archiveAs: ARCHIVE })).rejects.toThrow(
        'The store did not answer',
      );
      const { guildConfig } = openCore(store.client, 'gr');
      await guildConfig.update('g', { xpCurve: 'lurkr' });
      await writer().resetSeason('g', { archiveAs: ARCHIVE });
      await content(ARCHIVE);
      expect(await createReader(store.client).stats(ARCHIVE)).toMatchObject({ xpCurve: 'custom' });
      expect(await createReader(store.client).member(ARCHIVE, 'b')).toMatchObject({ level: 4 });
    },
  );

  it('the end of a season gives the archive the curve of the guild, whatever it has before', async () => {
    await store.client.hset(`gr:{${ARCHIVE}}:config`, { xp_curve: 'lurkr', plan: 'free' });
    await writer().record('g', { userId: 'a', set: 4675 });
    const { level } = (await createReader(store.client).member('g', 'a')) ?? {};
    await writer().resetSeason('g', { archiveAs: ARCHIVE });
    expect(await createReader(store.client).member(ARCHIVE, 'a')).toMatchObject({ level });
    expect(await store.client.hgetall(`gr:{${ARCHIVE}}:config`)).toEqual({ xp_curve: 'standard', plan: 'free' });
  });

  it('the end of a season tells how many members it has copied, when an earlier call was killed while it marked them', async () => {
    await writer().recordMany(
      'g',
      Array.from({ length: 1000 }, (_, n) => ({ userId: `m${n}`, set: n })),
    );
    await writer().hide('g', ['m1', 'm2']);
    let marks = 0;
    const killed = watched(async (script) => {
      if (script === 'season-mark' && ++marks === 5) throw new Error('killed');
    });
    await expect(createWriter(killed).resetSeason('g', { archiveAs: ARCHIVE })).rejects.toThrow();
    expect(await store.client.zcard('gr:{g}:season:xp')).toBeGreaterThan(100);
    expect(await writer().resetSeason('g', { archiveAs: ARCHIVE })).toEqual({ archived: 1000, reset: 1000 });
  });

  it('the end of a season keeps the lock of the archive while it copies nobody', async () => {
    const members = Array.from({ length: 2000 }, (_, n) => ({ userId: `m${n}`, set: n }));
    await writer().recordMany('g', members);
    const lock = `gr:{${ARCHIVE}}:next:xp:lock`;
    let marks = 0;
    const slow = watched(async (script) => {
      if (script === 'season-end-copy' && marks < 50) await writer().record('g', { userId: 'late', set: 5 });
      if (script !== 'season-mark') return;
      marks++;
      // As if each step took two seconds.
      const left = (await store.client.pttl(lock)) - 2000;
      await (left > 0 ? store.client.pexpire(lock, left) : store.client.del(lock));
    });
    await createWriter(slow).resetSeason('g', { archiveAs: ARCHIVE });
    expect(marks).toBeGreaterThan(40);
    expect((await content(ARCHIVE)).ranked).toContain('late');
  });

  it('the end of a season may get another archive, or other arguments, before it has copied anybody', async () => {
    await fill();
    await writer().record('full', { userId: 'a', set: 1 });
    await expect(writer().resetSeason('g', { archiveAs: 'full' })).rejects.toThrow('full already has data');
    await expect(createWriter(killedAt('season-mark')).resetSeason('g', { archiveAs: 'g.typo' })).rejects.toThrow(
      'The store did not answer',
    );
    expect(await writer().resetSeason('g', { archiveAs: ARCHIVE, keepMembers: false })).toMatchObject({ archived: 4 });
    expect((await content(ARCHIVE)).ranked).toEqual(['a', '300', 'b', '200', 'c', '0']);
    expect((await content('full')).ranked).toEqual(['a', '1']);
  });

  it('the end of a season of a guild without members leaves its archive to another guild', async () => {
    expect(await writer().resetSeason('typo', { archiveAs: ARCHIVE })).toEqual({ archived: 0, reset: 0 });
    await fill();
    expect(await writer().resetSeason('g', { archiveAs: ARCHIVE })).toEqual({ archived: 4, reset: 4 });
  });

  it('the end of a season names a member whose user id is not valid', async () => {
    await fill();
    await store.client.zadd('gr:{g}:xp', 5, 'a b');
    const refused = writer().resetSeason('g', { archiveAs: ARCHIVE });
    await expect(refused).rejects.toThrow('"a b" in gr:{g}:xp is not a user id: remove it with ZREM');
    await store.client.zrem('gr:{g}:xp', 'a b');
    expect(await writer().resetSeason('g', { archiveAs: ARCHIVE })).toEqual({ archived: 4, reset: 4 });
  });

  it('the end of a season is refused while another call has the lock, and so are the steps of a suspended call', async () => {
    const { client } = store;
    for (let last = 2; ; last++) {
      await store.empty();
      await fill();
      let suspended: (() => void) | undefined;
      let calls = 0;
      let script: string | undefined;
      const slow: ScriptClient = {
        evalsha: async (...args) => {
          if (++calls === last) {
            script = scriptOf(args[0]);
            await new Promise<void>((resolve) => (suspended = resolve));
          }
          return client.evalsha(...args);
        },
        eval: client.eval.bind(client),
      };
      const first = createWriter(slow).resetSeason('g', { archiveAs: ARCHIVE });
      const outcome = first.catch((error: unknown) => error);
      await expect.poll(() => suspended).toBeDefined();
      if (script === 'season-unlock') {
        suspended?.();
        expect(await outcome).toEqual({ archived: 4, reset: 4 });
        expect(last).toBeGreaterThan(10);
        break;
      }
      await expect(writer().resetSeason('g', { archiveAs: ARCHIVE })).rejects.toThrow('is running');
      await client.del('gr:{g}:next:xp:lock', `gr:{${ARCHIVE}}:next:xp:lock`);
      await writer().resetSeason('g', { archiveAs: ARCHIVE });
      await writer().record('g', { userId: 'a', add: 7 });
      await writer().unhide(ARCHIVE, ['d']);
      await writer().unhide(ARCHIVE, ['d'], { reason: 'left' });
      suspended?.();
      expect(await outcome).toMatchObject({ code: 'lock' });
      expect((await content('g')).ranked.slice(0, 2)).toEqual(['a', '7']);
      expect(await content(ARCHIVE)).toEqual({
        ranked: ['a', '300', 'b', '200', 'd', '100', 'c', '0'],
        hidden: [],
        reasons: {},
      });
    }
  });

  it('the end of a season stops on a signal beside a bot that writes, and the next call ends it exactly', async () => {
    const members = Array.from({ length: 2000 }, (_, n) => ({ userId: `m${n}`, set: n }));
    await writer().recordMany('g', members);
    const stop = new AbortController();
    const running = writer().resetSeason('g', { archiveAs: ARCHIVE, signal: stop.signal });
    const outcome = running.catch((error: unknown) => error);
    await Promise.all(Array.from({ length: 300 }, (_, n) => writer().award('g', { userId: `m${n}`, amount: 3 })));
    stop.abort();
    await outcome;
    await Promise.all([
      writer().resetSeason('g', { archiveAs: ARCHIVE }),
      ...Array.from({ length: 300 }, (_, n) => writer().award('g', { userId: `m${n}`, amount: 2 })),
    ]);
    const total = async (guild: string) => (await createReader(store.client).stats(guild)).totalXp;
    expect((await total('g')) + (await total(ARCHIVE))).toBe(BigInt((1999 * 2000) / 2 + 300 * 5));
    await content('g');
    await content(ARCHIVE);
  });
});
