import { Redis } from 'ioredis';
import { describe, onTestFinished, type TestOptions } from 'vitest';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import type { RedisClient } from '../../src/core/store/client.ts';
import { type HostProxy, startHostProxy } from './host-proxy.ts';
import { needs } from './needs.ts';
import { connectMock } from './redis-mock.ts';

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
  /** Options that leave a suite out where the store is not installed. */
  readonly needs: TestOptions;
  start(): Promise<TestStore>;
}

export const mockStore: StoreKind = {
  name: 'ioredis-mock',
  needs: {},
  async start() {
    // Mocks with the same address share their data, so each gets a random name.
    const host = `mock-${Math.random().toString(36).slice(2)}`;
    const connect = () => connectMock(host);
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

/** The kinds of hosted services that TEST_HOST lets the suites run on, by a proxy that imitates them. */
const HOSTS = {
  /** Scripts may touch only the keys that they declare. */
  strict: async () => {
    const server = await startEmbeddedRedis();
    return behind([server], await startHostProxy({ servers: [server.port], isStrict: true }));
  },
  /** Two servers behind one address. */
  sharded: async () => {
    const servers = [await startEmbeddedRedis(), await startEmbeddedRedis()] as const;
    return behind(servers, await startHostProxy({ servers: [servers[0].port, servers[1].port], isStrict: true }));
  },
} as const;

const host = process.env.TEST_HOST as keyof typeof HOSTS | undefined;

/** Servers whose suites have ended, empty for the next ones. Those that change settings or stop start one of their own. */
const idle: Pick<EmbeddedRedis, 'url'>[] = [];

function behind(servers: readonly EmbeddedRedis[], proxy: HostProxy): Pick<EmbeddedRedis, 'url' | 'stop'> {
  const stop = async () => {
    await proxy.stop();
    for (const server of servers) await server.stop();
  };
  return { url: `redis://127.0.0.1:${proxy.port}`, stop };
}

export const realStore: StoreKind = {
  name: host ? `a ${host} host` : 'redis-server',
  needs: needs('redis-server'),
  async start() {
    const server = idle.pop() ?? (await (host ? HOSTS[host]() : startEmbeddedRedis()));
    const store = storeOn(server);
    return {
      ...store,
      stop: async () => {
        await store.empty();
        store.disconnect();
        idle.push(server);
      },
    };
  },
};

/** Returns a store on a server, which the caller ends after its connections. */
export function storeOn({ url }: Pick<EmbeddedRedis, 'url'>) {
  const clients: Redis[] = [];
  const connect = () => {
    const client = new Redis(url, { enableAutoPipelining: true });
    clients.push(client);
    return client;
  };
  const client = connect();
  return {
    client,
    connect,
    url,
    empty: async () => {
      await client.flushall();
    },
    disconnect: () => {
      for (const each of clients) each.disconnect();
    },
  };
}

/** Starts a Redis of its own for a test, with a connection for the test itself. Both end with the test. */
export async function redisForTest(...options: readonly string[]): Promise<EmbeddedRedis & { readonly client: Redis }> {
  const server = await startEmbeddedRedis(options);
  onTestFinished(server.stop);
  const client = new Redis(server.url);
  client.on('error', () => {});
  onTestFinished(() => client.disconnect());
  return { ...server, client };
}

/** TEST_STORES=redis leaves out the mock, which is the same beside each server; TEST_STORES=mock leaves out the server. */
const KINDS = process.env.TEST_STORES === 'redis' || host ? [realStore] : [mockStore, realStore];

/** Makes the same suite for each store that a contract is tested on: ioredis-mock, and a real Redis where it is installed. */
export function describeStores(name: string, tests: (kind: StoreKind) => void): void {
  for (const kind of KINDS) describe(`${name}, on ${kind.name}`, kind.needs, () => tests(kind));
}
