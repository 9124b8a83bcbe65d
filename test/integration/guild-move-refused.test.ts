import { describe, expect, it } from 'vitest';
import { deleteGuild } from '../../src/core/guilds/delete.ts';
import type { LastLine } from '../../src/core/moves/move-lines.ts';
import type { NamedScript } from '../../src/core/store/scripts.ts';
import { movedOutGuild, moveIn, moveOut } from '../support/guild-move.ts';
import { needs } from '../support/needs.ts';
import { storeSuite } from '../support/store-suite.ts';
import { realStore } from '../support/stores.ts';

describe('moves of a guild into a Redis', needs('redis-server'), () => {
  const suite = storeSuite(realStore);
  const make = () => movedOutGuild(suite.store, suite.newGuild());

  /** Returns the lines with another end. */
  const withEnd = (lines: readonly string[], change: (end: LastLine) => object): string[] => {
    const { end } = JSON.parse(lines.at(-1) as string);
    return [...lines.slice(0, -1), JSON.stringify({ end: { ...end, ...change(end) } })];
  };

  it.each(['move-verify', 'move-finish'])(
    'a move is refused at "%s" when another server took over, which can have lost members',
    async (step) => {
      const { guild, lines, sha } = await make();
      const scripts = Object.create(suite.store.scripts, {
        run: {
          value: (script: NamedScript, keys: string[], ...args: string[]) => {
            const sent = script.name === step ? args.with(1, 'a server before') : args;
            return suite.store.scripts.run(script, keys, ...sent);
          },
        },
      });
      await expect(moveIn({ ...suite.store, scripts }, lines)).rejects.toThrow('Another Redis server took over');
      expect(await suite.store.apiKeys.find(sha)).toBeNull();
      await suite.store.client.del(suite.store.redisKeys.locked(guild).lock);
      expect(await moveIn(suite.store, lines)).toMatchObject({ members: 1, keys: 1 });
    },
  );

  it('a move ends where another stream begins, and leaves the guild of the other stream alone', async () => {
    const cut = await make();
    const other = await make();
    const lines = [...cut.lines.slice(0, -1), ...other.lines];
    await expect(moveIn(suite.store, lines)).rejects.toThrow('The stream ended before the guild was complete');
    expect(await suite.store.client.keys(`*{${other.guild}}:*`)).toEqual([`gr:{${other.guild}}:sessions`]);
    expect(await moveIn(suite.store, other.lines)).toMatchObject({ members: 1, keys: 1 });
  });

  it('an unfinished move leaves a hidden member hidden, whatever the bot writes', async () => {
    const { writer, client } = suite.store;
    const guild = suite.newGuild();
    await writer.recordMany(guild, [
      { userId: 'a', set: 500 },
      { userId: 'left', set: 32 },
    ]);
    await writer.hide(guild, ['left']);
    const lines = await moveOut(suite.store, guild);
    await deleteGuild(suite.store, guild);
    await expect(moveIn(suite.store, lines.slice(0, -1))).rejects.toThrow('The stream ended before');
    await writer.award(guild, { userId: 'left', amount: 5 });
    await writer.record(guild, { userId: 'left', add: 5 });
    expect(await client.zscore(`gr:{${guild}}:xp`, 'left')).toBeNull();
    expect(await client.zscore(`gr:{${guild}}:hidden`, 'left')).toBe('42');
  });

  it('a move stores no API key twice, and no API key that opens another guild', async () => {
    const { guild, lines, sha } = await make();
    const twice = [
      ({ keys: [key] }: LastLine) => ({ keys: [key, { ...key, id: 'other' }] }),
      ({ keys: [key] }: LastLine) => ({ keys: [key, { ...key, sha256: '0'.repeat(64) }] }),
    ];
    for (const change of twice) {
      await expect(moveIn(suite.store, withEnd(lines, change))).rejects.toThrow('The stream ended before');
      await suite.store.client.del(suite.store.redisKeys.locked(guild).lock);
    }
    await moveIn(suite.store, lines);
    const copy = suite.newGuild();
    const edited = [(lines[0] as string).replace(guild, copy), ...lines.slice(1)];
    await expect(moveIn(suite.store, edited)).rejects.toThrow(
      `belongs to guild ${guild} in this Redis: revoke it for that guild first`,
    );
    expect(await suite.store.apiKeys.find(sha)).toMatchObject({ guildId: guild });
    expect(await suite.store.apiKeys.list(copy)).toEqual([]);
  });

  it('a move of data of a newer version is refused, and the guild can be deleted', async () => {
    const { guild, lines } = await make();
    const newer = withEnd(lines, () => ({ stats: ['model', '9'] }));
    await expect(moveIn(suite.store, newer)).rejects.toThrow('has data of version 9');
    await suite.store.client.del(suite.store.redisKeys.locked(guild).lock);
    await deleteGuild(suite.store, guild);
    expect(await moveIn(suite.store, lines)).toMatchObject({ members: 1 });
  });

  it('a move is refused, and names the member, when a raw write put a hidden member into the ranking', async () => {
    const { writer, client } = suite.store;
    const guild = suite.newGuild();
    await writer.record(guild, { userId: 'a', set: 500 });
    await writer.hide(guild, ['a']);
    await client.zadd(`gr:{${guild}}:xp`, 5, 'a');
    await expect(moveOut(suite.store, guild)).rejects.toThrow(
      'Member a is both hidden and in the ranking: hide the member again',
    );
    await writer.hide(guild, ['a'], { reason: 'moderator' });
    const lines = await moveOut(suite.store, guild);
    await deleteGuild(suite.store, guild);
    expect(await moveIn(suite.store, lines)).toMatchObject({ members: 1, hidden: 1 });
  });
});
