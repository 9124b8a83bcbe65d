import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { EmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { judge } from '../fault/scenario.ts';
import { type ClusterNode, startCluster, type TestCluster } from '../support/cluster.ts';
import { recordFigure } from '../support/figures.ts';
import { guildOn, type TestGuild } from '../support/guild.ts';
import { missingWrites, startJournal } from '../support/journal.ts';
import { type Load, startLoad } from '../support/load.ts';
import { startServiceProcess } from '../support/process.ts';
import { startSentinelSet } from '../support/sentinel.ts';
import { hasRedis } from '../support/stores.ts';
import { until } from '../support/until.ts';

const RATE = 500;
/** Enough to notice, agree and promote. */
const PATIENCE_MS = 20_000;
/** After the promotion: the promised second, and time in which a late failure would show. */
const AFTERWARDS_MS = 1500;
const MAX_GROWTH = 50 * 1024 * 1024;

const ways = [
  ['is killed', 'SIGKILL'],
  ['hangs', 'SIGSTOP'],
] as const;

describe.skipIf(!hasRedis).each(ways)('when a master %s under load', (way, signal) => {
  it('a Cluster serves again within a second of the promotion, and the other shards never stop', async () => {
    const cluster = await startCluster(1);
    const env = { REDIS_MODE: 'cluster', REDIS_NODES: cluster.addresses };
    const { struck, others, journalId, old } = await guildsAround(cluster, env);
    const nodes: Failover = {
      ...{ env, struck, others, journalId, signal, name: `Cluster master ${way}` },
      old: old.server,
      promoted: async () => (await cluster.masterOf(`{${struck.id}}`, old)) !== old,
      demoted: async () => (await old.admin.info('replication')).includes('role:slave'),
    };
    await failOver(nodes).finally(cluster.stop);
  });

  it('a Sentinel set serves again within a second of the promotion', async () => {
    const set = await startSentinelSet();
    const env = { REDIS_MODE: 'sentinel', REDIS_NODES: set.addresses, REDIS_SENTINEL_NAME: set.name };
    const old = await set.master();
    await failOver({
      ...{ env, struck: await guildOn(env), others: [], journalId: 'journal', signal, name: `Sentinel master ${way}` },
      old,
      promoted: async () => (await set.master()) !== old,
      demoted: () => set.isReplica(old),
    }).finally(set.stop);
  });
});

interface Failover {
  readonly name: string;
  readonly env: Record<string, string>;
  readonly signal: 'SIGKILL' | 'SIGSTOP';
  /** The guild whose master is struck, and guilds on other shards. */
  readonly struck: TestGuild;
  readonly others: readonly TestGuild[];
  /** A guild on the struck shard that a bot writes to meanwhile. */
  readonly journalId: string;
  readonly old: EmbeddedRedis;
  readonly promoted: () => Promise<boolean>;
  readonly demoted: () => Promise<boolean>;
}

async function failOver(it: Failover): Promise<void> {
  const { env, struck, others, journalId, old, signal } = it;
  const guilds = [struck, ...others];
  const service = await startServiceProcess({ ...env, ...struck.env });
  const journal = await startJournal(env, journalId);
  try {
    const loads = guilds.map((guild) => startLoad(service.url, { ...guild, rate: RATE / guilds.length }));
    await until(() => loads.every(({ answers }) => answers.length > RATE / guilds.length));
    const rss = service.rss();
    const begun = performance.now();
    old.process.kill(signal);
    await until(it.promoted, { timeoutMs: PATIENCE_MS });
    const back = performance.now();
    await delay(AFTERWARDS_MS);
    if (signal === 'SIGSTOP') {
      // Now the old master comes to, believing that it still is one.
      old.process.kill('SIGCONT');
      await until(it.demoted, { timeoutMs: PATIENCE_MS, retry: true });
      await delay(AFTERWARDS_MS);
    }
    const growth = service.rss() - rss;
    const lag = Math.max(...loads.map((load) => load.worstLag()));
    const runs = await Promise.all(loads.map((load: Load) => load.stop()));
    const writes = await journal.stop();

    const run = { service, begun, back, lag };
    const figures = judge({ ...run, guild: struck, answers: runs[0] ?? [], fault: { seen: 'yes' } });
    others.forEach((guild, i) => {
      judge({ ...run, guild, answers: runs[i + 1] ?? [], fault: { seen: 'no' } });
    });
    expect(growth, 'growth of the process').toBeLessThan(MAX_GROWTH);

    const missing = await missingWrites(env, journalId, writes);
    const after = writes.filter(({ sentAt, acknowledged }) => acknowledged && sentAt > back);
    expect(after.length).toBeGreaterThan(0);
    expect(
      missing.filter(({ sentAt }) => sentAt > back),
      'acknowledged after the promotion, and gone',
    ).toEqual([]);
    recordFigure(it.name, {
      ...figures,
      growthMb: Math.round(growth / 1024 / 1024),
      promotionMs: Math.round(back - begun),
      writesAfter: after.length,
      // Redis acknowledges before its replica has the write: what it had not sent when it died is gone with it.
      unreplicated: missing.length,
    });
  } finally {
    await journal.stop();
    for (const guild of guilds) guild.close();
    await service.stop();
  }
}

/** A guild on each shard, with none of their key records on the first one's shard, where the fault will be. */
async function guildsAround(cluster: TestCluster, env: Record<string, string>) {
  const byMaster = new Map<ClusterNode, string[]>();
  for (let n = 0; byMaster.size < 3 || [...byMaster.values()].some((ids) => ids.length < 2); n++) {
    const master = await cluster.masterOf(`{guild-${n}}`);
    byMaster.set(master, [...(byMaster.get(master) ?? []), `guild-${n}`]);
  }
  const [[old, [struckId, journalId]], ...rest] = [...byMaster] as [
    [ClusterNode, [string, string]],
    ...[ClusterNode, string[]][],
  ];
  const elsewhere = async (recordKey: string) => (await cluster.masterOf(recordKey)) !== old;
  const struck = await guildOn(env, struckId, elsewhere);
  const others: TestGuild[] = [];
  for (const [, [id]] of rest) others.push(await guildOn(env, id as string, elsewhere));
  return { struck, others, journalId, old };
}
