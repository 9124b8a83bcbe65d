import { Cluster, Redis } from 'ioredis';
import { Cluster as Cluster6, Redis as Redis6 } from 'ioredis6';
import * as redis5 from 'redis5';
import * as redis6 from 'redis6';
import type { WriterClient } from '../src/kit/writer.ts';

/** A connection that a bot has, open. */
export interface OpenClient {
  readonly client: WriterClient;
  close(): unknown;
}

export interface ClientKind {
  readonly name: string;
  open(url: string): Promise<OpenClient>;
}

/** Options of ioredis that docs/bots.md tells a bot. */
const IOREDIS_OPTIONS = { autoResendUnfulfilledCommands: false, maxRetriesPerRequest: 0 };

/** A connection of either version of ioredis. */
type Ioredis = WriterClient & { on(event: 'error', listener: () => void): unknown; disconnect(): void };

function ofIoredis(client: Ioredis): OpenClient {
  client.on('error', () => {});
  return { client, close: () => client.disconnect() };
}

/** A connection of either version of node-redis. */
type NodeRedis = WriterClient & {
  on(event: 'error', listener: () => void): unknown;
  connect(): Promise<unknown>;
  destroy(): unknown;
};

async function ofNodeRedis(client: NodeRedis): Promise<OpenClient> {
  client.on('error', () => {});
  await client.connect();
  return { client, close: () => client.destroy() };
}

/** Each client that the writer and the reader take. */
export const clientKinds: readonly ClientKind[] = [
  { name: 'ioredis 5', open: async (url) => ofIoredis(new Redis(url, IOREDIS_OPTIONS)) },
  { name: 'ioredis 6', open: async (url) => ofIoredis(new Redis6(url, IOREDIS_OPTIONS)) },
  { name: 'node-redis 5', open: (url) => ofNodeRedis(redis5.createClient({ url })) },
  { name: 'node-redis 5 with RESP 3', open: (url) => ofNodeRedis(redis5.createClient({ url, RESP: 3 })) },
  {
    name: 'node-redis 5 with replies as Buffers',
    open: (url) => {
      const typeMapping = { [redis5.RESP_TYPES.BLOB_STRING]: Buffer };
      return ofNodeRedis(redis5.createClient({ url, commandOptions: { typeMapping } }));
    },
  },
  { name: 'a pool of node-redis 5', open: (url) => ofNodeRedis(redis5.createClientPool({ url })) },
  { name: 'node-redis 6', open: (url) => ofNodeRedis(redis6.createClient({ url })) },
  {
    name: 'an object with evalsha and scriptLoad',
    open: async (url) => {
      const redis = new Redis(url, IOREDIS_OPTIONS);
      redis.on('error', () => {});
      const client: WriterClient = {
        evalsha: (...call) => redis.call('EVALSHA', ...call),
        scriptLoad: (source) => redis.script('LOAD', source),
      };
      return { client, close: () => redis.disconnect() };
    },
  },
];

/** Each client of a Cluster. */
export const clusterKinds: readonly { readonly name: string; open(ports: readonly number[]): Promise<OpenClient> }[] = [
  { name: 'ioredis 5', open: async (ports) => ofIoredis(new Cluster(ports.map((port) => ({ port })))) },
  { name: 'ioredis 6', open: async (ports) => ofIoredis(new Cluster6(ports.map((port) => ({ port })))) },
  { name: 'node-redis 5', open: (ports) => ofNodeRedis(redis5.createCluster({ rootNodes: rootNodes(ports) })) },
  { name: 'node-redis 6', open: (ports) => ofNodeRedis(redis6.createCluster({ rootNodes: rootNodes(ports) })) },
];

/** Returns a client of node-redis 6 that was not connected. */
export function unconnectedClient(options: { readonly keyPrefix: string }): WriterClient {
  return redis6.createClient(options);
}

/** A master that Sentinels watch. */
interface WatchedMaster {
  readonly name: string;
  /** Addresses of Sentinels on 127.0.0.1, separated by commas. */
  readonly addresses: string;
}

/** Opens a sentinel of node-redis, with the options that docs/bots.md tells a bot. @param proxies by the ports that they stand for. */
export function openSentinel(
  version: 5 | 6,
  { name, addresses }: WatchedMaster,
  proxies: Readonly<Record<number, number>> = {},
): Promise<OpenClient> {
  const options = {
    name,
    sentinelRootNodes: sentinelsAt(addresses),
    nodeAddressMap: Object.fromEntries(
      Object.entries(proxies).map(([port, proxy]) => [`127.0.0.1:${port}`, { host: '127.0.0.1', port: proxy }]),
    ),
    maxCommandRediscovers: 0,
    scanInterval: 1000,
  };
  return ofNodeRedis(version === 5 ? redis5.createSentinel(options) : redis6.createSentinel(options));
}

/** Each client of a master that Sentinels watch. */
export const sentinelKinds: readonly { readonly name: string; open(master: WatchedMaster): Promise<OpenClient> }[] = [
  {
    name: 'ioredis 5',
    open: async ({ name, addresses }) =>
      ofIoredis(new Redis({ ...IOREDIS_OPTIONS, name, sentinels: sentinelsAt(addresses) })),
  },
  {
    name: 'ioredis 6',
    open: async ({ name, addresses }) =>
      ofIoredis(new Redis6({ ...IOREDIS_OPTIONS, name, sentinels: sentinelsAt(addresses) })),
  },
  { name: 'node-redis 5', open: (master) => openSentinel(5, master) },
  { name: 'node-redis 6', open: (master) => openSentinel(6, master) },
];

function sentinelsAt(addresses: string) {
  return addresses.split(',').map((address) => ({ host: '127.0.0.1', port: Number(address.split(':')[1]) }));
}

function rootNodes(ports: readonly number[]) {
  return ports.map((port) => ({ url: `redis://127.0.0.1:${port}` }));
}
