import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';
import type { RedisConfig } from '../config.ts';
import type { RedisClient } from './scripts.ts';
import { watchSentinels } from './sentinel-watch.ts';
import { watchSilence } from './silence-watch.ts';

/**
 * Opens a connection as the configuration says. It connects on its own and keeps reconnecting; nothing queues while it
 * is away, so a command fails at once instead of waiting for a Redis that may not return.
 */
export function connect(config: RedisConfig): RedisClient {
  const options = { ...urlOptions(config.url), ...timeLimits(config.timeoutMs) };
  if (config.mode === 'cluster') return connectToCluster(config, options);
  const client = new Redis(config.mode === 'sentinel' ? sentinelOptions(config, options) : options);
  if (config.mode === 'sentinel') watchSentinels(client, config.sentinelName, config.nodes);
  return watchSilence(client, silenceLimit(config));
}

function connectToCluster(config: RedisConfig, options: RedisOptions): Cluster {
  const cluster = new Cluster([...config.nodes], clusterOptions(options));
  cluster.on('+node', (node: Redis) => watchSilence(node, silenceLimit(config)));
  return cluster;
}

/** Where the configuration points, for log lines: never with credentials. */
export function describe(config: RedisConfig): string {
  const nodes = config.nodes.map(({ host, port }) => `${host}:${port}`).join(', ');
  if (config.mode === 'cluster') return `the Redis Cluster at ${nodes}`;
  if (config.mode === 'sentinel') return `the Redis master "${config.sentinelName}" known to the Sentinels at ${nodes}`;
  const { host, port, path } = urlOptions(config.url);
  return path ? `the Redis on socket ${path}` : `the Redis at ${host}:${port}`;
}

/** Milliseconds without a reply after which a connection is taken for hung. */
function silenceLimit({ timeoutMs }: RedisConfig): number {
  return Math.max(500, timeoutMs * 2);
}

/** The option set of docs/adr/0005: bounded waits everywhere, no queue, no resend of what may have been executed. */
function timeLimits(timeoutMs: number): RedisOptions {
  return {
    enableOfflineQueue: false,
    // A hung server never answers the closing of a connection; ioredis would wait two seconds for it before it reconnects.
    disconnectTimeout: Math.min(timeoutMs, 500),
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    retryStrategy: (attempt) => Math.min(50 * attempt, 250),
    // Of a Redis that loads its data ioredis would believe the estimate, in whole seconds, and ask only then again.
    maxLoadingRetryTime: 100,
  };
}

function sentinelOptions(config: RedisConfig, options: RedisOptions): RedisOptions {
  const { host: _host, port: _port, path: _path, ...credentials } = options;
  return {
    ...credentials,
    sentinels: config.nodes.map((node) => ({ ...node })),
    name: config.sentinelName,
    // Of the connections to Sentinels, which watchSilence does not see: the next one is asked after half a second.
    connectTimeout: 500,
    sentinelRetryStrategy: (attempt) => Math.min(50 * attempt, 250),
    // Without this and watchSentinels, writes go on to the old master for ten seconds after a failover, without an error.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  };
}

function clusterOptions(options: RedisOptions): ClusterOptions {
  const { host: _host, port: _port, path: _path, db: _db, ...redisOptions } = options;
  return {
    redisOptions,
    enableAutoPipelining: true,
    enableOfflineQueue: false,
    maxRedirections: 2,
    retryDelayOnFailover: 20,
    retryDelayOnClusterDown: 20,
    clusterRetryStrategy: (attempt) => Math.min(50 * attempt, 250),
  };
}

function urlOptions(url: string): RedisOptions {
  if (url.startsWith('/')) return { path: url };
  const parsed = new URL(url);
  const query = parsed.searchParams;
  const db = parsed.protocol === 'unix:' ? query.get('db') : parsed.pathname.slice(1);
  const shared: RedisOptions = {
    ...(parsed.username && { username: decodeURIComponent(parsed.username) }),
    ...(parsed.password && { password: decodeURIComponent(parsed.password) }),
    ...(db && { db: Number(db) }),
  };
  if (parsed.protocol === 'unix:') return { ...shared, path: decodeURIComponent(parsed.pathname) };
  return {
    ...shared,
    host: parsed.hostname.replace(/^\[|\]$/g, ''),
    port: Number(parsed.port || 6379),
    ...(parsed.protocol === 'rediss:' && { tls: {} }),
  };
}
