import { expect, it, vi } from 'vitest';
import { startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { servicesOn } from '../../src/cli/services.ts';
import { parseConfig } from '../../src/config.ts';
import { connect } from '../../src/redis/connection.ts';
import { waitUntilReady } from '../../src/redis/lifecycle.ts';
import { cleanUpsAfterEach } from '../support/clean-ups.ts';
import { startCluster } from '../support/cluster.ts';
import { hasRedis } from '../support/stores.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { PATIENT } from '../support/wait.ts';

const cleanUps = cleanUpsAfterEach();
const CUTS = 10;

/** Starts a Redis, or a Cluster, behind proxies. @returns the environment that leads there. */
async function redisBehind(proxies: TcpProxy[], mode: string): Promise<Record<string, string>> {
  const proxied = async (port: number) => {
    const proxy = await startTcpProxy(port);
    proxies.push(proxy);
    cleanUps.push(proxy.stop);
    return proxy.port;
  };
  if (mode === 'Cluster') {
    const { stop, addresses } = await startCluster(0, undefined, proxied);
    cleanUps.push(stop);
    return { REDIS_MODE: 'cluster', REDIS_NODES: addresses };
  }
  const { stop, port } = await startEmbeddedRedis();
  cleanUps.push(stop);
  return { REDIS_URL: `redis://127.0.0.1:${await proxied(port)}` };
}

it.skipIf(!hasRedis).each(['single Redis', 'Cluster'])(
  'a write is done once at most when its reply is lost and the connection comes back at once, on a %s',
  async (mode) => {
    const proxies: TcpProxy[] = [];
    const { redis } = parseConfig(await redisBehind(proxies, mode));
    const client = connect({ ...redis, timeoutMs: 5000 });
    client.on('error', () => {});
    cleanUps.push(() => client.disconnect());
    await waitUntilReady(client, 10_000, () => {});
    const { writer } = servicesOn(client, 'gr', []);
    const add = () => writer.record('g', { userId: 'u', add: 1 });
    let { xp } = await add();
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
