import { Cluster, Redis } from 'ioredis';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { parseConfig } from '../../src/config/service.ts';
import { openCore } from '../../src/core/core.ts';
import { connect } from '../../src/core/store/connection.ts';
import { startCluster } from '../support/cluster.ts';
import { untilConnected } from '../support/connected.ts';
import { needs } from '../support/needs.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { PATIENT } from '../support/wait.ts';

const CUTS = 10;

/** Options that docs/bots.md tells a bot. */
const BOT_OPTIONS = { autoResendUnfulfilledCommands: false, maxRetriesPerRequest: 0 };
const BOT_CLUSTER_OPTIONS = {
  clusterNodeRetryStrategy: (attempt: number) => (attempt === 1 ? 20 : null),
  redisOptions: BOT_OPTIONS,
};

/** Starts a Redis, or a Cluster, behind proxies. @returns the environment that leads there. */
async function redisBehind(proxies: TcpProxy[], mode: string): Promise<Record<string, string>> {
  const proxied = async (port: number) => {
    const proxy = await startTcpProxy(port);
    proxies.push(proxy);
    onTestFinished(proxy.stop);
    return proxy.port;
  };
  if (mode === 'Cluster') {
    const { stop, addresses } = await startCluster(0, undefined, proxied);
    onTestFinished(stop);
    return { REDIS_MODE: 'cluster', REDIS_NODES: addresses };
  }
  const { stop, port } = await startEmbeddedRedis();
  onTestFinished(stop);
  return { REDIS_URL: `redis://127.0.0.1:${await proxied(port)}` };
}

it.each([
  ['single Redis', 'the service'],
  ['single Redis', 'a bot'],
  ['Cluster', 'the service'],
  ['Cluster', 'a bot'],
])(
  'a write is done once at most when its reply is lost and the connection comes back at once, on a %s with the options of %s',
  needs('redis-server'),
  async (mode, options) => {
    const proxies: TcpProxy[] = [];
    const { redis } = parseConfig(await redisBehind(proxies, mode));
    const ofBot = () =>
      mode === 'Cluster' ? new Cluster([...redis.nodes], BOT_CLUSTER_OPTIONS) : new Redis(redis.url, BOT_OPTIONS);
    const client = options === 'a bot' ? ofBot() : connect({ ...redis, timeoutMs: 5000 });
    onTestFinished(() => client.disconnect());
    await untilConnected(client);
    const { writer } = openCore(client, 'gr');
    const add = () => writer.record('g', { userId: 'u', add: 1 });
    let { xp } = await vi.waitFor(add, PATIENT);
    for (let cut = 0; cut < CUTS; cut++) {
      for (const proxy of proxies) proxy.dropNextReply();
      await add().catch(() => {});
      for (const proxy of proxies) proxy.behave();
      const after = await vi.waitFor(add, PATIENT);
      expect(after.xp - xp - 1, 'times that the write was done').toBeLessThanOrEqual(1);
      ({ xp } = after);
    }
  },
);
