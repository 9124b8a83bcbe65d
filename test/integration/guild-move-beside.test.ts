import { describe, expect, it } from 'vitest';
import type { Core } from '../../src/core/core.ts';
import { deleteGuild } from '../../src/core/guilds/delete.ts';
import type { NamedScript } from '../../src/core/store/scripts.ts';
import { withStagedMembers } from '../../src/imports/staging.ts';
import { movedOutGuild, moveIn, moveOut } from '../support/guild-move.ts';
import { needs } from '../support/needs.ts';
import { storeSuite } from '../support/store-suite.ts';
import { realStore } from '../support/stores.ts';

type Guild = Awaited<ReturnType<typeof movedOutGuild>>;

describe('moves of a guild beside other commands', needs('redis-server'), () => {
  const suite = storeSuite(realStore);
  const make = () => movedOutGuild(suite.store, suite.newGuild());
  const endLock = (guild: string) => suite.store.client.del(suite.store.redisKeys.locked(guild).lock);
  const keysOf = ({ guild }: Guild) => suite.store.apiKeys.list(guild);

  /** Moves the guild in, and does something else before the step. */
  const moveInBeside = ({ lines }: Guild, step: string, other: () => Promise<unknown>) => {
    let isDone = false;
    const before = async ({ name }: NamedScript) => {
      if (isDone || name !== step) return;
      isDone = true;
      await other();
    };
    return moveIn(suite.beside(before), lines);
  };
  const leaveUnfinished = async ({ guild, lines }: Guild) => {
    await expect(moveIn(suite.store, lines.slice(0, -1))).rejects.toThrow('The stream ended before');
    await endLock(guild);
  };

  it.each(['move-verify', 'move-finish'])(
    'a move that is refused at its step "%s" leaves no API key behind',
    async (step) => {
      const others: [(guild: Guild) => Promise<unknown>, string][] = [
        [({ guild }) => suite.store.writer.record(guild, { userId: 'a', add: 1 }), 'stop it, delete the guild here'],
        [({ guild }) => endLock(guild).then(() => deleteGuild(suite.store, guild)), 'was suspended'],
        [({ guild }) => endLock(guild), 'was suspended'],
        [(moved) => endLock(moved.guild).then(() => leaveUnfinished(moved)), 'was suspended'],
      ];
      for (const [other, message] of others) {
        const moved = await make();
        await expect(moveInBeside(moved, step, () => other(moved))).rejects.toThrow(message);
        expect(await suite.store.apiKeys.find(moved.sha)).toBeNull();
        expect(await keysOf(moved)).toEqual([]);
      }
      const { lines, sha } = await make();
      const short = [lines[0], lines.at(-1)] as string[];
      await expect(moveIn(suite.store, short)).rejects.toThrow('does not have as many members here as at the source');
      expect(await suite.store.apiKeys.find(sha)).toBeNull();
    },
  );

  it.each(['move-verify', 'move-finish'])(
    'a move that goes on at "%s" after another move has ended leaves the API keys of the other move',
    async (step) => {
      for (const isRevoked of [true, false]) {
        const moved = await make();
        const other = async () => {
          await endLock(moved.guild);
          await moveIn(suite.store, moved.lines);
          if (isRevoked) await suite.store.apiKeys.revoke(moved.guild, moved.keyId);
        };
        await expect(moveInBeside(moved, step, other)).rejects.toThrow('was suspended');
        expect(await suite.store.apiKeys.find(moved.sha)).toEqual(isRevoked ? null : expect.anything());
        expect(await keysOf(moved)).toHaveLength(isRevoked ? 0 : 1);
      }
    },
  );

  it('a move that was interrupted at its end is finished by the next move, with the data of the next move', async () => {
    const moved = await make();
    const { client, guildConfig } = suite.store;
    await moveIn(suite.store, moved.lines);
    await guildConfig.update(moved.guild, { plan: 'free', boards: ['week'] });
    await client.hset(`gr:{${moved.guild}}:season`, 'phase', 'done');
    const more = { ...moved, lines: await moveOut(suite.store, moved.guild) };
    await deleteGuild(suite.store, moved.guild);
    const killed = async () => Promise.reject(new Error('killed'));
    await expect(moveInBeside(more, 'move-finish', killed)).rejects.toThrow('killed');
    expect(await client.exists(`gr:{${moved.guild}}:config`, `gr:{${moved.guild}}:season`)).toBe(2);
    await endLock(moved.guild);
    expect(await moveIn(suite.store, moved.lines)).toMatchObject({ members: 1, keys: 1 });
    expect(await client.exists(`gr:{${moved.guild}}:config`, `gr:{${moved.guild}}:season`)).toBe(0);
    expect(await keysOf(moved)).toHaveLength(1);
    expect((await suite.store.counters.check(moved.guild)).exact).toBe(true);
  });

  it('a move stores the usage of more API keys than one call of a function or a command takes', async () => {
    const { guild, lines } = await make();
    const { end } = JSON.parse(lines.at(-1) as string);
    const usage = Array.from({ length: 40_000 }, (_, n) => [`495000 k${n}`, '1']).flat();
    await moveIn(suite.store, [...lines.slice(0, -1), JSON.stringify({ end: { ...end, usage } })]);
    expect(await suite.store.client.hlen(`gr:{${guild}}:usage`)).toBe(40_000);
    expect(await suite.store.client.ttl(`gr:{${guild}}:usage`)).toBeGreaterThan(7 * 86_400);
  });

  it('a move is refused for an unfinished guild that something else wrote to', async () => {
    const { writer, guildConfig } = suite.store;
    for (const write of [
      (guild: string) => writer.record(guild, { userId: 'bot', set: 5 }),
      (guild: string) => guildConfig.update(guild, { boards: ['week'] }),
      (guild: string) => guildConfig.update(guild, { xpCurve: 'lurkr' }),
    ]) {
      const moved = await make();
      await leaveUnfinished(moved);
      await write(moved.guild);
      await expect(moveIn(suite.store, moved.lines)).rejects.toThrow('delete the guild first');
      await deleteGuild(suite.store, moved.guild);
      expect(await moveIn(suite.store, moved.lines)).toMatchObject({ members: 1, keys: 1 });
    }
  });

  it('an unfinished move refuses a replacement of the members, and the end of a season', async () => {
    const { writer, client } = suite.store;
    const other = suite.newGuild();
    await writer.record(other, { userId: 'a', set: 5 });
    for (const begin of [
      (guild: string) => withStagedMembers(suite.store, guild, 'standard', undefined, async () => {}),
      (guild: string) => writer.resetSeason(guild, { archiveAs: `${guild}.s1` }),
      (guild: string) => writer.resetSeason(other, { archiveAs: guild }),
    ]) {
      const moved = await make();
      await leaveUnfinished(moved);
      const refusal = `The move of guild ${moved.guild} is not finished: run "guild export" and "guild import" again, or delete the guild`;
      await expect(begin(moved.guild)).rejects.toThrow(refusal);
      expect(await client.exists(suite.store.redisKeys.locked(moved.guild).lock)).toBe(0);
      expect(await moveIn(suite.store, moved.lines)).toMatchObject({ members: 1, keys: 1 });
    }
  });

  it('a move takes a guild whose season began and was refused, and refuses a guild whose season is half done', async () => {
    const { writer, client } = suite.store;
    const moved = await make();
    const archive = suite.newGuild();
    await moveIn(suite.store, moved.lines);
    await writer.record(archive, { userId: 'a', set: 5 });
    await expect(writer.resetSeason(moved.guild, { archiveAs: archive })).rejects.toThrow('already has data');
    await moveOut(suite.store, moved.guild);
    await client.zadd(`gr:{${moved.guild}}:season:xp`, 5, 'a');
    await expect(moveOut(suite.store, moved.guild)).rejects.toThrow('is not finished for guild');
  });

  it('a move that was suspended at its end deletes no API key of another move that has not ended', async () => {
    const moved = await make();
    let first: Promise<unknown> = Promise.resolve();
    const suspended = new Promise<() => void>((resolve) => {
      first = moveInBeside(moved, 'move-finish', () => new Promise<void>((goOn) => resolve(goOn)));
    });
    const goOn = await suspended;
    await endLock(moved.guild);
    const second = moveInBeside(moved, 'move-finish', async () => {
      goOn();
      await expect(first).rejects.toThrow('was suspended');
    });
    expect(await second).toMatchObject({ keys: 1 });
    expect(await suite.store.apiKeys.find(moved.sha)).not.toBeNull();
    expect(await keysOf(moved)).toHaveLength(1);
  });

  it.each([
    ['another move', (store: Core, { lines }: Guild) => moveIn(store, lines)],
    ['a deletion', (store: Core, { guild }: Guild) => deleteGuild(store, guild)],
  ])('a guild keeps its new API keys when %s was suspended before it deleted the old keys', async (_, begin) => {
    const moved = await make();
    const apiKeys = Object.create(suite.store.apiKeys, {
      revokeAll: {
        value: async (...args: Parameters<typeof suite.store.apiKeys.revokeAll>) => {
          await endLock(moved.guild);
          await moveIn(suite.store, moved.lines);
          return suite.store.apiKeys.revokeAll(...args);
        },
      },
    });
    await expect(begin({ ...suite.store, apiKeys }, moved)).rejects.toThrow('was suspended');
    expect(await suite.store.apiKeys.find(moved.sha)).not.toBeNull();
    expect(await keysOf(moved)).toHaveLength(1);
  });

  it('a move stores no API key that is revoked meanwhile', async () => {
    const moved = await make();
    const apiKeys = Object.create(suite.store.apiKeys, {
      storeListed: {
        value: async (...args: Parameters<typeof suite.store.apiKeys.storeListed>) => {
          await suite.store.apiKeys.revoke(moved.guild, moved.keyId);
          return suite.store.apiKeys.storeListed(...args);
        },
      },
    });
    expect(await moveIn({ ...suite.store, apiKeys }, moved.lines)).toMatchObject({ members: 1, keys: 0 });
    expect(await suite.store.apiKeys.find(moved.sha)).toBeNull();
    expect(await keysOf(moved)).toEqual([]);
  });

  it('a move waits for a deletion of the guild, until its API keys are deleted too', async () => {
    const moved = await make();
    await suite.store.writer.record(moved.guild, { userId: 'old', set: 1 });
    const tries: unknown[] = [];
    const client = new Proxy(suite.store.client, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (name !== 'del') return typeof value === 'function' ? value.bind(target) : value;
        return async (...keys: string[]) => {
          const deleted = await target.del(...keys);
          if (keys.includes(`gr:{${moved.guild}}:audit`))
            tries.push(await moveIn(suite.store, moved.lines).catch(String));
          return deleted;
        };
      },
    });
    await deleteGuild({ ...suite.store, client }, moved.guild);
    expect(tries).toEqual([expect.stringContaining('try again in 10 s')]);
    expect(await moveIn(suite.store, moved.lines)).toMatchObject({ members: 1, keys: 1 });
  });
});
