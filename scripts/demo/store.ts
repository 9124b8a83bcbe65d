import { basename } from 'node:path';
import { parseConfig, type RedisConfig } from '../../src/config.ts';
import type { RedisClient } from '../../src/redis/commands.ts';
import { connect } from '../../src/redis/connection.ts';
import { findOnPath, startEmbeddedRedis } from '../dev/embedded-redis.ts';

/** A store that lives and dies with the demo. */
export interface DemoStore {
  /** One line's worth of what it is. */
  readonly description: string;
  /** Where it can be reached from outside; undefined when it is in this process. */
  readonly address: RedisConfig | undefined;
  /** A new connection. @param timeoutMs how long one command may take. */
  connect(timeoutMs: number): RedisClient;
  /** Rejects when the store ends before it is stopped. */
  readonly lost: Promise<never>;
  stop(): Promise<void>;
}

/** A private Redis where there is one on PATH, else ioredis-mock in this process. */
export async function startDemoStore(): Promise<DemoStore> {
  const binary = findOnPath();
  return binary ? startRedis(binary) : startMock();
}

async function startRedis(binary: string): Promise<DemoStore> {
  // In a process group of its own: Ctrl-C must reach Redis last, after the service has let go of it.
  const redis = await startEmbeddedRedis([], binary, { detached: true });
  const config = parseConfig({ REDIS_URL: redis.url }).redis;
  let stopping = false;
  const lost = new Promise<never>((_, reject) => {
    redis.process.once('exit', () => {
      if (!stopping) reject(new Error('The embedded Redis ended on its own: run the demo again'));
    });
  });
  lost.catch(() => {}); // Whoever waits for it still hears; nobody may be waiting yet.
  return {
    description: `a private ${basename(binary)} at ${redis.url}`,
    address: config,
    connect: (timeoutMs) => connect({ ...config, timeoutMs }),
    lost,
    stop: async () => {
      stopping = true;
      await redis.stop();
    },
  };
}

async function startMock(): Promise<DemoStore> {
  // Imported only here: it is a development dependency, and slow to load.
  const { default: RedisMock } = await import('ioredis-mock');
  return {
    description: 'ioredis-mock in this process, because neither redis-server nor valkey-server is on PATH',
    address: undefined,
    connect: () => new RedisMock({ host: 'demo' }) as unknown as RedisClient,
    lost: new Promise<never>(() => {}),
    stop: async () => {},
  };
}
