import { beforeEach, describe, expect, it, vi } from 'vitest';
import { GuildCounters } from '../../../../src/core/counters/counters.ts';
import { RefusedError } from '../../../../src/core/errors.ts';
import { RedisKeys } from '../../../../src/core/store/redis-keys.ts';
import type { NamedScript, Scripts } from '../../../../src/core/store/scripts.ts';
import { storeSuite } from '../../../support/store-suite.ts';
import { describeStores } from '../../../support/stores.ts';

/** The milliseconds that counts wait. */
const waits = vi.hoisted((): number[] => []);
vi.mock('node:timers/promises', () => ({ setTimeout: async (ms: number) => void waits.push(ms) }));
beforeEach(() => void waits.splice(0));

describeStores('a count of the members', (kind) => {
  const suite = storeSuite(kind);
  const stats = (guild: string) => `gr:{${guild}}:stats`;

  /** Makes a guild of seven members with 100 XP more each, one with an explicit level, and of one hidden member. */
  const newGuild = async (): Promise<string> => {
    const guild = suite.newGuild();
    const ranked = Array.from({ length: 7 }, (_, n) => ({ userId: `u${n}`, set: 100 * n }));
    const hidden = { userId: 'h', set: 9, hidden: true };
    await suite.store.writer.recordMany(guild, [...ranked, { userId: 'u6', add: 0, level: 50 }, hidden]);
    return guild;
  };
  const actual = { members: 6n, totalXp: 2100n, levelSum: 59n, hidden: 1n, boards: {} };
  const auditOf = (size: number) => new GuildCounters(suite.store, size);

  it.each(['members', 'total_xp', 'level_sum', 'hidden'])('a count shows that %s is not exact', async (field) => {
    const guild = await newGuild();
    await suite.store.client.hincrby(stats(guild), field, 1);
    expect(await suite.store.counters.check(guild)).toMatchObject({ actual, exact: false });
  });

  it('a count puts all counters right', async () => {
    const guild = await newGuild();
    expect(await auditOf(3).check(guild)).toMatchObject({ stored: actual, actual, exact: true });
    await suite.store.client.hset(stats(guild), { members: 9, total_xp: 9, level_sum: 9, hidden: 9 });
    await auditOf(3).rebuild(guild);
    expect(await auditOf(3).check(guild)).toMatchObject({ stored: actual, actual, exact: true });
  });

  it.each(['', 'x6', '6x', '6.0'])('a count takes a stored counter of "%s" for 0', async (text) => {
    const guild = await newGuild();
    await suite.store.client.hset(stats(guild), 'total_xp', text);
    const { stored, exact } = await suite.store.counters.check(guild);
    expect([stored, exact]).toEqual([{ ...actual, totalXp: 0n }, false]);
  });

  it('a count shows a negative stored counter as it is', async () => {
    const guild = await newGuild();
    await suite.store.client.hset(stats(guild), 'hidden', '-12');
    expect((await suite.store.counters.check(guild)).stored.hidden).toBe(-12n);
  });

  it('a count stores no config of its own, raises the revision, and tells its moment', async () => {
    const guild = await newGuild();
    const before = await suite.store.client.hget(stats(guild), 'rev');
    const begun = Date.now();
    const { at } = await suite.store.counters.rebuild(guild);
    // The mock rounds to a whole second, and adds an unrelated fraction.
    expect(at.getTime()).toBeGreaterThan(begun - 1000);
    expect(at.getTime()).toBeLessThan(Date.now() + 2000);
    expect(Number(await suite.store.client.hget(stats(guild), 'rev'))).toBeGreaterThan(Number(before));
    expect(await suite.store.client.hgetall(`gr:{${guild}}:config`)).toEqual({});
  });

  it.each([3, 500])('a count previews another curve in slices of %i, and writes nothing', async (size) => {
    const guild = await newGuild();
    const before = await suite.store.client.hgetall(stats(guild));
    expect(await auditOf(size).preview(guild, 'custom=0,0,100,0,1,1')).toEqual({ ...actual, levelSum: 65n });
    expect(await auditOf(size).preview(guild, 'standard')).toEqual(actual);
    expect(await suite.store.client.hgetall(stats(guild))).toEqual(before);
  });

  it('a count previews a guild without members', async () => {
    const nothing = { members: 0n, totalXp: 0n, levelSum: 0n, hidden: 0n, boards: {} };
    expect(await auditOf(3).preview(suite.newGuild(), 'amari')).toEqual(nothing);
  });

  it('a count that was dropped meanwhile stores nothing, and says to run it again', async () => {
    const guild = await newGuild();
    await suite.store.client.hset(stats(guild), 'members', '99');
    const store = suite.beside(async ({ name }) => {
      if (name === 'recount-commit') await suite.store.client.hdel(stats(guild), 'recount');
    });
    const rebuild = new GuildCounters(store, 3).rebuild(guild);
    await expect(rebuild).rejects.toThrow(RefusedError);
    await expect(rebuild).rejects.toThrow(
      `The count of the members of guild ${guild} was interrupted for more than a minute: run the command again`,
    );
    expect(await suite.store.client.hget(stats(guild), 'members')).toBe('99');
  });

  it('a count waits for another count to end', async () => {
    const guild = await newGuild();
    const second = Math.floor(Date.now() / 1000);
    await suite.store.client.hset(stats(guild), 'recount', `other standard ${second} - - 0 0,0,0,0,0 - - `);
    const names: string[] = [];
    const store = suite.beside(async ({ name }) => {
      if (names.push(name) === 4) await suite.store.client.hdel(stats(guild), 'recount');
    });
    const { exact } = await new GuildCounters(store).rebuild(guild);
    expect(exact).toBe(true);
    expect(names).toEqual([...Array(4).fill('recount-begin'), 'recount-commit']);
    expect(waits).toEqual([250, 250, 250]);
  });
});

describe('a count of the members that cannot end', () => {
  /** Returns counters on a Redis that replies with this status, and the names of the scripts that they run. */
  const replying = (status: (name: string) => string) => {
    const names: string[] = [];
    const run = async ({ name }: NamedScript) => {
      names.push(name);
      return [status(name), '1', '0', '1', '0', '0', '0', '0', '0', '0', '0', '0', '0'];
    };
    return {
      counters: new GuildCounters({ scripts: { run } as unknown as Scripts, redisKeys: new RedisKeys('gr') }),
      names,
    };
  };

  it('a count gives up after it has waited more than a minute for another count, and says so', async () => {
    const rebuild = replying(() => 'BUSY').counters.rebuild('g');
    await expect(rebuild).rejects.toThrow(RefusedError);
    await expect(rebuild).rejects.toThrow(
      'Another command is counting the members of guild g: wait until it has ended',
    );
    const waited = waits.reduce((sum, ms) => sum + ms, 0);
    expect(waited).toBeGreaterThan(60_000);
    expect(waited).toBeLessThanOrEqual(75_000);
  });

  it('a count gives up at the third time that something writes without the scripts, and says so', async () => {
    const { counters, names } = replying((name) => (name === 'recount-begin' ? 'OK' : 'UNSEEN'));
    await expect(counters.rebuild('g')).rejects.toThrow(
      'Something changes guild g without the scripts while its members are counted: stop it, or let it write through the scripts',
    );
    expect(names).toEqual(Array(3).fill(['recount-begin', 'recount-commit']).flat());
  });
});
