import { basename } from 'node:path';
import { parseConfig } from '../../src/config/service.ts';
import type { RedisClient } from '../../src/core/store/client.ts';
import { connect } from '../../src/core/store/connection.ts';
import type { RedisConfig } from '../../src/core/store/redis-config.ts';
import { findRedisServer, startEmbeddedRedis } from '../dev/embedded-redis.ts';

/** The store of the demo. Its data ends with it. */
export interface DemoStore {
  /** Text for the person, without a full stop. */
  readonly description: string;
  /** URL for a bot; undefined when the store is in this process, where no bot reaches it. */
  readonly url: string | undefined;
  /** Address for the service's log lines; undefined when the store is in this process. */
  readonly address: RedisConfig | undefined;
  /** Opens a connection. @param timeoutMs time limit of one command. */
  connect(timeoutMs: number): RedisClient;
  /** Rejects when the store ends before {@link stop}. */
  readonly lost: Promise<never>;
  stop(): Promise<void>;
}

/** Starts a private Redis if PATH has a server, else ioredis-mock in this process. */
export async function startDemoStore(): Promise<DemoStore> {
  const binary = findRedisServer();
  return binary ? startRedis(binary) : startMock();
}

async function startRedis(binary: string): Promise<DemoStore> {
  // In a process group of its own, because Ctrl-C must not end Redis before the service has drained.
  const redis = await startEmbeddedRedis([], binary, { detached: true });
  const config = parseConfig({ REDIS_URL: redis.url }).redis;
  let stopping = false;
  const lost = new Promise<never>((_, reject) => {
    redis.process.once('exit', () => {
      if (!stopping) reject(new Error('The embedded Redis ended on its own: run the demo again'));
    });
  });
  lost.catch(() => {}); // Without a handler, a loss before the demo waits for it would end the process.
  return {
    description: `a private ${basename(binary)} at ${redis.url}`,
    url: redis.url,
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
  // Imported only here, because it is slow to load.
  const { default: RedisMock } = await import('ioredis-mock');
  return {
    description: 'ioredis-mock in this process, because neither redis-server nor valkey-server is on PATH',
    url: undefined,
    address: undefined,
    connect: () => new RedisMock({ host: 'demo' }) as RedisClient,
    lost: new Promise<never>(() => {}),
    stop: async () => {},
  };
}
