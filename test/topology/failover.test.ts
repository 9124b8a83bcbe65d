import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { EmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { assertContent, failuresSince, figuresOf, judgeTimes, neverSteady, type Run } from '../fault/judgement.ts';
import { becomesSteady, watchPings } from '../fault/scenario.ts';
import { type ClusterNode, startCluster, type TestCluster } from '../support/cluster.ts';
import { CONCLUSIVE, untilConclusive, type Verdict } from '../support/conclusive.ts';
import { recordFigure } from '../support/figures.ts';
import { guildOn, type TestGuild } from '../support/guild.ts';
import { startLoad } from '../support/load.ts';
import { needs } from '../support/needs.ts';
import { startServiceProcess } from '../support/process.ts';
import { startSentinelSet } from '../support/sentinel.ts';
import { ALL_VARIANTS } from '../support/variants.ts';
import { PATIENT } from '../support/wait.ts';
import { type JournalWrite, missingWrites, startJournal } from './journal.ts';

const RATE = 500;
/** Enough for the nodes to notice the fault, to agree and to promote a replica. */
const PROMOTION = { timeout: 40_000, interval: 10 };
/** After the promotion: the promised second, and time in which a late failure would show. */
const AFTERWARDS_MS = 1500;
const MB = 1024 * 1024;
const MAX_GROWTH = 50 * MB;
/** Guild ids are tried until each shard has its guilds; a handful is enough. */
const MAX_GUILDS = 1000;

const ways = [
  ['is killed', 'SIGKILL'],
  ['hangs', 'SIGSTOP'],
] as const;
/** The second tier has each way once. */
const waysOf = (way: (typeof ways)[number][0]) => ways.filter(([name]) => ALL_VARIANTS || name === way);

describe('the failure of a master under load', needs('redis-server'), () => {
  it.each(waysOf('is killed'))(
    'when a master %s, a Cluster serves again within a second of the promotion, and the other shards never stop',
    CONCLUSIVE,
    async (way, signal) => {
      await repeatedly(`Cluster master ${way}`, async () => {
        const cluster = await startCluster(1);
        try {
          const env = { REDIS_MODE: 'cluster', REDIS_NODES: cluster.addresses };
          const { struck, others, journalId, old } = await guildsAround(cluster, env);
          return await failOver({
            ...{ env, struck, others, journalId, signal },
            old: old.server,
            servers: cluster.nodes.map(({ server }) => server),
            promoted: async () => (await cluster.masterOf(`{${struck.id}}`, old)) !== old,
            demoted: async () => (await old.admin.info('replication')).includes('role:slave'),
          });
        } finally {
          await cluster.stop();
        }
      });
    },
  );

  it.each(waysOf('hangs'))(
    'when a master %s, a Sentinel set serves again within a second of the promotion',
    CONCLUSIVE,
    async (way, signal) => {
      await repeatedly(`Sentinel master ${way}`, async () => {
        const set = await startSentinelSet();
        try {
          const env = { REDIS_MODE: 'sentinel', REDIS_NODES: set.addresses, REDIS_SENTINEL_NAME: set.name };
          const old = await set.master();
          return await failOver({
            ...{ env, struck: await guildOn(env), others: [], journalId: 'journal', signal },
            old,
            servers: set.servers,
            promoted: async () => (await set.master()) !== old,
            demoted: () => set.isReplica(old),
          });
        } finally {
          await set.stop();
        }
      });
    },
  );
});

interface Failover {
  readonly env: Record<string, string>;
  readonly signal: 'SIGKILL' | 'SIGSTOP';
  /** The guild whose master is struck, and guilds on other shards. */
  readonly struck: TestGuild;
  readonly others: readonly TestGuild[];
  /** A guild on the struck shard that a bot writes to meanwhile. */
  readonly journalId: string;
  readonly old: EmbeddedRedis;
  /** All servers, the old master among them. */
  readonly servers: readonly EmbeddedRedis[];
  readonly promoted: () => Promise<boolean>;
  readonly demoted: () => Promise<boolean>;
}

interface Outcome {
  readonly verdict: Verdict;
  readonly figures: Record<string, number>;
}

/** Repeats a failover, on nodes started anew, until the promises about time can be judged. */
async function repeatedly(name: string, tryOnce: () => Promise<Outcome>): Promise<void> {
  let figures: Record<string, number> = {};
  const tries = await untilConclusive(name, async () => {
    const outcome = await tryOnce();
    figures = outcome.figures;
    return outcome.verdict;
  });
  recordFigure(name, { ...figures, tries });
}

async function failOver(it: Failover): Promise<Outcome> {
  const { env, struck, others, journalId, old, signal } = it;
  const guilds = [struck, ...others];
  const service = await startServiceProcess({ ...env, ...struck.env });
  const journal = await startJournal(env, journalId);
  const rate = RATE / guilds.length;
  const loads = guilds.map((guild) => startLoad(service.url, { ...guild, rate }));
  const pings = it.servers.filter((server) => server !== old).map(({ url }) => watchPings(url));
  const redisLagNow = () => Math.max(...pings.map((each) => each.worst()));
  try {
    const areSteady = await Promise.all(loads.map(({ answers }) => becomesSteady(answers, rate)));
    if (areSteady.includes(false)) {
      const noise = Math.max(...loads.map((load) => load.worstLag())) + service.worstLag(0) + redisLagNow();
      return { verdict: neverSteady(noise), figures: {} };
    }
    if (await it.promoted()) {
      // The machine held up its master for a second.
      const noise = 'the machine made the nodes fail over by themselves';
      return { verdict: { broken: ['a failover before the fault'], noise }, figures: {} };
    }
    const rss = service.rss();
    const begun = performance.now();
    old.process.kill(signal);
    await vi.waitFor(async () => expect(await it.promoted(), 'a replica is promoted').toBe(true), PROMOTION);
    const back = performance.now();
    await delay(AFTERWARDS_MS);
    if (signal === 'SIGSTOP') {
      // Now the old master runs again and believes that it still is the master.
      old.process.kill('SIGCONT');
      await vi.waitFor(async () => expect(await it.demoted(), 'the old master is a replica').toBe(true), PROMOTION);
      await delay(AFTERWARDS_MS);
    }
    const isAfter = ({ sentAt, acknowledged }: JournalWrite) => acknowledged && sentAt > back;
    await vi.waitFor(() => expect(journal.writes.some(isAfter), 'a write after the promotion').toBe(true), PATIENT);
    const growth = service.rss() - rss;
    const lag = Math.max(...loads.map((load) => load.worstLag()));
    const redisLag = redisLagNow();
    const answers = await Promise.all(loads.map((load) => load.stop()));
    const writes = await journal.stop();

    const runs = guilds.map(
      (guild, i): Run => ({
        ...{ service, begun, back, lag, redisLag, guild, answers: answers[i] ?? [] },
        fault: { seen: guild === struck ? 'maybe' : 'no' },
      }),
    );
    for (const run of runs) assertContent(run);
    expect(growth, 'growth of the process').toBeLessThan(MAX_GROWTH);
    const missing = await missingWrites(env, journalId, writes);
    const after = writes.filter(isAfter);
    expect(
      missing.filter(({ sentAt }) => sentAt > back),
      'acknowledged after the promotion, and gone',
    ).toEqual([]);

    const verdicts = runs.map(judgeTimes);
    // A busy machine can keep the test from sending a request before a replica is promoted.
    const isSeen = failuresSince(answers[0] ?? [], begun).length > 0;
    const unseen = { broken: ['no request failed without a master'], noise: verdicts[0]?.noise };
    return {
      verdict: combined(isSeen ? verdicts : [unseen, ...verdicts]),
      figures: {
        ...figuresOf(runs[0] as Run),
        growthMb: Math.round(growth / MB),
        promotionMs: Math.round(back - begun),
        writesAfter: after.length,
        // Redis acknowledges before its replica has the write: a write not yet sent when the master dies is lost.
        unreplicated: missing.length,
      },
    };
  } finally {
    for (const load of loads) await load.stop();
    for (const each of pings) await each.stop();
    await journal.stop();
    for (const guild of guilds) guild.close();
    await service.stop();
  }
}

/** One conclusive failure decides; otherwise all that is broken is inconclusive together. */
function combined(verdicts: readonly Verdict[]): Verdict {
  const broken = verdicts.filter((verdict) => verdict.broken.length > 0);
  const conclusive = broken.find(({ noise }) => noise === undefined);
  const texts = new Set(broken.flatMap((verdict) => verdict.broken));
  return conclusive ?? { broken: [...texts], noise: broken[0]?.noise };
}

/** Makes a guild on each shard. None of their key records is on the shard of the first guild, where the fault will be. */
async function guildsAround(cluster: TestCluster, env: Record<string, string>) {
  const byMaster = new Map<ClusterNode, string[]>();
  for (let n = 0; byMaster.size < 3 || [...byMaster.values()].some((ids) => ids.length < 2); n++) {
    if (n === MAX_GUILDS) throw new Error(`${n} guilds, but not two on each of three shards`);
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
