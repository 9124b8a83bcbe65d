import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { startChild } from '../../scripts/dev/child-process.ts';
import { findRedisServer, freePort, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { parseConfig } from '../../src/config/service.ts';
import type { RedisClient } from '../../src/core/store/client.ts';
import { connect } from '../../src/core/store/connection.ts';
import { type Certificates, makeCertificates, NEW_KEY, tlsServer, tlsSettings } from '../support/certificates.ts';
import { startCluster, TLS_NAME } from '../support/cluster.ts';
import { redisOptions } from '../support/redis-options.ts';
import { runProgram } from '../support/run-command.ts';
import { startSentinelSet } from '../support/sentinel.ts';
import { ALL_VARIANTS } from '../support/variants.ts';

/** A way to run Redis, started for real. */
export interface Topology {
  readonly name: string;
  start(): Promise<RunningTopology>;
}

export interface RunningTopology {
  /** The environment with which the service finds it. */
  readonly env: Record<string, string>;
  /** A connection for the bot's side. */
  connect(): RedisClient;
  stop(): Promise<void>;
}

const standalone: Topology = {
  name: 'a single Redis',
  async start() {
    const server = await startEmbeddedRedis();
    return reachedBy({ REDIS_URL: server.url }, server.stop);
  },
};

const unixSocket: Topology = {
  name: 'a Redis on a unix socket',
  async start() {
    const folder = mkdtempSync(join(tmpdir(), 'guildrank-socket-'));
    const path = join(folder, 'redis.sock');
    const server = await startEmbeddedRedis(['--port', '0', '--unixsocket', path]);
    return reachedBy({ REDIS_URL: `unix://${path}` }, async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    });
  },
};

const USER = 'bot';
const PASSWORD = 'p@ss:w/rd?#%';
const USERS = ['--user', 'default', 'off', '--user', USER, 'on', `>${PASSWORD}`, '~*', '&*', '+@all'];
const CREDENTIALS = `${USER}:${encodeURIComponent(PASSWORD)}`;

const password: Topology = {
  name: 'a Redis with a user and a password',
  async start() {
    const server = await startEmbeddedRedis(USERS);
    return reachedBy({ REDIS_URL: `redis://${CREDENTIALS}@127.0.0.1:${server.port}` }, server.stop);
  },
};

const tls: Topology = {
  name: 'a Redis with TLS',
  async start() {
    const folder = mkdtempSync(join(tmpdir(), 'guildrank-tls-'));
    const key = join(folder, 'key.pem');
    const cert = join(folder, 'cert.pem');
    const name = ['-subj', '/CN=guildrank test', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const args = ['req', '-x509', ...NEW_KEY, ...name, '-keyout', key, '-out', cert];
    const { code, stderr } = await runProgram('openssl', args);
    if (code !== 0) throw new Error(`openssl ended with ${code}: ${stderr}`);
    const port = await freePort();
    const options = redisOptions({
      port: 0,
      'tls-port': port,
      'tls-auth-clients': 'no',
      'tls-cert-file': cert,
      'tls-key-file': key,
      'tls-ca-cert-file': cert,
    });
    const server = await startEmbeddedRedis(options);
    return {
      env: { REDIS_URL: `rediss://127.0.0.1:${port}`, NODE_EXTRA_CA_CERTS: cert },
      // Node reads NODE_EXTRA_CA_CERTS only when a process starts, and this one has started.
      connect: () => new Redis({ host: '127.0.0.1', port, tls: { ca: readFileSync(cert) } }),
      stop: async () => {
        await server.stop();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
};

const SERVER_NAME = 'redis.internal';

const clientCertificates: Topology = {
  name: 'a Redis that wants a user, a password and client certificates, under another name than its address',
  async start() {
    const certificates = await makeCertificates(SERVER_NAME);
    const port = await freePort();
    const server = await startEmbeddedRedis(['--port', '0', ...tlsServer(certificates, port, 'yes'), ...USERS]);
    const env = {
      REDIS_URL: `rediss://${CREDENTIALS}@127.0.0.1:${port}`,
      ...clientEnv(certificates),
      REDIS_TLS_SERVERNAME: SERVER_NAME,
    };
    return reachedBy(env, async () => {
      await server.stop();
      certificates.remove();
    });
  },
};

const clusterBehindNames: Topology = {
  name: 'a Redis Cluster that serves TLS under host names, to clients with certificates',
  async start() {
    const certificates = await makeCertificates(TLS_NAME);
    const nodes = await startCluster(0, certificates);
    const [first] = nodes.addresses.split(',') as [string];
    const env = {
      REDIS_MODE: 'cluster',
      REDIS_NODES: first,
      REDIS_URL: 'rediss://unused',
      ...clientEnv(certificates),
    };
    return reachedBy(env, async () => {
      await nodes.stop();
      certificates.remove();
    });
  },
};

const securedSentinel: Topology = {
  name: 'a Sentinel and its master, each with a user, a password and TLS',
  start: startSecuredSentinel,
};

const cluster: Topology = {
  name: 'a Redis Cluster of three masters',
  async start() {
    const nodes = await startCluster();
    // One address is enough: the service learns the others from it.
    const [first] = nodes.addresses.split(',') as [string];
    return reachedBy({ REDIS_MODE: 'cluster', REDIS_NODES: first }, nodes.stop);
  },
};

const sentinel: Topology = {
  name: 'a Sentinel set of a master and two replicas',
  async start() {
    const set = await startSentinelSet();
    const env = { REDIS_MODE: 'sentinel', REDIS_NODES: set.addresses, REDIS_SENTINEL_NAME: set.name };
    return reachedBy(env, set.stop);
  },
};

/** The second tier leaves out those that another one goes beyond, or that other suites run the service on. */
export const topologies: readonly Topology[] = [
  unixSocket,
  clientCertificates,
  clusterBehindNames,
  securedSentinel,
  ...(ALL_VARIANTS ? [standalone, password, tls, cluster, sentinel] : []),
];

/** Starts a master and one Sentinel. Both want client certificates, and a user of their own. */
export async function startSecuredSentinel(): Promise<RunningTopology & { readonly admin: Redis }> {
  const certificates = await makeCertificates(SERVER_NAME);
  const port = await freePort();
  const sentinelPort = await freePort();
  const server = await startEmbeddedRedis(['--port', '0', ...tlsServer(certificates, port, 'yes'), ...USERS]);
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-sentinel-'));
  const file = join(folder, 'sentinel.conf');
  const watcherRights = '-@all +ping +info +subscribe +sentinel|get-master-addr-by-name +sentinel|sentinels';
  const lines = [
    'port 0',
    'bind 127.0.0.1',
    `dir ${folder}`,
    'tls-replication yes',
    ...Object.entries(tlsSettings(certificates, sentinelPort, 'yes')).map(([name, value]) => `${name} ${value}`),
    `sentinel monitor guilds 127.0.0.1 ${port} 1`,
    `sentinel auth-user guilds ${USER}`,
    `sentinel auth-pass guilds ${PASSWORD}`,
    `user watcher on >sentinel-secret resetchannels &+switch-master ${watcherRights}`,
    'user admin on >admin-secret allchannels +@all',
    'user default off',
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  const sentinel = startChild(findRedisServer() as string, [file, '--sentinel']);
  await sentinel.waitForOutput('the Sentinel to watch its master', () => sentinel.output().includes('+monitor master'));
  const env = {
    REDIS_MODE: 'sentinel',
    REDIS_NODES: `127.0.0.1:${sentinelPort}`,
    REDIS_SENTINEL_NAME: 'guilds',
    REDIS_SENTINEL_USERNAME: 'watcher',
    REDIS_SENTINEL_PASSWORD: 'sentinel-secret',
    REDIS_SENTINEL_TLS: 'on',
    REDIS_URL: `rediss://${CREDENTIALS}@unused`,
    ...clientEnv(certificates),
    REDIS_TLS_SERVERNAME: SERVER_NAME,
  };
  const { tls } = parseConfig(env).redis;
  const admin = new Redis({ host: '127.0.0.1', port: sentinelPort, username: 'admin', password: 'admin-secret', tls });
  return {
    admin,
    ...reachedBy(env, async () => {
      admin.disconnect();
      await sentinel.stop();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
      certificates.remove();
    }),
  };
}

function clientEnv({ ca, client }: Certificates): Record<string, string> {
  return { REDIS_TLS_CA: ca, REDIS_TLS_CERT: client.cert, REDIS_TLS_KEY: client.key };
}

function reachedBy(env: Record<string, string>, stop: () => Promise<void>): RunningTopology {
  return { env, connect: () => connect({ ...parseConfig(env).redis, timeoutMs: 5000 }), stop };
}
