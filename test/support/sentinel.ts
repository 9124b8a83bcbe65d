import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, vi } from 'vitest';
import { type RunningChild, startChild } from '../../scripts/dev/child-process.ts';
import { type EmbeddedRedis, findRedisServer, freePort, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { PATIENT } from './wait.ts';

/** A real master with replicas, watched by three Sentinels, on loopback. */
export interface SentinelSet {
  readonly name: string;
  readonly servers: readonly EmbeddedRedis[];
  /** The Sentinels, for REDIS_NODES. */
  readonly addresses: string;
  /** Returns the server that is master by the word of the Sentinels. */
  master(): Promise<EmbeddedRedis>;
  /** Returns whether this server is a replica, by its own word. */
  isReplica(server: EmbeddedRedis): Promise<boolean>;
  /** Sets how long a server must be silent before a Sentinel takes it for down: one second unless set. */
  setDownAfter(ms: number): Promise<void>;
  stop(): Promise<void>;
}

const NAME = 'guilds';
const SENTINELS = 3;
const QUORUM = 2;
const DOWN_AFTER_MS = 1000;

/** Starts all and waits until every Sentinel knows the replicas, two unless given, and the two other Sentinels. */
export async function startSentinelSet(replicaCount = 2): Promise<SentinelSet> {
  const master = await startEmbeddedRedis(['--repl-diskless-sync-delay', '0']);
  const replicaOf = ['--replicaof', '127.0.0.1', `${master.port}`, '--repl-diskless-sync-delay', '0'];
  const replicas = await Promise.all(Array.from({ length: replicaCount }, () => startEmbeddedRedis(replicaOf)));
  const servers = [master, ...replicas];
  const sentinels = await Promise.all(Array.from({ length: SENTINELS }, () => startSentinel(master.port)));
  const stop = async (): Promise<void> => {
    for (const { admin } of sentinels) admin.disconnect();
    await Promise.all([...sentinels.map((sentinel) => sentinel.stop()), ...servers.map((server) => server.stop())]);
  };
  try {
    await Promise.all(
      sentinels.map(({ admin }) =>
        vi.waitFor(async () => {
          const [state] = (await admin.call('SENTINEL', 'MASTERS')) as string[][];
          const field = (name: string) => Number(state?.[state.indexOf(name) + 1]);
          expect(field('num-slaves'), 'replicas known to a Sentinel').toBe(replicaCount);
          expect(field('num-other-sentinels'), 'Sentinels known to a Sentinel').toBe(SENTINELS - 1);
        }, PATIENT),
      ),
    );
  } catch (error) {
    await stop();
    throw error;
  }
  const [first] = sentinels as [Sentinel, ...Sentinel[]];
  return {
    name: NAME,
    servers,
    addresses: sentinels.map(({ port }) => `127.0.0.1:${port}`).join(','),
    master: async () => {
      const [, port] = (await first.admin.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME)) as [string, string];
      const found = servers.find((server) => server.port === Number(port));
      if (!found) throw new Error(`The Sentinels name an unknown master on port ${port}`);
      return found;
    },
    isReplica: async ({ url }) => {
      const admin = new Redis(url, { maxRetriesPerRequest: 0, commandTimeout: 1000 });
      admin.on('error', () => {});
      try {
        return (await admin.info('replication')).includes('role:slave');
      } finally {
        admin.disconnect();
      }
    },
    setDownAfter: async (ms) => {
      await Promise.all(
        sentinels.map(({ admin }) => admin.call('SENTINEL', 'SET', NAME, 'down-after-milliseconds', ms)),
      );
    },
    stop,
  };
}

interface Sentinel {
  readonly port: number;
  readonly admin: Redis;
  readonly process: RunningChild;
  stop(): Promise<void>;
}

async function startSentinel(masterPort: number): Promise<Sentinel> {
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-sentinel-'));
  const file = join(folder, 'sentinel.conf');
  const port = await freePort();
  writeFileSync(
    file,
    [
      `port ${port}`,
      'bind 127.0.0.1',
      `dir ${folder}`,
      `sentinel monitor ${NAME} 127.0.0.1 ${masterPort} ${QUORUM}`,
      `sentinel down-after-milliseconds ${NAME} ${DOWN_AFTER_MS}`,
      `sentinel failover-timeout ${NAME} 5000`,
      `sentinel parallel-syncs ${NAME} 2`,
      '',
    ].join('\n'),
  );
  const binary = findRedisServer();
  if (!binary) throw new Error('A Sentinel needs redis-server or valkey-server on PATH');
  const sentinel = startChild(binary, [file, '--sentinel']);
  await sentinel.waitForOutput('the Sentinel to watch its master', () => sentinel.output().includes('+monitor master'));
  const admin = new Redis(port, '127.0.0.1', { maxRetriesPerRequest: 0, commandTimeout: 20_000 });
  admin.on('error', () => {});
  // By default the Sentinels find each other in two seconds, and make a master that comes back a replica in ten.
  await admin.call('SENTINEL', 'DEBUG', 'info-period', 1000, 'publish-period', 500);
  const stop = async (): Promise<void> => {
    await sentinel.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { port, admin, process: sentinel, stop };
}
