import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { findOnPath, freePort, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { parseConfig } from '../../src/config.ts';
import { connect } from '../../src/redis/connection.ts';
import type { RedisClient } from '../../src/redis/scripts.ts';
import { startCluster } from '../support/cluster.ts';
import { runProgram } from '../support/run-command.ts';
import { startSentinelSet } from '../support/sentinel.ts';

/** A way to run Redis, started for real. */
export interface Topology {
  readonly name: string;
  readonly missing?: string | undefined;
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

const password: Topology = {
  name: 'a Redis with a user and a password',
  async start() {
    const server = await startEmbeddedRedis([
      ...['--user', 'default', 'off', '--user', USER, 'on', `>${PASSWORD}`, '~*', '&*', '+@all'],
    ]);
    const url = `redis://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${server.port}`;
    return reachedBy({ REDIS_URL: url }, server.stop);
  },
};

const tls: Topology = {
  name: 'a Redis with TLS',
  missing: findOnPath(['openssl']) ? undefined : 'openssl',
  async start() {
    const folder = mkdtempSync(join(tmpdir(), 'guildrank-tls-'));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const { code, stderr } = await runProgram('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'],
      ...['-subj', '/CN=guildrank test', '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert],
    ]);
    if (code !== 0) throw new Error(`openssl ended with ${code}: ${stderr}`);
    const port = await freePort();
    const files = ['--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', cert];
    const server = await startEmbeddedRedis([
      ...['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no'],
      ...files,
    ]);
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

export const topologies: readonly Topology[] = [standalone, unixSocket, password, tls, cluster, sentinel];

function reachedBy(env: Record<string, string>, stop: () => Promise<void>): RunningTopology {
  return { env, connect: () => connect({ ...parseConfig(env).redis, timeoutMs: 5000 }), stop };
}
