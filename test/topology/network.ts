import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, vi } from 'vitest';
import { startChild } from '../../scripts/dev/child-process.ts';
import { type EmbeddedRedis, findRedisServer, freePort, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { redisOptions } from '../support/redis-options.ts';
import { type Direction, startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { PATIENT } from '../support/wait.ts';

/** What talks over the network: three Redis, three Sentinels, the service and the bot. */
export const REDIS = ['A', 'B', 'C'] as const;
export const SENTINELS = ['S1', 'S2', 'S3'] as const;
export type Place = (typeof REDIS)[number] | (typeof SENTINELS)[number] | 'service' | 'bot';

/** Packets from the first place to the second, and with `both` also back. */
export type Cut = readonly [from: Place, to: Place, ways: 'one way' | 'both'];

/** The longest that a master without replicas takes writes, by its min-replicas-max-lag, counted in whole seconds twice a second. */
const MAX_LAG_S = 2;
export const STALE_MS = (MAX_LAG_S + 2) * 1000;
const NAME = 'guilds';

/** Each place sends from an address of its own. That of the bot is the default. */
export const SOURCES: Readonly<Record<Place, string>> = {
  ...{ A: '127.0.1.1', B: '127.0.1.2', C: '127.0.1.3', S1: '127.0.1.11', S2: '127.0.1.12', S3: '127.0.1.13' },
  ...{ service: '127.0.1.20', bot: '127.0.0.1' },
};

/** A master, two replicas and three Sentinels that reach each other, and are reached, through proxies only. */
export interface Network {
  readonly env: Record<string, string>;
  cut(cuts: readonly Cut[]): void;
  heal(cuts: readonly Cut[]): void;
  /** Returns the place of the master, by the word of most Sentinels, which are asked past the proxies. */
  master(): Promise<(typeof REDIS)[number]>;
  /** Waits until both replicas follow the master that the Sentinels name, and every Sentinel knows all. */
  whole(): Promise<void>;
  stop(): Promise<void>;
}

interface Member {
  readonly proxy: TcpProxy;
  readonly admin: Redis;
  stop(): Promise<void>;
}

export async function startNetwork(): Promise<Network> {
  const members = new Map<Place, Member>();
  const memberAt = (place: Place) => members.get(place) as Member;
  const stop = async (): Promise<void> => {
    for (const { admin } of members.values()) admin.disconnect();
    await Promise.all([...members.values()].map(async (member) => member.stop()));
  };
  for (const place of REDIS) members.set(place, await startMember(place, members.get('A')?.proxy.port));
  for (const place of SENTINELS) members.set(place, await startSentinel(place, memberAt('A').proxy.port));

  const named = async (sentinel: Place) => {
    const reply = (await memberAt(sentinel).admin.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME)) as string[];
    return REDIS.find((place) => memberAt(place).proxy.port === Number(reply[1]));
  };
  const master = async () => {
    const names = await Promise.all(SENTINELS.map(named));
    const found = REDIS.find((place) => names.filter((name) => name === place).length * 2 > SENTINELS.length);
    if (!found) throw new Error(`The Sentinels name ${names}`);
    return found;
  };
  const whole = () =>
    vi.waitFor(async () => {
      const [first] = await Promise.all(SENTINELS.map(named));
      for (const sentinel of SENTINELS) {
        expect(await named(sentinel)).toBe(first);
        const [state] = (await memberAt(sentinel).admin.call('SENTINEL', 'MASTERS')) as string[][];
        const field = (name: string) => state?.[state.indexOf(name) + 1];
        expect([field('flags'), field('num-slaves'), field('num-other-sentinels')]).toEqual(['master', '2', '2']);
      }
      const port = memberAt(first as Place).proxy.port;
      for (const place of REDIS) {
        const info = await memberAt(place).admin.info('replication');
        const wanted = place === first ? ['connected_slaves:2'] : [`master_port:${port}`, 'master_link_status:up'];
        for (const line of wanted) expect(info).toContain(line);
      }
      // A master counts its replicas only when they have answered lately.
      expect(await memberAt(first as Place).admin.info('replication')).toContain('min_slaves_good_slaves:2');
    }, PATIENT);
  await whole().catch(async (error: unknown) => {
    await stop();
    throw error;
  });

  /** Does something with each direction of each connection that a cut concerns. */
  const each = (cuts: readonly Cut[], act: (proxy: TcpProxy, source: string, direction: Direction) => void) => {
    for (const [from, to, ways] of cuts) {
      for (const [one, other] of ways === 'both' ? [[from, to] as const, [to, from] as const] : [[from, to] as const]) {
        // Nobody connects to the service or the bot, so these have no proxy.
        const near = members.get(one)?.proxy;
        const far = members.get(other)?.proxy;
        if (far) act(far, SOURCES[one], 'requests');
        if (near) act(near, SOURCES[other], 'replies');
      }
    }
  };
  return {
    env: {
      REDIS_MODE: 'sentinel',
      REDIS_NODES: SENTINELS.map((place) => `127.0.0.1:${memberAt(place).proxy.port}`).join(','),
      REDIS_SENTINEL_NAME: NAME,
    },
    cut: (cuts) => each(cuts, (proxy, source, direction) => proxy.hold(source, direction)),
    heal: (cuts) => each(cuts, (proxy, source) => proxy.release(source)),
    master,
    whole,
    stop,
  };
}

async function startMember(place: Place, masterPort: number | undefined): Promise<Member> {
  const port = await freePort();
  const proxy = await startTcpProxy(port);
  const server: EmbeddedRedis = await startEmbeddedRedis([
    ...redisOptions({
      port,
      'bind-source-addr': SOURCES[place],
      'repl-diskless-sync-delay': 0,
      'replica-announce-ip': '127.0.0.1',
      'replica-announce-port': proxy.port,
      'min-replicas-to-write': 1,
      'min-replicas-max-lag': MAX_LAG_S,
      'repl-timeout': 4,
      'repl-ping-replica-period': 1,
    }),
    ...(masterPort === undefined ? [] : ['--replicaof', '127.0.0.1', `${masterPort}`]),
  ]);
  return { proxy, admin: adminOf(port), stop: () => ended(server.stop, proxy) };
}

async function startSentinel(place: Place, masterPort: number): Promise<Member> {
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-sentinel-'));
  const port = await freePort();
  const proxy = await startTcpProxy(port);
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `bind-source-addr ${SOURCES[place]}`,
    `dir ${folder}`,
    'sentinel announce-ip 127.0.0.1',
    `sentinel announce-port ${proxy.port}`,
    `sentinel monitor ${NAME} 127.0.0.1 ${masterPort} 2`,
    `sentinel down-after-milliseconds ${NAME} 1000`,
    `sentinel failover-timeout ${NAME} 4000`,
    `sentinel parallel-syncs ${NAME} 2`,
  ];
  const file = join(folder, 'sentinel.conf');
  writeFileSync(file, `${lines.join('\n')}\n`);
  const child = startChild(findRedisServer() as string, [file, '--sentinel']);
  await child.waitForOutput('the Sentinel to watch its master', () => child.output().includes('+monitor master'));
  const stop = async () => {
    await child.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { proxy, admin: adminOf(port), stop: () => ended(stop, proxy) };
}

/** Returns a connection past the proxies. */
function adminOf(port: number): Redis {
  const admin = new Redis(port, '127.0.0.1', { maxRetriesPerRequest: 0, commandTimeout: 5000 });
  return admin.on('error', () => {});
}

async function ended(stop: () => Promise<void>, proxy: TcpProxy): Promise<void> {
  await stop();
  await proxy.stop();
}
