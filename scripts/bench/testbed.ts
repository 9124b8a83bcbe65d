import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseConfig } from '../../src/config/service.ts';
import { type Core, openCore } from '../../src/core/core.ts';
import { connect } from '../../src/core/store/connection.ts';
import { type EmbeddedRedis, startEmbeddedRedis } from '../dev/embedded-redis.ts';
import { type Cores, moveToCore } from './pinning.ts';
import { logProgress } from './report.ts';

/** Options of all sections. */
export interface BenchOptions {
  /** Measured seconds of one server in one round. */
  readonly seconds: number;
  readonly rounds: number;
  /** Uses a tenth of the data, to try the benchmark itself. */
  readonly small: boolean;
  /** Folder of a built checkout to compare with. */
  readonly before: string | undefined;
  readonly cores: Cores | undefined;
  /** Failed requests so far, by what failed. */
  readonly failures: Record<string, number>;
}

/** A Redis of the benchmark's own on the load core, with a connection that writes to it. */
export interface Testbed {
  readonly options: BenchOptions;
  readonly redis: EmbeddedRedis;
  readonly store: Core;
  /** Returns the bytes that Redis uses for data, as INFO reports them. */
  usedMemory(): Promise<number>;
}

/** Command timeout. An import sends large batches to a Redis that shares its core. */
const TIMEOUT_MS = 60_000;

/** Runs work on an empty Redis, which ends with it. @throws if there is no redis-server or valkey-server. */
export async function withTestbed<T>(options: BenchOptions, work: (testbed: Testbed) => Promise<T>): Promise<T> {
  const redis = await startEmbeddedRedis();
  moveToCore(options.cores?.redis, redis.process.pid as number);
  const client = connect({ ...parseConfig({ REDIS_URL: redis.url }).redis, timeoutMs: TIMEOUT_MS });
  try {
    client.on('error', (error: Error) => logProgress(`Redis connection: ${error.message}`));
    await once(client, 'ready');
    const usedMemory = async () => Number(/^used_memory:(\d+)/m.exec(await client.info('memory'))?.[1]);
    return await work({ options, redis, store: openCore(client, 'gr'), usedMemory });
  } finally {
    client.disconnect();
    await redis.stop();
  }
}

/** Creates a temporary folder that is removed when this process ends. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
