import { Redis } from 'ioredis';
import RedisMock from 'ioredis-mock';
import { findRedisServer, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import type { RedisClient } from '../../src/redis/redis-client.ts';

/** A store for one test file. */
export interface TestStore {
  /** A connection for the test itself. */
  readonly client: RedisClient;
  /** A new connection to the same data. */
  connect(): RedisClient;
  /** The address for other processes; undefined for the mock. */
  readonly url: string | undefined;
  empty(): Promise<void>;
  stop(): Promise<void>;
}

export interface StoreKind {
  readonly name: string;
  start(): Promise<TestStore>;
}

/** Which stores to test on: all, or only `mock` or `redis`. */
const ONLY = process.env.TEST_STORES;

/** Whether a Redis server is installed and tested on. With REQUIRE_REDIS=1 its absence is an error. */
export const hasRedis = ONLY !== 'mock' && findRedisServer() !== undefined;

if (!hasRedis && process.env.REQUIRE_REDIS === '1') {
  throw new Error('REQUIRE_REDIS=1, but neither redis-server nor valkey-server is on PATH');
}

export const mockStore: StoreKind = {
  name: 'ioredis-mock',
  async start() {
    // Mocks with the same address share their data, so each gets a random name.
    const host = `mock-${Math.random().toString(36).slice(2)}`;
    const connect = () => new RedisMock({ host }) as unknown as RedisClient;
    const client = connect();
    return {
      client,
      connect,
      url: undefined,
      empty: async () => {
        await client.flushall();
      },
      stop: async () => {},
    };
  },
};

export const realStore: StoreKind = {
  name: 'redis-server',
  async start() {
    const server = await startEmbeddedRedis();
    const clients: Redis[] = [];
    const connect = () => {
      const client = new Redis(server.url, { enableAutoPipelining: true });
      clients.push(client);
      return client;
    };
    const client = connect();
    return {
      client,
      connect,
      url: server.url,
      empty: async () => {
        await client.flushall();
      },
      stop: async () => {
        for (const client of clients) client.disconnect();
        await server.stop();
      },
    };
  },
};

/** The stores that every contract is tested on: ioredis-mock, and a real Redis where it is installed. */
export const storeKinds: readonly StoreKind[] = [
  ...(hasRedis && ONLY === 'redis' ? [] : [mockStore]),
  ...(hasRedis ? [realStore] : []),
];
