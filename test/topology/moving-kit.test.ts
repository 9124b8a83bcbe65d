import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config/service.ts';
import { type Core, openCore } from '../../src/core/core.ts';
import { StoreUnavailableError } from '../../src/core/errors.ts';
import { connect } from '../../src/core/store/connection.ts';
import { createReader } from '../../src/kit/reader.ts';
import { GuildModel } from '../model/guild-model.ts';
import { type ClusterNode, startCluster, type TestCluster } from '../support/cluster.ts';
import { untilConnected } from '../support/connected.ts';
import { recordFigure } from '../support/figures.ts';
import { needs } from '../support/needs.ts';
import { MIGRATION_MS } from '../support/wait.ts';

/** KIT_MOVES=50 is the full length. */
const MOVES = Number(process.env.KIT_MOVES ?? 4);

describe('the calls of the bot kit in a Cluster that moves the slot of the guild', needs('redis-server'), () => {
  let cluster: TestCluster;
  let store: Core;
  beforeAll(async () => {
    cluster = await startCluster();
    const { redis } = parseConfig({ REDIS_MODE: 'cluster', REDIS_NODES: cluster.addresses });
    const client = connect({ ...redis, timeoutMs: 5000 });
    await untilConnected(client);
    store = openCore(client, 'gr');
  });
  afterAll(async () => {
    store?.client.disconnect();
    await cluster?.stop();
  });

  const seen = { done: 0, refused: 0 };

  /** Expects that a call does what the model does, or is refused. Then the model stays as it was too. */
  const check = async (call: () => Promise<unknown>, follow: () => unknown): Promise<void> => {
    try {
      const result = await call();
      seen.done++;
      const expected = follow();
      if (typeof expected === 'object' && !Array.isArray(expected)) expect(result).toMatchObject(expected as object);
      else expect(result).toEqual(expected);
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      seen.refused++;
    }
  };

  /** Moves the slot key by key, with work before, between and after. */
  const move = async (guild: string, count: number, work: () => Promise<void>): Promise<void> => {
    const source = await cluster.masterOf(`{${guild}}`);
    const others = cluster.nodes.filter((node) => node !== source);
    const target = others[count % others.length] as ClusterNode;
    const slot = (await source.admin.call('CLUSTER', 'KEYSLOT', `{${guild}}`)) as number;
    await target.admin.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', source.id);
    await source.admin.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', target.id);
    for (;;) {
      await work();
      const keys = (await source.admin.call('CLUSTER', 'GETKEYSINSLOT', slot, 1000)) as string[];
      const key = keys[count % keys.length];
      if (key === undefined) break;
      await source.admin.call('MIGRATE', '127.0.0.1', target.server.port, key, 0, MIGRATION_MS);
    }
    for (const node of [target, source, ...others])
      await node.admin.call('CLUSTER', 'SETSLOT', slot, 'NODE', target.id);
    await work();
  };

  it(`each call of the bot kit is done wholly or refused, over ${MOVES} moves of the slot`, {
    timeout: 180_000 + MOVES * 10_000,
  }, async () => {
    const { writer } = store;
    for (let n = 0; n < MOVES; n++) {
      const guild = `kit${n}`;
      const model = new GuildModel();
      for (const userId of ['a', 'b', 'c']) {
        await writer.record(guild, { userId, set: 300 });
        model.gain(userId, 300);
      }
      let turn = 0;
      await move(guild, n, async () => {
        const other = ['b', 'c', `new${turn}`][turn % 3] as string;
        const award = { userId: 'a', amount: 7, cooldownMs: 1, rank: true } as const;
        // A cooldown of a millisecond is over when the next call comes, or the award waits for it.
        await store.client.del(`gr:{${guild}}:cooldown:a`).catch(() => {});
        const awarded = () => ({ ...model.gain('a', 7), awarded: 7 });
        await check(() => writer.award(guild, award), awarded);
        await check(
          () => writer.record(guild, { userId: other, add: 5 }).then(({ members }) => members),
          () => model.record([{ userId: other, add: 5 }]),
        );
        const updates = [{ userId: 'b', username: `name ${turn}` }];
        await check(
          () => writer.setProfiles(guild, updates),
          () => model.setProfiles(updates),
        );
        const direction = turn % 2 === 0 ? 'hide' : 'unhide';
        await check(
          () => writer[direction](guild, ['b', other], { reason: 'left' }),
          () => model.move(['b', other], direction, 'left'),
        );
        if (turn % 4 === 3) {
          await check(
            () => writer.remove(guild, ['c']),
            () => model.remove(['c']),
          );
        }
        await check(
          async () => (await writer.claimDaily(guild, { userId: `claimer${turn}`, reward: 10 })).xp,
          () => model.gain(`claimer${turn}`, 10).xp,
        );
        turn++;
      });
      const page = await createReader(store.client).page(guild, 1, 100);
      expect(page.data.map(({ userId }) => userId)).toEqual(model.ranking());
      for (const { userId, xp, username } of page.data) {
        const member = model.members.get(userId);
        expect([xp, username]).toEqual([member?.xp, member?.username ?? userId]);
      }
      expect((await store.counters.check(guild)).exact).toBe(true);
    }
    expect(seen.done).toBeGreaterThan(MOVES * 5);
    expect(seen.refused).toBeGreaterThan(0);
    recordFigure('calls of the bot kit while a slot moves', { moves: MOVES, ...seen, wrong: 0 });
  });

  it('a season ends exactly when it is ended again after each refusal', async () => {
    const { writer } = store;
    const members = Array.from({ length: 300 }, (_, n) => ({ userId: `m${n}`, set: n + 1 }));
    await writer.recordMany('season', members);
    await writer.hide('season', ['m7']);
    const options = { archiveAs: 'season.s1' };
    let refused = 0;
    await move('season', 1, async () => {
      await writer.resetSeason('season', options).catch((error: unknown) => {
        // The lock of a call that was refused in its middle ends after ten seconds.
        if (!(error instanceof StoreUnavailableError) && !/is running/.test(String(error))) throw error;
        refused++;
      });
    });
    expect(refused).toBeGreaterThan(0);
    await store.client.del('gr:{season}:next:xp:lock');
    await store.client.del('gr:{season.s1}:next:xp:lock');
    await writer.resetSeason('season', options);
    const archived = await store.members.read(
      'season.s1',
      members.map(({ userId }) => userId),
    );
    expect(archived.members.map(({ xp }) => xp)).toEqual(members.map(({ set }) => set));
    expect(archived.members.filter(({ hidden }) => hidden).map(({ userId }) => userId)).toEqual(['m7']);
    expect(await store.client.zcount('gr:{season}:xp', 1, '+inf')).toBe(0);
    for (const guild of ['season', 'season.s1']) expect((await store.counters.check(guild)).exact).toBe(true);
  });
});
