import { once } from 'node:events';
import { type Services, servicesOn } from '../../src/cli/services.ts';
import { parseConfig } from '../../src/config.ts';
import { connect } from '../../src/redis/connection.ts';
import { type EmbeddedRedis, startEmbeddedRedis } from '../dev/embedded-redis.ts';
import type { Pinning } from './pinning.ts';
import type { Runtime } from './runtime.ts';
import { logProgress } from './terminal.ts';

/** How and where the processes of the benchmark run. */
export interface TestbedOptions {
  readonly pinning: Pinning;
  readonly runtime: Runtime;
}

/** A Redis of the benchmark's own on the load core, with a connection that writes to it. */
export interface Testbed extends TestbedOptions {
  readonly redis: EmbeddedRedis;
  readonly store: Services;
  /** Returns the bytes that Redis uses for data, as INFO reports them. */
  usedMemory(): Promise<number>;
  close(): Promise<void>;
}

/** Command timeout. Seeding sends large batches to a Redis that shares its core. */
const TIMEOUT_MS = 60_000;

/** Starts an empty Redis and connects to it. @throws if there is no redis-server or valkey-server. */
export async function openTestbed({ pinning, runtime }: TestbedOptions): Promise<Testbed> {
  const redis = await startEmbeddedRedis();
  const client = connect({ ...parseConfig({ REDIS_URL: redis.url }).redis, timeoutMs: TIMEOUT_MS });
  client.on('error', (error: Error) => logProgress(`Redis connection: ${error.message}`));
  await once(client, 'ready');
  return {
    pinning,
    runtime,
    redis,
    store: servicesOn(client, 'gr', ['pro']),
    usedMemory: async () => Number(/^used_memory:(\d+)/m.exec(await client.info('memory'))?.[1]),
    close: async () => {
      client.disconnect();
      await redis.stop();
    },
  };
}
