import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis';
import type { RedisClient } from './client.ts';
import { isDatabaseRefusal } from './failures.ts';
import { reconnectOnReplica } from './reconnect.ts';
import type { RedisConfig } from './redis-config.ts';
import { watchSilence } from './reply-limits.ts';
import { type SentinelAccess, watchSentinels } from './sentinel-watch.ts';
import { namedMaster, namedTls, tlsOptions } from './tls.ts';

/**
 * Opens a connection as the configuration says. It connects on its own and keeps reconnecting; nothing queues while it
 * is away, so a command fails at once instead of waiting for a Redis that may not return.
 * @param silenceMs time without a reply after which a connection is taken for hung.
 * @param onReplica what follows when a server without Cluster refuses a write because it is a replica: the connection is made anew, to find the
 *   master, or it stays, to examine the replica.
 */
export function connect(
  config: RedisConfig,
  silenceMs = Math.max(500, config.timeoutMs * 2),
  onReplica: 'leave' | 'stay' = 'leave',
): RedisClient {
  const { address, access } = parseUrl(config);
  const common = { ...access, ...timeLimits(config.timeoutMs) };
  if (config.mode === 'cluster') return connectToCluster(config, common, silenceMs);
  const options = { ...common, ...(onReplica === 'leave' && { reconnectOnError: reconnectOnReplica() }) };
  if (config.mode === 'standalone') {
    return guard(new Redis({ ...options, ...address, ...namedTls(options.tls, address.host) }), silenceMs);
  }
  const client = new Redis(sentinelOptions(config, options));
  watchSentinels(client, config.sentinelName, config.nodes, (host) => {
    const { tls, ...access } = sentinelAccess(config);
    return { ...access, ...namedTls(tls, host) };
  });
  return guard(client, silenceMs);
}

function connectToCluster(config: RedisConfig, options: RedisOptions, silenceMs: number): Cluster {
  const cluster = new Cluster([...config.nodes], clusterOptions(options));
  let lacksInfo = false;
  cluster.on('+node', (node: Redis) => {
    // A node connects after this event.
    Object.assign(node.options, namedTls(node.options.tls, node.options.host));
    guard(node, silenceMs);
    if (lacksInfo) node.options.enableReadyCheck = false;
    // ioredis makes the node anew after a failure.
    else
      node.on('error', (error: Error) => {
        lacksInfo ||= isMissingInfo(error);
      });
  });
  return cluster;
}

/** The servers to which connections were made last. */
const peers = new WeakMap<object, RedisOptions>();

/** Returns the server that a connection was made to last; undefined before the first, and for a Cluster. */
export function peerOf(client: RedisClient): RedisOptions | undefined {
  return peers.get(client);
}

function guard(client: Redis, silenceMs: number): Redis {
  client.on('connect', () => {
    const { remoteAddress, remotePort } = client.stream;
    if (remoteAddress === undefined || remotePort === undefined) return;
    const { servername } = client.stream as { readonly servername?: string };
    const tls = 'encrypted' in client.stream && { ...client.options.tls, ...(servername && { servername }) };
    peers.set(client, { host: remoteAddress, port: remotePort, ...(tls && { tls }) });
  });
  watchSilence(client, silenceMs);
  // ioredis goes on in database 0 when Redis refuses the database of the URL. It has reported the error before a command can be sent.
  return client.on('error', (error: Error) => {
    if (isDatabaseRefusal(error)) client.disconnect(true);
    // ioredis asks INFO whether Redis loads its data, and connects again and again without an answer. With the check off, a request is told instead.
    if (isMissingInfo(error)) client.options.enableReadyCheck = false;
  });
}

/** Returns whether a server has no command INFO, as after `rename-command INFO ""`. */
function isMissingInfo(error: Error): boolean {
  return /unknown command '?info/i.test(error.message);
}

/** Returns in words what is risky about the connection; undefined for a connection without such a risk. */
export function connectionRisk({ tls }: RedisConfig): string | undefined {
  if (tls.verify) return undefined;
  return 'REDIS_TLS_VERIFY=off: the certificate is not checked, so another server in between can read and change all data';
}

/** Returns where the first connections go, in the order of the configuration: to Redis itself, to Sentinels or to nodes of a Cluster. */
export function addressesOf(config: RedisConfig): Pick<RedisOptions, 'host' | 'port' | 'path' | 'tls'>[] {
  const { address, access } = parseUrl(config);
  if (config.mode === 'standalone') return [{ ...address, ...namedTls(access.tls, address.host) }];
  const tls = config.mode === 'sentinel' ? sentinelAccess(config).tls : access.tls;
  return config.nodes.map(({ host, port }) => ({ host, port, ...namedTls(tls, host) }));
}

/** Where the configuration points, for log lines: never with credentials. */
export function describeRedis(config: RedisConfig): string {
  const { address, access } = parseUrl(config);
  const { host, port, path } = address;
  const database = access.db ? ` (database ${access.db})` : '';
  const nodes = config.nodes.map((node) => `${node.host}:${node.port}`).join(', ');
  const descriptions = {
    cluster: `the Redis Cluster at ${nodes}`,
    sentinel: `the Redis master "${config.sentinelName}" known to the Sentinels at ${nodes}`,
    standalone: path ? `the Redis on socket ${path}` : `the Redis at ${host}:${port}`,
  };
  return descriptions[config.mode] + database;
}

/** The option set of docs/adr/0005: bounded waits everywhere, no queue, no resend of what may have been executed. */
function timeLimits(timeoutMs: number): RedisOptions {
  return {
    enableOfflineQueue: false,
    // A hung server never answers the closing of a connection; ioredis would wait two seconds for it before it reconnects.
    disconnectTimeout: Math.min(timeoutMs, 500),
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    // `listen` subscribes after each connect. ioredis would do it too, and nobody could catch the failure when that connection breaks again.
    autoResubscribe: false,
    retryStrategy: (attempt) => Math.min(50 * attempt, 250),
    // While Redis loads its data, ioredis would believe its estimate in whole seconds, and not ask again before.
    maxLoadingRetryTime: 100,
  };
}

/** Returns how to connect to the Sentinels themselves. */
function sentinelAccess({ sentinels, tls }: RedisConfig): SentinelAccess {
  const { username, password } = sentinels;
  return {
    ...(username && { username }),
    ...(password && { password }),
    ...(sentinels.tls && { tls: tlsOptions(tls) }),
  };
}

/** Returns the host that all nodes share; undefined if they differ. ioredis takes a single TLS name for all Sentinels. */
function onlyHostOf(nodes: RedisConfig['nodes']): string | undefined {
  const [host, ...others] = new Set(nodes.map((node) => node.host));
  return others.length === 0 ? host : undefined;
}

function sentinelOptions(config: RedisConfig, options: RedisOptions): RedisOptions {
  const { username, password, tls } = sentinelAccess(config);
  return {
    ...options,
    ...(options.tls && { natMap: namedMaster }),
    sentinels: config.nodes.map((node) => ({ ...node })),
    name: config.sentinelName,
    ...(username && { sentinelUsername: username }),
    ...(password && { sentinelPassword: password }),
    // In this mode, ioredis has to be told for each of the two kinds of connections that it uses TLS.
    ...(tls && { sentinelTLS: namedTls(tls, onlyHostOf(config.nodes)).tls }),
    enableTLSForSentinelMode: options.tls !== undefined,
    // This is for connections to Sentinels, which watchSilence does not see: after half a second, ioredis asks the next Sentinel.
    connectTimeout: 500,
    sentinelRetryStrategy: (attempt) => Math.min(50 * attempt, 250),
  };
}

/**
 * Returns the options of a Cluster. Auto-pipelining stays off, because it throws a TypeError for a slot that no node serves, and sends commands
 * to a node that the slot has left (redis/ioredis issue 2075).
 */
function clusterOptions(redisOptions: RedisOptions): ClusterOptions {
  return {
    redisOptions,
    // A certificate is checked against the name of its node, so the names must not become addresses.
    ...(redisOptions.tls && { dnsLookup: (name, callback) => callback(null, name) }),
    enableOfflineQueue: false,
    maxRedirections: 2,
    // Otherwise ioredis sends the commands of a broken connection again, although Redis may have executed them.
    clusterNodeRetryStrategy: (attempt) => (attempt === 1 ? 20 : null),
    retryDelayOnFailover: 20,
    retryDelayOnClusterDown: 20,
    retryDelayOnTryAgain: 20,
    clusterRetryStrategy: (attempt) => Math.min(50 * attempt, 250),
  };
}

/** Returns the address of a single Redis, and the options that each mode takes from the URL. */
function parseUrl({ url, tls }: RedisConfig): { readonly address: RedisOptions; readonly access: RedisOptions } {
  if (url.startsWith('/')) return { address: { path: url }, access: {} };
  const { protocol, username, password, pathname, searchParams, hostname, port } = new URL(url);
  const isSocket = protocol === 'unix:';
  const db = searchParams.get('db') || (isSocket ? '' : pathname.slice(1));
  const access: RedisOptions = {
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    ...(db && { db: Number(db) }),
    ...(protocol === 'rediss:' && { tls: tlsOptions(tls) }),
  };
  if (isSocket) return { address: { path: decodeURIComponent(pathname) }, access };
  return { address: { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 6379) }, access };
}
