import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { nodesOf, type RedisClient } from './client.ts';
import { infoFields } from './inspection.ts';

/** The memory of Redis: of the fullest master, where there are several. */
export interface RedisMemory {
  /** Bytes that its data take. */
  readonly used: number;
  /** The `maxmemory` of Redis in bytes, or else the memory of its machine; undefined if Redis tells neither. */
  readonly limit: number | undefined;
}

/** An answer stays good for the time between two scrapes, so several readers together ask Redis once. */
const KEPT_MS = 15_000;
/** A scrape does not wait longer for Redis. */
const WAIT_MS = 300;

/**
 * Returns a reader of the memory of Redis, by INFO. It asks each master once in 15 seconds at most, and waits 0.3 seconds.
 * @param now milliseconds on a clock that never goes back.
 * @returns (the reader) undefined where INFO is not allowed, does not tell it, or is not answered in time.
 */
export function memoryReader(client: RedisClient, now: () => number): () => Promise<RedisMemory | undefined> {
  let askedAt = Number.NEGATIVE_INFINITY;
  let asked: Promise<RedisMemory | undefined> = Promise.resolve(undefined);
  return () => {
    if (now() - askedAt >= KEPT_MS) {
      askedAt = now();
      const tooLate = delay(WAIT_MS, undefined, { ref: false });
      asked = Promise.race([readFullest(client), tooLate]);
    }
    return asked;
  };
}

async function readFullest(client: RedisClient): Promise<RedisMemory | undefined> {
  const masters = await Promise.all(nodesOf(client, 'master').map((node) => readMemory(node).catch(() => undefined)));
  const shareOf = (memory: RedisMemory | undefined): number => {
    if (!memory) return -1;
    return memory.limit === undefined ? 0 : memory.used / memory.limit;
  };
  return masters.sort((one, other) => shareOf(other) - shareOf(one))[0];
}

async function readMemory(node: Redis): Promise<RedisMemory | undefined> {
  const info = infoFields(await node.info('memory'));
  const bytes = (field: string): number | undefined => Number(info.get(field)) || undefined;
  const used = bytes('used_memory');
  return used === undefined ? undefined : { used, limit: bytes('maxmemory') ?? bytes('total_system_memory') };
}
