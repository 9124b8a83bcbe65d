import { Redis } from 'ioredis';
import { expect, vi } from 'vitest';
import { type EmbeddedRedis, freePort, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { type Certificates, tlsServer } from './certificates.ts';
import { redisOptions } from './redis-options.ts';
import { PATIENT } from './wait.ts';

/** A real Redis Cluster on loopback: three masters, or as many as asked, and as many replicas of each as asked. */
export interface TestCluster {
  readonly nodes: readonly ClusterNode[];
  /** For REDIS_NODES. */
  readonly addresses: string;
  /** Returns the node that serves the slot of this key, by the word of the first node that answers and is not `doubted`. */
  masterOf(key: string, doubted?: ClusterNode): Promise<ClusterNode>;
  stop(): Promise<void>;
}

export interface ClusterNode {
  readonly server: EmbeddedRedis;
  /** A connection to this node alone. */
  readonly admin: Redis;
  readonly id: string;
  /** The port that the nodes tell each other: the one for TLS, if they have one. */
  readonly port: number;
}

const MASTERS = 3;
const SLOTS = 16_384;
/** Time without a word after which nodes take another node for down, where a replica can take its place. */
const NODE_TIMEOUT_MS = 1000;
/** The same where no replica is: nodes that a busy machine holds up must not make the Cluster refuse requests. */
const LONG_NODE_TIMEOUT_MS = 15_000;
/** The name that nodes with certificates announce, and the only one in their certificates. */
export const TLS_NAME = 'localhost';
/** The nodes want certificates of clients, speak TLS with each other, and tell their clients names instead of addresses. Their plain ports are for the tests. */
const TLS_CLUSTER = redisOptions({
  'tls-cluster': 'yes',
  'tls-replication': 'yes',
  'cluster-announce-hostname': TLS_NAME,
  'cluster-preferred-endpoint-type': 'hostname',
});

/**
 * Starts the nodes, joins them and waits until each sees a whole cluster and each replica follows its master.
 * @param certificates makes the nodes serve TLS to clients, under the name TLS_NAME.
 * @param announce returns the port that a node tells its clients instead of its own, such as that of a proxy.
 */
export async function startCluster(
  replicasEach = 0,
  certificates?: Certificates,
  announce?: (port: number) => Promise<number>,
  masters = MASTERS,
): Promise<TestCluster> {
  const start = () => startNode(replicasEach > 0 ? NODE_TIMEOUT_MS : LONG_NODE_TIMEOUT_MS, certificates, announce);
  const nodes = await Promise.all(Array.from({ length: masters * (1 + replicasEach) }, start));
  const stop = async (): Promise<void> => {
    for (const { admin } of nodes) admin.disconnect();
    await Promise.all(nodes.map(({ server }) => server.stop()));
  };
  try {
    await join(nodes, masters);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    nodes,
    addresses: nodes.map(({ port }) => `${certificates ? TLS_NAME : '127.0.0.1'}:${port}`).join(','),
    masterOf: (key, doubted) => masterOf(nodes, key, doubted),
    stop,
  };
}

async function startNode(
  nodeTimeoutMs: number,
  certificates?: Certificates,
  announce?: (port: number) => Promise<number>,
): Promise<ClusterNode> {
  const busPort = await freePort();
  const tlsPort = certificates && (await freePort());
  const ownPort = await freePort();
  const announced = await announce?.(ownPort);
  const server = await startEmbeddedRedis([
    ...redisOptions({
      port: ownPort,
      'cluster-enabled': 'yes',
      // It is the data port + 10000 by default, which a free port can put out of range.
      'cluster-port': busPort,
      'cluster-node-timeout': nodeTimeoutMs,
      'cluster-replica-validity-factor': 0,
      'repl-diskless-sync-delay': 0,
      // Nodes name a replica to clients only after the first ping of its master, which comes after ten seconds by default.
      'repl-ping-replica-period': 1,
      // Otherwise every shard refuses to serve while one has no master.
      'cluster-require-full-coverage': 'no',
    }),
    ...(announced ? ['--cluster-announce-port', String(announced)] : []),
    ...(tlsPort ? [...tlsServer(certificates, tlsPort, 'yes'), ...TLS_CLUSTER] : []),
  ]);
  const admin = new Redis(server.url, { maxRetriesPerRequest: 0, commandTimeout: 20_000 });
  admin.on('error', () => {}); // Nodes are killed in tests.
  return {
    server,
    admin,
    id: (await admin.call('CLUSTER', 'MYID')) as string,
    port: tlsPort ?? announced ?? server.port,
  };
}

async function join(nodes: readonly ClusterNode[], masters: number): Promise<void> {
  const first = nodes[0] as ClusterNode;
  for (const [index, { admin }] of nodes.entries()) {
    await admin.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
    if (index < masters) {
      const [from, to] = [index, index + 1].map((n) => Math.round((n * SLOTS) / masters)) as [number, number];
      await admin.call('CLUSTER', 'ADDSLOTS', ...Array.from({ length: to - from }, (_, n) => from + n));
    }
  }
  for (const { port, server, admin } of nodes.slice(1)) {
    const [, bus = server.port + 10_000] = (await admin.config('GET', 'cluster-port')) as string[];
    await first.admin.call('CLUSTER', 'MEET', '127.0.0.1', port, String(bus));
  }
  await everywhere(nodes, 'joins the whole cluster', async ({ admin }) => {
    const info = (await admin.call('CLUSTER', 'INFO')) as string;
    return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${nodes.length}`);
  });
  // A node met through gossip is known before its handshake is done; until then REPLICATE does not find it.
  for (const [index, { admin }] of nodes.entries()) {
    if (index < masters) continue;
    const master = nodes[index % masters] as ClusterNode;
    await vi.waitFor(() => admin.call('CLUSTER', 'REPLICATE', master.id), PATIENT);
  }
  await everywhere(nodes.slice(masters), 'follows its master', async ({ admin }) =>
    (await admin.info('replication')).includes('master_link_status:up'),
  );
  // A client asks any node for the map: each must know every replica.
  await everywhere(nodes, 'knows every replica', async ({ admin }) => {
    const map = (await admin.call('CLUSTER', 'SLOTS')) as unknown[][];
    return map.length === masters && map.every((range) => range.length === 2 + nodes.length / masters);
  });
}

async function everywhere(nodes: readonly ClusterNode[], what: string, holds: (node: ClusterNode) => Promise<boolean>) {
  const wait = (node: ClusterNode) =>
    vi.waitFor(async () => expect(await holds(node), `node ${node.server.port} ${what}`).toBe(true), PATIENT);
  await Promise.all(nodes.map(wait));
}

async function masterOf(nodes: readonly ClusterNode[], key: string, doubted?: ClusterNode): Promise<ClusterNode> {
  for (const node of nodes) {
    if (node === doubted) continue;
    try {
      const slot = (await node.admin.call('CLUSTER', 'KEYSLOT', key)) as number;
      const map = (await node.admin.call('CLUSTER', 'SLOTS')) as [number, number, [string, number, string]][];
      const range = map.find(([from, to]) => slot >= from && slot <= to);
      const master = nodes.find(({ id }) => id === range?.[2][2]);
      if (master) return master;
    } catch {
      // This node is down: another knows.
    }
  }
  throw new Error(`No node serves the slot of ${key}`);
}
