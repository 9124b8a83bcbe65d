import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { readUsage } from '../../src/core/access/usage-reader.ts';
import { type Core, openCore } from '../../src/core/core.ts';
import { runCommand } from '../support/command.ts';
import { untilConnected } from '../support/connected.ts';
import { needs } from '../support/needs.ts';
import { LONG_REDIS_TIMEOUT, type ServiceProcess, SLOW_CLOCK, startServiceProcess } from '../support/process.ts';
import { PATIENT, whenServed } from '../support/wait.ts';
import { type RunningTopology, topologies } from './topologies.ts';

/** Guilds of three different thirds of the Cluster's slots. */
const GUILDS = ['guild-1', 'guild-2', 'guild-3', 'guild-4', 'guild-5', 'guild-6'];
const PLAN = 5;

describe.each(topologies)('the service on $name', needs('redis-server', 'openssl'), (topology) => {
  let redis: RunningTopology;
  let service: ServiceProcess;
  let store: Core;

  beforeAll(async () => {
    redis = await topology.start();
    service = await startServiceProcess({ ...LONG_REDIS_TIMEOUT, ...redis.env, PLAN_QUOTAS: `free=${PLAN},pro=10000` });
    const client = redis.connect();
    await untilConnected(client);
    store = openCore(client, 'gr');
  });
  afterAll(async () => {
    await service?.stop();
    store?.client.disconnect();
    await redis?.stop();
  });

  /** A service that has just started answers 503 until its connection to the node is open. */
  const get = (guild: string, path: string, key: string) =>
    whenServed(() => fetch(`${service.url}/api/v1/servers/${guild}/${path}`, { headers: { 'x-api-key': key } }));

  async function guildWithKey(guild: string, plan: string): Promise<{ key: string; keyId: string }> {
    await store.guildConfig.update(guild, { plan });
    const { key, record } = await store.apiKeys.create(guild, 'test', null);
    return { key, keyId: record.id };
  }

  it('the service answers the three reads with what the writer recorded, for guilds on every shard', async () => {
    for (const guild of GUILDS) {
      const { key } = await guildWithKey(guild, 'pro');
      await store.writer.recordMany(guild, [
        { userId: '1', set: 100, username: guild, dailyStreak: 3 },
        { userId: '2', set: 255 },
      ]);
      await expect((await get(guild, 'leaderboard', key)).json()).resolves.toEqual({
        data: [
          { rank: 1, user_id: '2', username: '2', level: 2, xp: 255 },
          { rank: 2, user_id: '1', username: guild, level: 1, xp: 100 },
        ],
        total: 2,
        page: 1,
      });
      await expect((await get(guild, 'members/1', key)).json()).resolves.toMatchObject({ rank: 2, daily_streak: 3 });
      await expect((await get(guild, 'stats', key)).json()).resolves.toMatchObject({
        total_members: 2,
        total_xp: 355,
        average_level: 2,
      });
      expect(await store.search.find(guild, `${guild} `)).toMatchObject([{ userId: '1', rank: 2, username: guild }]);
      expect((await store.counters.check(guild)).exact).toBe(true);
    }
  });

  it('guild list has the guilds of every shard', async () => {
    // A command fails when a busy machine does not open the connections to all nodes at once.
    const { stdout } = await vi.waitFor(async () => {
      const result = await runCommand('guild', ['list', '--json'], redis.env);
      expect(result).toMatchObject({ code: 0 });
      return result;
    }, PATIENT);
    const { guilds } = JSON.parse(stdout);
    for (const guild of GUILDS)
      expect(guilds).toContainEqual(expect.objectContaining({ guild, plan: 'pro', ranked: 2, keys: 1 }));
  });

  it('the service shows each acknowledged write in the next answer', async () => {
    const { key } = await guildWithKey('writes', 'pro');
    for (let xp = 1; xp <= 20; xp++) {
      await store.writer.record('writes', { userId: '1', add: 1 });
      expect(await (await get('writes', 'members/1', key)).json()).toMatchObject({ xp });
    }
  });

  it('the service lets exactly the quota through when many requests come at once', async () => {
    const { key } = await guildWithKey('quota', 'free');
    const answers = await Promise.all(Array.from({ length: 4 * PLAN }, () => get('quota', 'stats', key)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(PLAN);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(3 * PLAN);
  });

  it('a revoked key gets 401 long before its cache entry expires', async () => {
    const slow = await startServiceProcess({ ...LONG_REDIS_TIMEOUT, ...redis.env }, SLOW_CLOCK);
    onTestFinished(slow.stop);
    const { key, keyId } = await guildWithKey('revoked', 'pro');
    const address = `${slow.url}/api/v1/servers/revoked/stats`;
    const ask = () => whenServed(() => fetch(address, { headers: { 'x-api-key': key } }));
    expect((await ask()).status).toBe(200);
    await store.apiKeys.revoke('revoked', keyId);
    await vi.waitFor(async () => expect((await ask()).status).toBe(401), PATIENT);
  });

  it('the service has written the usage of each key when it has ended', async () => {
    const keys = await Promise.all(GUILDS.map(async (guild) => ({ guild, ...(await guildWithKey(guild, 'pro')) })));
    for (const { guild, key } of [...keys, ...keys]) expect((await get(guild, 'stats', key)).status).toBe(200);
    service.kill('SIGTERM');
    expect(await service.waitForEnd()).toEqual({ code: 0, signal: null });
    for (const { guild, keyId } of keys) {
      const usage = (await readUsage(store, guild, Date.now())).ofKey(keyId);
      expect(usage).toMatchObject({ lastUsed: expect.any(String), week: { requests: 2, refused: 0 } });
    }
  });
});
