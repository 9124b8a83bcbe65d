import { describe, expect, it } from 'vitest';
import { deleteGuild } from '../../src/core/guilds/delete.ts';
import { moveIn, moveOut } from '../support/guild-move.ts';
import { needs } from '../support/needs.ts';
import { storeSuite } from '../support/store-suite.ts';
import { realStore } from '../support/stores.ts';

describe('the move of a guild with values that were written by hand', needs('redis-server'), () => {
  const suite = storeSuite(realStore);

  /** Makes a guild with two members on a board. */
  async function make(): Promise<string> {
    const guild = suite.newGuild();
    await suite.store.guildConfig.update(guild, { boards: ['week'] });
    await suite.store.writer.recordMany(guild, [
      { userId: 'a', add: 500 },
      { userId: 'b', add: 5 },
    ]);
    return guild;
  }
  async function move(guild: string): Promise<void> {
    const lines = await moveOut(suite.store, guild);
    await deleteGuild(suite.store, guild);
    await moveIn(suite.store, lines);
  }
  const onBoard = (guild: string) => suite.store.client.zrange(`gr:{${guild}}~week:xp`, 0, -1, 'WITHSCORES');

  it.each(['1.5', '1e+30', '1e-7', '-3', 'inf', '-inf'])(
    'a move carries a gain of %s on a board as it is',
    async (gain) => {
      const guild = await make();
      await suite.store.client.zadd(`gr:{${guild}}~week:xp`, gain, 'a');
      const before = await onBoard(guild);
      await move(guild);
      expect(await onBoard(guild)).toEqual(before);
    },
  );

  it('a move gives a guild without counters no counter of hidden members', async () => {
    const guild = suite.newGuild();
    await suite.store.client.zadd(`gr:{${guild}}:xp`, 5, 'a');
    await move(guild);
    expect(await suite.store.client.hgetall(`gr:{${guild}}:stats`)).toEqual({ rev: expect.any(String) });
  });

  it.each([
    ['my-key', 'a'.repeat(64)],
    ['mykey', 'no hash'],
  ])('a move names the API key %s: %s, which the move refuses', async (id, sha) => {
    const { client, redisKeys, apiKeys } = suite.store;
    const guild = await make();
    await client.hset(`gr:{${guild}}:keys`, id, sha);
    await client.hset(redisKeys.apiKey(sha), { id, guild_id: guild });
    await expect(moveOut(suite.store, guild)).rejects.toThrow(
      `The API key ${id} was written by hand and cannot be moved: revoke it, then run "guild export" and "guild import" again`,
    );
    await apiKeys.revoke(guild, id);
    await move(guild);
  });

  it('a move names the entry of an API key that is listed under two ids', async () => {
    const { client, apiKeys } = suite.store;
    const guild = await make();
    const { record } = await apiKeys.create(guild, 'x', null);
    await client.hset(`gr:{${guild}}:keys`, 'twin', (await client.hget(`gr:{${guild}}:keys`, record.id)) as string);
    await expect(moveOut(suite.store, guild)).rejects.toThrow(
      `An API key of guild ${guild} has two ids: remove one of them with HDEL gr:{${guild}}:keys, then run "guild export" and "guild import" again`,
    );
    await client.hdel(`gr:{${guild}}:keys`, 'twin');
    await move(guild);
    expect(await apiKeys.list(guild)).toMatchObject([{ id: record.id }]);
  });

  it('a move begins a quota window anew when its count is no count', async () => {
    const guild = await make();
    await suite.store.client.set(`gr:quota:{${guild}}`, '-1', 'EX', 100);
    await move(guild);
    expect(await suite.store.client.get(`gr:quota:{${guild}}`)).toBe('0');
  });

  it('a move names a user id that is no text', async () => {
    const guild = await make();
    await suite.store.client.zadd(`gr:{${guild}}:hidden`, 5, Buffer.from('a\xffb', 'latin1'));
    await expect(moveOut(suite.store, guild)).rejects.toThrow(
      `"a\ufffdb" in gr:{${guild}}:hidden is not a user id: remove it with ZREM, and try again`,
    );
  });

  it.each([
    ['members', 'a', `- 0 - ${'n'.repeat(513)}`, 'has a name above 512 bytes'],
    ['config', 'rules', ' '.repeat(16_385), 'is longer than docs/reference.md allows'],
    ['config', 'page_title', 'é'.repeat(201), 'is longer than docs/reference.md allows'],
    ['about', 'roles', ' '.repeat(262_145), 'is longer than docs/reference.md allows'],
  ])('a move names a text above its bound, which the move refuses: in %s of %s', async (hash, field, text, told) => {
    const guild = await make();
    const fitting = await moveOut(suite.store, guild);
    const key = `gr:{${guild}}:${hash}`;
    await suite.store.client.hset(key, field, text);
    await expect(moveOut(suite.store, guild)).rejects.toThrow(told);

    // A person can change a stream, too.
    await deleteGuild(suite.store, guild);
    const changed = fitting.map((line) => {
      const { members, end, ...format } = JSON.parse(line);
      const bytes = Buffer.from(text).toString('latin1');
      if (members && hash === 'members')
        return JSON.stringify({ members: members.map((member: string[]) => member.with(4, bytes)) });
      if (end && hash !== 'members') return JSON.stringify({ end: { ...end, [hash]: [field, bytes] } });
      return JSON.stringify({ members, end, ...format });
    });
    await expect(moveIn(suite.store, changed)).rejects.toThrow('The stream ended before the guild was complete');
    expect(await suite.store.client.hgetall(key)).toEqual({});
  });

  it('a move names a user id above its bound', async () => {
    const guild = await make();
    await suite.store.client.zadd(`gr:{${guild}}:xp`, 5, 'u'.repeat(65));
    await expect(moveOut(suite.store, guild)).rejects.toThrow(`in gr:{${guild}}:xp is not a user id`);
  });
});
