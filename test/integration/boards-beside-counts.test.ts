import { describe, expect, it } from 'vitest';
import { beginCountScript, commitCountScript } from '../../src/core/counters/recount-scripts.ts';
import { createReader } from '../../src/kit/reader.ts';
import { needs } from '../support/needs.ts';
import { storeSuite } from '../support/store-suite.ts';
import { realStore } from '../support/stores.ts';

describe('a count of the members that runs while', needs('redis-server'), () => {
  const suite = storeSuite(realStore);
  const step = (guild: string) => {
    const fields = { token: 'token', size: 1, config: [] };
    return commitCountScript.run(suite.store.scripts, suite.store.redisKeys.guild(guild), fields);
  };
  /** Makes a guild with members on boards, of which a count has passed two. */
  const begin = async () => {
    const guild = suite.newGuild();
    const { writer, guildConfig } = suite.store;
    await guildConfig.update(guild, { boards: ['week', 'month'] });
    const amounts = [500, 300, 100];
    await writer.recordMany(
      guild,
      amounts.map((add) => ({ userId: `u${add}`, add })),
    );
    await beginCountScript.run(suite.store.scripts, suite.store.redisKeys.guild(guild), { token: 'token', curve: '' });
    for (const _ of ['u500', 'u300']) expect((await step(guild)).status).toBe('OK');
    return guild;
  };
  const boards = async (guild: string) => (await suite.store.counters.check(guild)).stored.boards;
  const end = async (guild: string) => {
    let { status } = await step(guild);
    while (status === 'OK') ({ status } = await step(guild));
    expect(status).toBe('DONE');
    const { stored, actual } = await suite.store.counters.check(guild);
    expect(stored).toEqual(actual);
  };

  it('a count counts the new board when a board is taken away and comes back meanwhile', async () => {
    const guild = await begin();
    await suite.store.guildConfig.update(guild, { boards: ['month'] });
    await suite.store.guildConfig.update(guild, { boards: ['week', 'month'] });
    await suite.store.writer.record(guild, { userId: 'u500', add: 7 });
    await end(guild);
    expect(await boards(guild)).toMatchObject({ week: { totalXp: 7n }, month: { totalXp: 907n } });
    expect(await createReader(suite.store.client).stats(guild, { board: 'week' })).toMatchObject({ totalXp: 7n });
  });

  it('a count counts each of many members that a single call records meanwhile', async () => {
    const guild = await begin();
    await suite.store.writer.recordMany(guild, [
      { userId: 'u500', add: 40 },
      { userId: 'new', set: 900 },
      { userId: 'u300', set: 400 },
      { userId: 'new', add: 1 },
    ]);
    await end(guild);
    expect(await boards(guild)).toMatchObject({ week: { members: 4n, totalXp: 941n } });
  });

  it('a count counts the boards of the new season when a season ends meanwhile', async () => {
    const guild = await begin();
    await suite.store.writer.resetSeason(guild, { archiveAs: `${guild}.1` });
    await suite.store.writer.record(guild, { userId: 'u100', add: 9 });
    await end(guild);
    expect(await boards(guild)).toMatchObject({ week: { totalXp: 9n }, 'month.prev': { totalXp: 0n } });
  });
});
