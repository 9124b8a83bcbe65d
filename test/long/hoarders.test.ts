import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../scripts/dev/embedded-redis.ts';
import { generateKey } from '../../src/core/access/key-format.ts';
import { recordFigure } from '../support/figures.ts';
import { guildSuite } from '../support/guild.ts';
import { type Answer, startLoad } from '../support/load.ts';
import { needs } from '../support/needs.ts';
import { runScript, type ServiceProcess } from '../support/process.ts';
import { PATIENT } from '../support/wait.ts';

/** HOARDERS=3000 is the full number of connections; it takes as many file descriptors in each process. */
const HOARDERS = Number(process.env.HOARDERS ?? 300);
const MB = 1024 * 1024;
/** Resident memory that a container with 256 MiB allows. */
const LIMIT_MB = 256;
/** As the image says it (Dockerfile), in such a container. */
const LIMITED = ['--max-old-space-size=128', '--max-semi-space-size=16'];
/** In these lines of Node, V8 keeps the pages of freed objects for new ones: the resident memory stays at the peak, and does not grow. */
const KEEPS_FREED_PAGES = [22, 24];
/** HOARDERS_ROUNDS=3 repeats each attack on the same process, which must stay below the limit. */
const ROUNDS = Number(process.env.HOARDERS_ROUNDS ?? 1);
/** The service has to serve again while the attackers are still connected, also on a busy machine. */
const AGAIN = { timeout: 90_000, interval: 50 };
const TIMEOUT = { timeout: 240_000 * ROUNDS };

/** HOARDERS_NODE names the binary of another line of Node to run the service on: .ci/node-line.mjs prints its folder. */
const NODE = process.env.HOARDERS_NODE;
const NODES = [process.execPath, ...(NODE && existsSync(NODE) ? [resolve(NODE)] : [])];

describe.each(NODES)('the service on %s in 256 MiB', { ...TIMEOUT, ...needs('redis-server') }, (node) => {
  const suite = guildSuite();
  let service: ServiceProcess;
  const sockets: Socket[] = [];

  beforeEach(async () => {
    service = await startLimited(node, {
      REDIS_URL: suite.redis.url,
      LOG_REQUESTS: 'off',
      TRUST_PROXY: '1',
      ...suite.guild.env,
    });
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await service.stop();
  });

  /** Opens a connection that reads nothing, and sends on it. */
  async function hoard(bytes: string | Buffer): Promise<Socket> {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1').pause();
    sockets.push(socket);
    socket.on('error', () => {});
    await once(socket, 'connect').catch(() => {});
    socket.write(bytes);
    return socket;
  }

  const rssMb = () => service.rss() / MB;

  /**
   * Memory that the service holds: resident, or where Node does not give freed pages back, the heap and the buffers. Without the young
   * generation, whose size Node chooses by the load.
   */
  async function heldMb(): Promise<number> {
    const metrics = await (await fetch(`${service.adminUrl}/metrics`)).text();
    const value = (name: string) => Number(new RegExp(`^${name} (.+)$`, 'm').exec(metrics)?.[1]);
    const line = Number(/^nodejs_version_info.*major="(\d+)"/m.exec(metrics)?.[1]);
    const young = value('nodejs_heap_space_size_total_bytes\\{space="new"\\}') / MB;
    if (!KEEPS_FREED_PAGES.includes(line)) return rssMb() - young;
    return (value('nodejs_heap_size_total_bytes') + value('nodejs_external_memory_bytes')) / MB - young;
  }

  /** Runs an attack beside a steady load, and judges what the others got and the memory of the service. */
  async function attack(name: string, work: () => Promise<unknown>): Promise<void> {
    const load = startLoad(service.url, {
      rate: 50,
      headers: suite.guild.headers,
      paths: suite.guild.paths,
      connections: 10,
    });
    await vi.waitFor(() => expect(load.answers.length).toBeGreaterThan(100), PATIENT);
    const before = rssMb();
    const heldBefore = await heldMb();
    let peak = before;
    const watch = setInterval(() => {
      if (service.isRunning()) peak = Math.max(peak, rssMb());
    }, 50);
    for (let round = 0; round < ROUNDS; round++) {
      await work();
      await delay(1000);
      // While the connections are still open, each answer in a row must be right again.
      const served = () => load.answers.slice(-50).every(({ status }) => status === 200);
      const during = load.answers.length;
      const isServed = () => load.answers.length > during + 50 && served();
      await vi.waitFor(() => expect(isServed(), 'others are served').toBe(true), AGAIN);
      for (const socket of sockets.splice(0)) socket.destroy();
      // With the load: a process that serves nobody collects no garbage.
      await vi.waitFor(async () => expect(await heldMb()).toBeLessThan(heldBefore + 60), PATIENT);
    }
    clearInterval(watch);
    const answers = await load.stop();
    expect(service.isRunning(), service.output()).toBe(true);
    expect(peak).toBeLessThan(LIMIT_MB);
    for (const answer of answers) if (answer.status === 200) expect(suite.guild.wrong(answer)).toBeUndefined();
    // The attack takes CPU, and a busy machine has little: an answer can come late. No other kind of failure is right.
    const isLate = ({ status, error }: Answer) => error === 'TIMEOUT' || status === 503;
    expect(answers.filter((answer) => answer.status !== 200 && !isLate(answer))).toEqual([]);
    const figures = { before, peak, after: rssMb(), heldMore: (await heldMb()) - heldBefore };
    const rounded = Object.fromEntries(Object.entries(figures).map(([name, mb]) => [name, Math.round(mb)]));
    const late = answers.filter(isLate).length;
    const run = { connections: HOARDERS, rounds: ROUNDS, ...rounded, late, others: answers.length };
    recordFigure(`hoarders: ${name} (${node})`, run);
  }

  const request = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
  const withKey = (key: string) => `x-api-key: ${key}\r\n`;

  it('the service serves others while clients pipeline requests without a key and read no answer', async () => {
    const bulk = Buffer.from(request('/api/v1/openapi.json').repeat(400));
    await attack('pipelined pages', async () => {
      for (let i = 0; i < HOARDERS; i++) await hoard(bulk);
    });
  });

  it('the service serves others while clients pipeline requests with a valid key and read no answer', async () => {
    const bulk = Buffer.from(request(suite.guild.paths[0] as string, withKey(suite.guild.key)).repeat(300));
    await attack('pipelined reads', async () => {
      for (let i = 0; i < HOARDERS; i++) await hoard(bulk);
    });
  });

  it('the service serves others while clients stop in the middle of an answer', async () => {
    const one = request('/api/v1/openapi.json').repeat(60);
    await attack('stopped in mid-answer', async () => {
      for (let i = 0; i < HOARDERS; i++) (await hoard(one)).once('readable', () => {});
    });
  });

  it('the service serves others while clients send part of a long head and stop', async () => {
    const part = `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(15_000)}`;
    await attack('half a head', async () => {
      for (let i = 0; i < HOARDERS; i++) await hoard(part);
    });
  });

  it('the service serves others while clients come from many addresses with long names, each with keys of its own', async () => {
    await attack('addresses and keys', async () => {
      for (let i = 0; i < HOARDERS; i++) {
        const requests = Array.from({ length: 10 }, (_, n) => {
          const from = `X-Forwarded-For: ${'y'.repeat(12_000)}, 10.${i >> 8}.${i & 255}.${n}\r\n`;
          return request('/api/v1/servers/guild/stats', withKey(generateKey()) + from);
        });
        const socket = await hoard(requests.join(''));
        socket.resume();
      }
    });
  });

  it('the service serves others while clients ask for many long addresses and large pages', async () => {
    const name = 'n'.repeat(200);
    const members = Array.from({ length: 2000 }, (_, i) => ({
      userId: `m${i}`,
      set: i,
      username: name,
    }));
    await suite.guild.store.guildConfig.update('large', { plan: 'pro' });
    await suite.guild.store.writer.recordMany('large', members);
    const { key } = await suite.guild.store.apiKeys.create('large', 'test', null);
    await attack('large pages', async () => {
      for (let i = 0; i < HOARDERS; i++) {
        const requests = Array.from({ length: 20 }, (_, n) => {
          const page = `limit=${100 - (i % 50)}&page=${1 + ((i + n) % 19)}&${'z'.repeat(100)}${i}`;
          return request(`/api/v1/servers/large/leaderboard?${page}`, withKey(key));
        });
        await hoard(requests.join(''));
      }
    });
  });
});

/** Starts the service with little memory and waits until it serves. */
async function startLimited(node: string, env: Record<string, string>): Promise<ServiceProcess> {
  const args = [...LIMITED, 'src/service/main.ts'];
  const ports = { HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: String(await freePort()) };
  const service = runScript(args, { ...ports, ...env }, node);
  const { url, admin_url } = await service.line((line) => typeof line.url === 'string');
  return { ...service, url: url as string, adminUrl: admin_url as string };
}
