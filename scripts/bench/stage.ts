import { once } from 'node:events';
import { type Services, servicesOn } from '../../src/cli/services.ts';
import { connect } from '../../src/redis/connection.ts';
import { type EmbeddedRedis, startEmbeddedRedis } from '../dev/embedded-redis.ts';
import type { Pinning } from './pinning.ts';
import { logProgress } from './terminal.ts';

/** A Redis of the benchmark's own, on the load's core, with a connection that writes to it. */
export interface Stage {
  readonly pinning: Pinning;
  readonly redis: EmbeddedRedis;
  readonly store: Services;
  /** Bytes that Redis holds in data, by its own account. */
  usedMemory(): Promise<number>;
  close(): Promise<void>;
}

/** Seeding sends large batches to a Redis that shares its core: nobody waits for these like for a request. */
const PATIENCE_MS = 60_000;

/** Starts an empty Redis and connects to it. @throws when there is no redis-server or valkey-server. */
export async function openStage(pinning: Pinning): Promise<Stage> {
  const redis = await startEmbeddedRedis();
  const client = connect({ url: redis.url, mode: 'standalone', nodes: [], sentinelName: '', timeoutMs: PATIENCE_MS });
  client.on('error', (error: Error) => logProgress(`Redis connection: ${error.message}`));
  await once(client, 'ready');
  return {
    pinning,
    redis,
    store: servicesOn(client, 'gr', ['pro']),
    usedMemory: async () => Number(/^used_memory:(\d+)/m.exec(await client.info('memory'))?.[1]),
    close: async () => {
      client.disconnect();
      await redis.stop();
    },
  };
}
