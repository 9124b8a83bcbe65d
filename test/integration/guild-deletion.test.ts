import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ApiKeyIssuer } from '../../src/core/access/api-key-issuer.ts';
import { deleteGuild } from '../../src/core/guilds/delete.ts';
import { StagedMembers } from '../../src/core/replace/staged-members.ts';
import type { NamedScript } from '../../src/core/store/scripts.ts';
import { storeSuite } from '../support/store-suite.ts';
import { describeStores, realStore } from '../support/stores.ts';
import { randomRuns } from '../support/variants.ts';

describeStores('a deletion of a guild beside a bot', (kind) => {
  const suite = storeSuite(kind);

  const seed = async (members: number): Promise<string> => {
    const guild = suite.newGuild();
    const records = Array.from({ length: members }, (_, n) => ({
      userId: `u${n}`,
      set: 100 + n,
      username: `old ${n}`,
      level: 50,
      dailyStreak: 9,
    }));
    await suite.store.writer.recordMany(guild, records);
    await suite.store.guildConfig.update(guild, { plan: 'pro' });
    await suite.store.apiKeys.create(guild, 'x', null);
    return guild;
  };

  it('a deletion leaves exactly what the bot writes after its moment, as a new guild', async () => {
    const userId = fc.constantFrom('u0', 'u1', 'u2', 'bot');
    const calls = fc.array(fc.array(fc.tuple(userId, fc.boolean()), { maxLength: 3 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(calls, async (writes) => {
        const guild = await seed(3);
        const expected = new Map<string, { xp: number; username?: string }>();
        let isNext = false;
        let isDeleted = false;
        const bot = async ({ name }: NamedScript) => {
          // The moment of the deletion is the script "delete", so what comes before the call after it belongs to the new guild.
          isDeleted = isNext;
          isNext ||= name === 'delete';
          for (const [userId, named] of writes.shift() ?? []) {
            const username = named ? { username: `bot ${userId}` } : {};
            await suite.store.writer.record(guild, { userId, add: 5, ...username });
            const old = expected.get(userId);
            if (isDeleted) expected.set(userId, { ...old, xp: (old?.xp ?? 0) + 5, ...username });
          }
        };
        await deleteGuild(suite.beside(bot), guild);
        for (const userId of ['u0', 'u1', 'u2', 'bot']) {
          const profile = await suite.store.client.hget(`gr:{${guild}}:members`, userId);
          const score = await suite.store.client.zscore(`gr:{${guild}}:xp`, userId);
          const member = expected.get(userId);
          expect(score).toBe(member ? String(member.xp) : null);
          expect(profile).toBe(member?.username ? `- 0 - ${member.username}` : null);
        }
        expect((await suite.store.counters.check(guild)).exact).toBe(true);
        if (expected.size === 0)
          expect(await suite.store.client.keys(`*{${guild}}*`)).toEqual([`gr:{${guild}}:sessions`]);
      }),
      { numRuns: randomRuns(kind === realStore ? 150 : 15) },
    );
  });

  it('an interrupted deletion is finished by a second one, which counts its members', async () => {
    const guild = await seed(10);
    const revokeAll = () => Promise.reject(new Error('killed'));
    const dies = { ...suite.store, apiKeys: { revokeAll } as unknown as ApiKeyIssuer };
    await expect(deleteGuild(dies, guild)).rejects.toThrow('killed');
    await suite.store.writer.record(guild, { userId: 'u7', add: 1 });
    expect(await deleteGuild(suite.store, guild)).toMatchObject({ members: 1, keys: 1 });
    expect(await suite.store.client.keys(`*{${guild}}*`)).toEqual([`gr:{${guild}}:sessions`]);
  });

  it('a deletion that is refused for the version of the data can be tried again at once, and changes nothing', async () => {
    const guild = suite.newGuild();
    await suite.store.writer.record(guild, { userId: 'a', set: 5 });
    await suite.store.client.hset(`gr:{${guild}}:stats`, 'model', '3');
    for (const _try of ['first', 'second'])
      await expect(deleteGuild(suite.store, guild)).rejects.toThrow('has data of version 3');
    await suite.store.client.hset(`gr:{${guild}}:stats`, 'model', '1');
    expect(await deleteGuild(suite.store, guild)).toMatchObject({ members: 1 });
  });

  it('a deletion is refused while a replacement of the guild runs, and then touches nothing', async () => {
    const guild = await seed(3);
    const dump = async () =>
      Promise.all((await suite.store.client.keys(`*{${guild}}*`)).sort().map((key) => suite.store.client.type(key)));
    const staged = await StagedMembers.lock(suite.store, guild);
    const before = await dump();
    await expect(deleteGuild(suite.store, guild)).rejects.toThrow(
      `An import, a deletion or the end of a season is running for guild ${guild}, or was killed a moment ago: try again in 10 s`,
    );
    expect(await dump()).toEqual(before);
    await staged.end();
    expect(await deleteGuild(suite.store, guild)).toEqual({
      members: 3,
      staged: 0,
      keys: 1,
      linksEnded: true,
      config: true,
      counters: true,
      quota: false,
    });
  });
});
