import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { RefusedError } from '../../../src/core/errors.ts';
import { CommandBatcher } from '../../../src/core/reads/command-batcher.ts';
import { GuildNames } from '../../../src/core/reads/guild-names.ts';
import { NAME_LIMITS, NameSearch } from '../../../src/core/reads/name-search.ts';
import { membersScript } from '../../../src/core/reads/stored-members.ts';
import { scriptsOn } from '../../../src/core/store/bot-client.ts';
import { RedisKeys } from '../../../src/core/store/redis-keys.ts';
import type { ScriptClient } from '../../../src/core/store/scripts.ts';
import { createReader, InvalidInputError } from '../../../src/kit/reader.ts';
import { createWriter } from '../../../src/kit/writer.ts';
import { describeStores, realStore, type TestStore } from '../../support/stores.ts';
import { randomRuns } from '../../support/variants.ts';

describeStores('a search of members by name', (kind) => {
  let store: TestStore;
  let writer: ReturnType<typeof createWriter>;
  let now = 0;
  beforeAll(async () => {
    store = await kind.start();
    writer = createWriter(store.client);
  });
  afterAll(() => store?.stop());
  /** The arguments of each script that a search of `searchWith` has run. */
  const ran: string[] = [];
  beforeEach(() => {
    ran.length = 0;
    return store.empty();
  });

  const searchWith = (limits: Partial<typeof NAME_LIMITS> | Record<string, number> = {}) => {
    const { client } = store;
    const noting: ScriptClient = {
      eval: (...call) => client.eval(...call),
      evalsha: (sha, numberOfKeys, ...keysAndArguments) => {
        ran.push(keysAndArguments.slice(numberOfKeys).join(' '));
        return client.evalsha(sha, numberOfKeys, ...keysAndArguments);
      },
    };
    const scripts = scriptsOn(noting);
    const redisKeys = new RedisKeys('gr');
    const commands = new CommandBatcher(scripts, redisKeys);
    return new NameSearch({ scripts, redisKeys, commands }, () => now, { ...NAME_LIMITS, ...limits });
  };
  const record = (userId: string, username: string | null, set: number, guild = 'g') =>
    writer.record(guild, { userId, set, username });
  const idsOf = async (found: Promise<readonly { userId: string }[]>) => (await found).map(({ userId }) => userId);

  it('a search finds any part of a name without case, accents, styles of letters and invisible characters', async () => {
    const names = ['Señor Ünal', '𝓠𝓾𝓲𝓮𝓽 Raven', 'STRASSE', 'Οδός', 'İzmir ılık', 'Fox\u200b\u00a0 Den', 'さくら🦊'];
    for (const [index, name] of names.entries()) await record(`u${index}`, name, 100 - index);
    const reader = createReader(store.client);
    for (const [text, index] of [
      ['senor', 0],
      ['OR UN', 0],
      ['quiet r', 1],
      ['straße', 2],
      ['ΟΔΟΣ', 3],
      ['οδοσ', 3],
      ['IZMIR ILIK', 4],
      [' fox den ', 5],
      ['サクラ', undefined],
      ['くら', 6],
      ['🦊', 6],
    ] as const) {
      expect([text, await idsOf(reader.find('g', text))]).toEqual([text, index === undefined ? [] : [`u${index}`]]);
    }
  });

  it('a search returns members with rank, level, XP and claims, ten at most, by rank', async () => {
    for (let n = 0; n < 14; n++) await record(`u${n}`, n === 3 ? 'Owl' : `Raven ${n}`, 1000 + 100 * n);
    const found = await createReader(store.client).find('g', 'raven');
    expect(found.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(found[0]).toEqual({
      ...{ rank: 1, userId: 'u13', username: 'Raven 13', level: 7, xp: 2300 },
      ...{ dailyStreak: 0, lastDailyClaim: null },
    });
  });

  it('a search has the member with the user id first, and finds members without a name too', async () => {
    await record('42', null, 5);
    await record('a', 'Agent 42', 50);
    for (let n = 0; n < 12; n++) await record(`u${n}`, `x42 ${n}`, 100 + n);
    const found = await idsOf(createReader(store.client).find('g', ' 42 '));
    expect(found).toEqual(['42', ...[11, 10, 9, 8, 7, 6, 5, 4, 3].map((n) => `u${n}`)]);
    expect(await idsOf(createReader(store.client).find('g', 'a'))).toEqual(['a']);
    await record('owl', 'Owl', 1);
    expect(await idsOf(createReader(store.client).find('g', 'owl'))).toEqual(['owl']);
    expect(await createReader(store.client).find('other', '42')).toEqual([]);
  });

  it('a search has the first ten of a guild with many members, most of whom have no such name', async () => {
    const records = Array.from({ length: 700 }, (_, n) => ({
      ...{ userId: `u${n}`, set: n },
      username: n % 50 === 7 ? `Raven ${n}` : `Owl ${n}`,
    }));
    await writer.recordMany('g', records);
    const reader = createReader(store.client);
    const ravens = [657, 607, 557, 507, 457, 407, 357, 307, 257, 207].map((n) => `u${n}`);
    expect(await idsOf(reader.find('g', 'raven'))).toEqual(ravens);
    expect(await idsOf(reader.find('g', 'owl 2'))).toEqual(
      [299, 298, 297, 296, 295, 294, 293, 292, 291, 290].map((n) => `u${n}`),
    );
  });

  it('a search leaves out nobody who stays while other members rise, come and go between two steps', async () => {
    const records = Array.from({ length: 800 }, (_, n) => ({
      userId: `u${n}`,
      set: n,
      username: 'Raven',
    }));
    await writer.recordMany('g', records);
    const { client } = store;
    let steps = 0;
    const disturb = async () => {
      const least = 40 * steps++;
      const risen = Array.from({ length: 20 }, (_, n) => ({ userId: `u${least + n}`, add: 500 }));
      // So does the highest member of the first step, and that of the second goes.
      await writer.recordMany('g', [...risen, { userId: 'u249', add: 300 }]);
      const gone = Array.from({ length: 10 }, (_, n) => `u${least + 20 + n}`);
      await writer.hide('g', [...gone, 'u450', 'u451', 'u452']);
      const come = Array.from({ length: 10 }, (_, n) => ({ userId: `n${least + n}`, set: n }));
      await writer.recordMany('g', come);
    };
    const scripts = scriptsOn({
      eval: (...call: Parameters<ScriptClient['eval']>) => client.eval(...call),
      evalsha: async (...call: Parameters<ScriptClient['evalsha']>) => {
        const reply = await client.evalsha(...call);
        await disturb();
        return reply;
      },
    });
    const names = await GuildNames.read(scripts, new RedisKeys('gr').guild('g'), NAME_LIMITS.guildBytes);
    const found = new Set(names?.userIdsOf('raven'));
    const userIds = records.map(({ userId }) => userId);
    const { members } = await membersScript.run(scriptsOn(client), new RedisKeys('gr').guild('g'), { userIds });
    const missing = members.filter(({ hidden, userId }) => !hidden && !found.has(userId));
    expect(missing).toEqual([]);
    expect(steps).toBeGreaterThan(3);
  });

  it('a search refuses a text that is empty, too long or not a text', async () => {
    const reader = createReader(store.client);
    for (const text of ['', ' \u200b', 'x'.repeat(101), undefined, 7]) {
      await expect(reader.find('g', text as string)).rejects.toThrow(InvalidInputError);
    }
    await expect(reader.find('g', '\u0301')).rejects.toThrow(
      'text must have 1 to 100 characters that can be seen, not "\u0301"',
    );
    await expect(reader.find('a b', 'x')).rejects.toThrow(InvalidInputError);
  });

  it('a search reads the names anew when a minute has passed and the guild has changed, and not before', async () => {
    const search = searchWith();
    await record('a', 'Raven', 5);
    expect(await idsOf(search.find('g', 'e'))).toEqual(['a']);
    await record('b', 'Eagle', 50);
    now += NAME_LIMITS.renewMs - 1;
    expect(await idsOf(search.find('g', 'e'))).toEqual(['a']);
    now += 1;
    expect(await idsOf(search.find('g', 'e'))).toEqual(['b', 'a']);
    now += 10 * NAME_LIMITS.renewMs;
    ran.length = 0;
    expect(await idsOf(search.find('g', 'e'))).toEqual(['b', 'a']);
    // The member with the id "e", the revision, and the confirmation of both members.
    expect(ran).toEqual(['member e \n', 'stats \n', 'member b \nmember a \n']);
  });

  it('a search lists members by their present ranks, not by their ranks at the time when the names were read', async () => {
    const search = searchWith();
    for (const [index, userId] of ['a', 'b', 'c'].entries()) await record(userId, 'Big Raven', 100 - index);
    expect(await idsOf(search.find('g', 'big raven'))).toEqual(['a', 'b', 'c']);
    await record('c', 'Big Raven', 500);
    expect(await idsOf(search.find('g', 'big raven'))).toEqual(['c', 'a', 'b']);
  });

  // ioredis-mock copies the profiles of all members at each look-up of a profile.
  if (kind === realStore) {
    it('a search reads fifty members with a fitting name at a time, until it has found enough or has read a thousand', async () => {
      const search = searchWith();
      const named = (username: string) => Array.from({ length: 1100 }, (_, n) => ({ userId: `u${n}`, username }));
      await writer.recordMany(
        'g',
        named('Big Raven').map((member, n) => ({ ...member, set: 2000 - n })),
      );
      expect(await idsOf(search.find('g', 'big raven'))).toHaveLength(10);
      const countReads = () =>
        ran.map((lines) => lines.split('\n').filter((line) => line.startsWith('member ')).length);
      expect(countReads().filter((count) => count > 0)).toEqual([50]);
      // Nobody has this name any more, but the search still knows the earlier names.
      await writer.setProfiles('g', named('Owl'));
      ran.length = 0;
      expect(await search.find('g', 'big raven')).toEqual([]);
      expect(countReads()).toEqual(Array(20).fill(50));
    });
  }

  it('a search uses the names that it has while too many other guilds are being read', async () => {
    const search = searchWith({ waiting: 1 });
    for (const guild of ['1', '2']) await record('a', 'Big Raven', 5, guild);
    expect(await idsOf(search.find('1', 'big raven'))).toEqual(['a']);
    await record('b', 'Big Raven', 50, '1');
    now += NAME_LIMITS.renewMs;
    const other = search.find('2', 'big raven');
    expect(await idsOf(search.find('1', 'big raven'))).toEqual(['a']);
    expect(await idsOf(other)).toEqual(['a']);
    expect(await idsOf(search.find('1', 'big raven'))).toEqual(['b', 'a']);
  });

  it('a search needs a user id where the names take too many bytes, says so, and finds that id', async () => {
    const search = searchWith({ guildBytes: 1000 });
    for (let n = 0; n < 20; n++) await record(`u${n}`, `Raven ${'x'.repeat(20)}`, n);
    const failure = await search.find('g', 'raven').catch((error) => error);
    expect(failure).toBeInstanceOf(RefusedError);
    expect(failure).toMatchObject({ code: 'search_too_large', params: { guild: 'g' } });
    expect(failure.message).toBe('Guild g has too many names to search them: look members up by their user id');
    expect(await idsOf(search.find('g', 'u3'))).toEqual(['u3']);
    await record('a', 'Raven', 5, 'small');
    expect(await idsOf(search.find('small', 'raven'))).toEqual(['a']);
  });

  it('a search refuses a guild while too many other guilds wait to be read, and then names the seconds', async () => {
    const search = searchWith({ waiting: 3 });
    for (const guild of ['1', '2', '3', '4']) await record('a', 'Big Raven', 5, guild);
    // With a space it is no user id, so that nothing is read before the names.
    const found = ['1', '2', '3', '4', '1'].map((guild) => search.find(guild, 'big raven'));
    const settled = await Promise.allSettled(found);
    const outcomes = settled.map(({ status }) => status);
    expect(outcomes).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(settled[3]).toMatchObject({ reason: { code: 'search_busy', params: { guild: '4', seconds: 2 } } });
    expect(await idsOf(search.find('4', 'big raven'))).toEqual(['a']);
  });

  it('a search keeps the names within its bytes, and reads a guild whose names it dropped after a minute', async () => {
    const search = searchWith({ bytes: 2000 });
    for (const guild of ['1', '2', '3', '4']) await record('a', 'Raven', 5, guild);
    for (const guild of ['1', '2', '3', '1', '4']) await search.find(guild, 'raven');
    for (const guild of ['1', '3', '4']) expect(await idsOf(search.find(guild, 'raven'))).toEqual(['a']);
    now += 1000;
    const failure = await search.find('2', 'raven').catch((error) => error);
    expect(failure).toMatchObject({ code: 'search_busy', params: { guild: '2', seconds: 59 } });
    now += 59_000;
    expect(await idsOf(search.find('2', 'raven'))).toEqual(['a']);
  });

  it('a search fails with the store, and reads the names when it is back', async () => {
    await record('a', 'Big Raven', 5);
    const search = searchWith();
    await store.client.hset('gr:{g}:stats', 'model', '2');
    await expect(search.find('g', 'big raven')).rejects.toThrow('has data of version 2');
    await store.client.hset('gr:{g}:stats', 'model', '1');
    expect(await idsOf(search.find('g', 'big raven'))).toEqual(['a']);
  });

  const textOf = (maxLength: number) =>
    fc.array(fc.constantFrom('a', 'á', 'ß', ' ', '猫'), { minLength: 1, maxLength }).map((letters) => letters.join(''));
  const userOf = (count: number) => fc.integer({ min: 0, max: count - 1 }).map((n) => `u${n}`);
  /** Few members change often; with many, more than ten are found. */
  const steps = fc
    .constantFrom(4, 30)
    .chain((count) =>
      fc.array(
        fc.oneof(
          fc.tuple(fc.constant('record' as const), userOf(count), textOf(3), fc.integer({ min: 0, max: 5 })),
          fc.tuple(fc.constantFrom('hide', 'unhide', 'remove'), userOf(count)),
          fc.tuple(fc.constant('wait' as const), fc.constantFrom(1, 30_000, 60_000)),
          fc.tuple(fc.constant('find' as const), fc.oneof(textOf(2), userOf(count))),
        ),
        { minLength: 10, maxLength: 4 * count, size: 'max' },
      ),
    );

  it('a search finds what a plain comparison finds, and shows nothing wrong of changes in the last minute', async () => {
    let guilds = 0;
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const guild = `g${guilds++}`;
        const search = searchWith();
        const model = new NaiveSearch();
        for (const step of all) {
          if (step[0] === 'wait') now += step[1];
          else if (step[0] === 'find') {
            const text = step[1];
            if (folded(text) === '') continue;
            const found = await idsOf(search.find(guild, text));
            const { certain, possible } = model.find(text, now);
            expect(possible).toEqual(expect.arrayContaining(found));
            expect(found).toEqual(possible.filter((id) => found.includes(id)));
            if (found.length < 10) expect(found).toEqual(expect.arrayContaining(certain));
          } else if (step[0] === 'record') {
            const [, userId, name, xp] = step;
            await record(userId, name.trim() === '' ? null : name, xp, guild);
            model.record(userId, name, xp);
          } else {
            const [kind, userId] = step;
            const isKnown = model.members.has(userId);
            await writer[kind as 'hide' | 'unhide' | 'remove'](guild, [userId]);
            if (isKnown) model[kind as 'hide' | 'unhide' | 'remove'](userId);
          }
        }
      }),
      { numRuns: randomRuns(kind === realStore ? 200 : 15) },
    );
  });
});

interface NaiveMember {
  name: string;
  xp: number;
  isHidden: boolean;
}

/** Case and accents of the letters above, by a table. */
function folded(text: string): string {
  const letters: Record<string, string> = { á: 'a', B: 'b', ß: 'ss' };
  const plain = [...text].map((letter) => letters[letter] ?? letter).join('');
  return plain.replace(/ +/g, ' ').trim();
}

/** Members as they are, and as they were when their names were read last. */
class NaiveSearch {
  readonly members = new Map<string, NaiveMember>();
  private read: { readonly at: number; readonly names: ReadonlyMap<string, string> } | undefined;
  /** A guild without a revision, to which nobody has written yet, is read anew each minute. */
  private hasRevision = false;
  private isChanged = false;

  record(userId: string, name: string, xp: number): void {
    const isHidden = this.members.get(userId)?.isHidden ?? false;
    this.members.set(userId, { name, xp, isHidden });
    this.hasRevision = true;
    this.isChanged = true;
  }

  hide(userId: string): void {
    (this.members.get(userId) as NaiveMember).isHidden = true;
    this.isChanged = true;
  }

  unhide(userId: string): void {
    (this.members.get(userId) as NaiveMember).isHidden = false;
    this.isChanged = true;
  }

  remove(userId: string): void {
    this.members.delete(userId);
    this.isChanged = true;
  }

  /** Returns the members that a search has to find, and those that it may find, both in the order of its hits. */
  find(text: string, now: number) {
    if (!this.read || (this.isChanged && now - this.read.at >= NAME_LIMITS.renewMs)) {
      const ranked = [...this.members].filter(([, { isHidden }]) => !isHidden);
      this.read = { at: now, names: new Map(ranked.map(([userId, { name }]) => [userId, folded(name)])) };
      this.isChanged = !this.hasRevision;
    }
    const { names } = this.read;
    const wanted = folded(text);
    const ranked = [...this.members]
      .filter(([, { isHidden }]) => !isHidden)
      .sort(([one, { xp }], [other, { xp: otherXp }]) => otherXp - xp || (one > other ? -1 : 1));
    const byId = ranked.map(([userId]) => userId).filter((userId) => userId === text.trim());
    const named = ranked
      .filter(([userId, { name }]) => userId !== text.trim() && folded(name).includes(wanted))
      .map(([userId]) => userId);
    const possible = [...byId, ...named];
    return {
      possible,
      certain: [...byId, ...named.filter((userId) => names.get(userId)?.includes(wanted))].slice(0, 10),
    };
  }
}
