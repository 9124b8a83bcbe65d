import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';
import { Cluster } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startChild } from '../../scripts/dev/child-process.ts';
import { parseConfig } from '../../src/config/service.ts';
import { type Core, openCore } from '../../src/core/core.ts';
import { withNoun } from '../../src/core/format-numbers.ts';
import type { RedisClient } from '../../src/core/store/client.ts';
import { connect } from '../../src/core/store/connection.ts';
import { startCluster } from '../support/cluster.ts';
import { untilConnected } from '../support/connected.ts';
import { nodeArguments } from '../support/entry.ts';
import { recordFigure } from '../support/figures.ts';
import { type Content, expectSameGuild, fillGuild, guildContent, startRandomBot } from '../support/guild-content.ts';
import { needs } from '../support/needs.ts';
import { repository } from '../support/run-command.ts';
import { realStore } from '../support/stores.ts';
import { ALL_VARIANTS } from '../support/variants.ts';

/** docs/operations.md has the time and the memory of MOVE_MEMBERS=1000000 FIGURES_FILE=move.ndjson. */
const MEMBERS = Number(process.env.MOVE_MEMBERS ?? 2000);
const LONGEST_MS = 900_000;
const MB = 1024 * 1024;

type Move = readonly [from: string, to: string, source: number, target: number];
const BETWEEN_CLUSTERS: Move = ['a Cluster', 'another Cluster', 1, 2];
/** In the second tier test/integration/guild-move.test.ts has a single Redis on both sides of the pipe. */
const MOVES: readonly [Move, ...Move[]] = ALL_VARIANTS
  ? [['a single Redis', 'a Cluster', 0, 1], BETWEEN_CLUSTERS, ['a Cluster', 'a single Redis', 2, 0]]
  : [BETWEEN_CLUSTERS];

interface Place {
  readonly env: Readonly<Record<string, string>>;
  readonly store: Core;
}

describe('guild export and import with Clusters', { ...needs('redis-server'), timeout: 2 * LONGEST_MS }, () => {
  const cleanUps: (() => unknown)[] = [];
  let places: Place[];
  beforeAll(async () => {
    const [single, ...clusters] = await Promise.all([realStore.start(), startCluster(), startCluster()]);
    cleanUps.push(() => single.stop(), ...clusters.map((cluster) => cluster.stop));
    const toClusters = clusters.map(({ addresses }) => ({ REDIS_MODE: 'cluster', REDIS_NODES: addresses }));
    const connected = [{ REDIS_URL: single.url as string }, ...toClusters].map(async (env) => {
      const client = connect({ ...parseConfig(env).redis, timeoutMs: LONGEST_MS });
      cleanUps.push(() => client.disconnect());
      await untilConnected(client);
      return { env, store: openCore(client, 'gr') };
    });
    places = await Promise.all(connected);
    await fillGuild((places[MOVES[0][2]] as Place).store, MEMBERS);
  }, LONGEST_MS);
  afterAll(async () => {
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
  });

  it.each(MOVES)(
    'guild export and import move a guild from %s to %s, beside a writing bot',
    async (_from, _to, source, target) => {
      const from = places[source] as Place;
      const to = places[target] as Place;
      for (const node of nodesOf(to.store.client)) await node.flushall();
      for (const node of [from, to].flatMap(({ store }) => nodesOf(store.client))) {
        await node.config('SET', 'slowlog-log-slower-than', '1000');
        await node.config('SET', 'slowlog-max-len', '100000');
        await node.slowlog('RESET');
      }
      const stop = startRandomBot(from.store.client, MEMBERS);
      cleanUps.push(stop);
      const startedAt = performance.now();
      const seconds = () => Math.round((performance.now() - startedAt) / 100) / 10;
      const move = startMove(from, to);
      cleanUps.push(move.stop);
      await move.waitForOutput('the pause', () => move.stderr().includes('press Enter'), LONGEST_MS);
      const copied = seconds();
      const writes = await stop(11);
      move.child.stdin?.write('\n');
      expect(await move.waitForEnd(LONGEST_MS), move.output()).toEqual({ code: 0, signal: null });
      const ended = seconds();
      const slowest = await Promise.all([from, to].map(({ store }) => longest(store.client)));
      const digest = (profile: Buffer | null) =>
        createHash('sha1')
          .update(profile ?? '')
          .digest('base64');
      const contents = [to, from].map(({ store }) =>
        guildContent(store.client, store.counters, MEMBERS > 10_000 ? digest : undefined),
      );
      const [moved, original] = (await Promise.all(contents)) as [Content, Content];
      expectSameGuild(moved, original);
      expect(move.stdout()).toContain(`Stored guild g: ${withNoun(moved.profiles.length, 'member')}, `);
      recordFigure(`guild move of ${MEMBERS} members, ${_from} to ${_to}`, {
        ...{ members: moved.profiles.length, writes, copied, pause: Math.round((ended - copied) * 10) / 10 },
        told: /takes (\d+ to \d+) s/.exec(move.stderr())?.[1] ?? '',
        ...{ exportMb: move.peaksMb()[0] ?? 0, importMb: move.peaksMb()[1] ?? 0 },
        ...{ slowestFrom: slowest[0] ?? '', slowestTo: slowest[1] ?? '' },
      });
    },
  );

  /** Starts both commands with a pipe between them, as in a shell. */
  function startMove(from: Place, to: Place) {
    const command = ({ env }: Place, ...args: string[]) => [
      'env',
      ...Object.entries(env).map((pair) => pair.join('=')),
      process.execPath,
      ...nodeArguments(['src/cli/main.ts', 'guild']),
      ...args,
    ];
    const line = [...command(from, 'export', '--guild', 'g'), '|', ...command(to, 'import')].join(' ');
    const shell = startChild('bash', ['-o', 'pipefail', '-c', line], { cwd: repository, stdin: 'pipe' });
    const peaks = [0, 0];
    const timer = setInterval(() => {
      const { pid } = shell.child;
      const pids = shell.isRunning() ? readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ') : [];
      pids.forEach((each, i) => {
        peaks[i] = Math.max(peaks[i] ?? 0, peakMb(each));
      });
    }, 100);
    void shell.ended.then(() => clearInterval(timer));
    return { ...shell, peaksMb: () => peaks };
  }
});

/** Returns the highest memory in use that a process had (Linux). */
function peakMb(pid: string): number {
  // A process can end meanwhile.
  const status = existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, 'utf8') : '';
  return Math.round((Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024) / MB);
}

function nodesOf(client: RedisClient): Redis[] {
  return client instanceof Cluster ? client.nodes('master') : [client];
}

/** Returns the times in milliseconds of the longest commands of all nodes, with their beginnings. */
async function longest(client: RedisClient): Promise<string> {
  const logs = await Promise.all(nodesOf(client).map((node) => node.slowlog('GET', 100_000)));
  const slow = (logs.flat() as [number, number, number, string[]][]).sort(([, , a], [, , b]) => b - a);
  const texts = slow.slice(0, 5).map(([, , micros, command]) => `${micros / 1000} ${command.slice(0, 4).join(' ')}`);
  return texts.join(', ');
}
