import { once } from 'node:events';
import { Agent, createServer } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { freePort, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { ask } from '../support/load.ts';
import { needs } from '../support/needs.ts';
import { LONG_REDIS_TIMEOUT, spawnService } from '../support/process.ts';
import { redisForTest } from '../support/stores.ts';
import { PATIENT } from '../support/wait.ts';
import { load, prepare, READY, scrape, serving, startTwo, watchSums } from './two-workers.ts';

/** Time passes three times as fast for the processes of a service, so that it waits ten seconds for Redis instead of thirty. */
const FAST_CLOCK = `data:text/javascript,const now = performance.now.bind(performance); performance.now = () => 3 * now();`;

/** Opens 120 connections, and closes them when 20 were cut. */
async function fill(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  let closed = 0;
  const sockets = Array.from({ length: 120 }, () => connect(Number(port), hostname));
  for (const socket of sockets) socket.on('error', () => {}).on('close', () => closed++);
  await vi.waitFor(() => expect(closed).toBeGreaterThanOrEqual(20), PATIENT);
  for (const socket of sockets) socket.destroy();
}

// They wait most of their time.
describe.concurrent('two workers', { ...needs('redis-server'), timeout: 300_000 }, () => {
  it('two workers answer for their metrics while one of them is stopped, and the stopped worker is replaced', async (context) => {
    const service = await startTwo(context);
    const { pids, lines, line, adminUrl } = service;
    const sent = load(context, service);
    await vi.waitFor(() => expect(sent.answers.length).toBeGreaterThan(100), PATIENT);
    await scrape(service);
    const { sums, stopWatching } = watchSums(service);
    process.kill(pids[0] as number, 'SIGSTOP');
    await vi.waitFor(async () => {
      expect((await scrape(service)).value('guildrank_workers{state="unresponsive"}')).toBe(1);
    }, PATIENT);
    expect((await fetch(`${adminUrl}/readyz`)).status).toBe(200);
    const killed = await line(({ msg }) => msg === 'a worker does not respond: killing it');
    expect(killed.pid).toBe(pids[0]);
    await vi.waitFor(() => expect(serving(lines), 'workers that have served').toBe(3), READY);
    await vi.waitFor(async () => {
      const { value } = await scrape(service);
      expect([value('guildrank_workers{state="ready"}'), value('guildrank_workers{state="unresponsive"}')]).toEqual([
        2, 0,
      ]);
    }, PATIENT);
    await vi.waitFor(() => expect(new Set(sums).size).toBeGreaterThan(10), PATIENT);
    await stopWatching();
    const answers = await sent.stop();
    // The stopped worker holds its connections until it is killed; every other request is answered.
    const lost = answers.filter(({ status }) => status !== 200);
    expect(lost.length).toBeLessThan(answers.length / 10);
    // Answers stand in the order in which they came, and a request to the stopped worker ends late.
    expect(answers.toSorted((a, b) => a.sentAt - b.sentAt).at(-1)?.status).toBe(200);
  });

  it('killed workers are replaced, and neither the answers nor the sums of the metrics suffer', async (context) => {
    const service = await startTwo(context);
    const { pids, lines, line, url, guild, adminUrl } = service;
    const sent = load(context, service);
    await vi.waitFor(() => expect(sent.answers.length).toBeGreaterThan(100), PATIENT);
    const { stopWatching } = watchSums(service);
    // Of new connections, one is given to the worker that cannot take it any more.
    process.kill(pids[0] as number, 'SIGSTOP');
    const agent = new Agent();
    context.onTestFinished(() => agent.destroy());
    const given = [0, 1].map(() => ask(agent, url, guild.paths[0] as string, guild.headers));
    await Promise.race(given);
    const before = (await scrape(service)).requests;
    expect(before).toBeGreaterThan(0);
    process.kill(pids[0] as number, 'SIGKILL');
    await line(({ msg }) => msg === 'a worker ended: replacing it');
    const outcomes = (await Promise.all(given)).map(({ status, error }) => error ?? status);
    // Unless a connection of the load took the place at the stopped worker before: then both are answered.
    expect([
      [200, 200],
      [200, 'ECONNRESET'],
    ]).toContainEqual(outcomes.toSorted());
    // Also while the replacement starts.
    expect((await fetch(`${adminUrl}/readyz`)).status).toBe(200);
    await vi.waitFor(() => expect(serving(lines), 'workers that have served').toBe(3), READY);
    await stopWatching();
    const after = await scrape(service);
    expect(after.requests).toBeGreaterThan(before);
    expect(after.value('guildrank_worker_ends_total')).toBe(1);
    // Only requests that the killed worker held are lost.
    const lost = (await sent.stop()).filter(({ status }) => status !== 200);
    expect(lost.length).toBeLessThanOrEqual(30);
    expect(lost.filter(({ error }) => error !== 'ECONNRESET')).toEqual([]);
  });

  it('two workers add up their metrics, are as ready as each of them, and both end on SIGTERM with exit code 0', async (context) => {
    const service = await startTwo(context);
    const { redis, guild, line, url, adminUrl, pids, kill, ended } = service;
    const ask = () => fetch(url + guild.paths[0], { headers: { ...guild.headers, connection: 'close' } });
    for (let i = 0; i < 20; i++) expect((await ask()).status).toBe(200);
    await vi.waitFor(async () => expect((await scrape(service)).requests).toBe(20), PATIENT);
    await fill(adminUrl);
    await vi.waitFor(async () => {
      const cuts = (await scrape(service)).value('guildrank_connections_cut_total{reason="connections"}');
      expect(cuts).toBeGreaterThanOrEqual(20);
    }, PATIENT);
    await redis.stop();
    await vi.waitFor(async () => {
      const response = await fetch(`${adminUrl}/readyz`);
      expect(await response.json()).toEqual({ status: 'unavailable', reason: 'redis', cause: 'unreachable' });
    }, PATIENT);
    await vi.waitFor(async () => expect((await scrape(service)).value('guildrank_redis_ready')).toBe(0), PATIENT);
    const again = await startEmbeddedRedis(['--port', String(redis.port)]);
    context.onTestFinished(again.stop);
    await vi.waitFor(async () => expect((await fetch(`${adminUrl}/readyz`)).status).toBe(200), PATIENT);
    await line(({ msg }) => String(msg).startsWith('back: '));
    kill('SIGTERM');
    expect(await ended).toEqual({ code: 0, signal: null });
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it('two workers end with one exit code, and do not restart without end, when Redis never comes', async (context) => {
    const prepared = await prepare(context);
    await prepared.redis.stop();
    const service = spawnService(prepared.env, ['--import', FAST_CLOCK]);
    context.onTestFinished(service.stop);
    await vi.waitFor(async () => {
      const response = await fetch(`${prepared.adminUrl}/readyz`);
      expect(await response.json()).toEqual({ status: 'unavailable', reason: 'workers' });
      await scrape(prepared);
    }, PATIENT);
    expect(await service.waitForEnd(50_000)).toEqual({ code: 1, signal: null });
    expect(service.output()).toContain('Cannot reach the Redis at');
    expect(service.lines().filter(({ msg }) => String(msg).includes('replacing it'))).toEqual([]);
  });
});

describe('two workers that stop', needs('redis-server'), () => {
  it.for(['SIGTERM to the first process', 'Ctrl-C'])(
    'two workers that stop answer the connections that wait: %s',
    async (stop, context) => {
      const { pids, kill, ended, url, guild } = await startTwo(context);
      // Connections then wait in the kernel, more of them than one to hand to each worker.
      kill('SIGSTOP');
      const agent = new Agent();
      context.onTestFinished(() => agent.destroy());
      const waiting = Array.from({ length: 20 }, () => ask(agent, url, guild.paths[0] as string, guild.headers));
      const connected = () =>
        Object.values(agent.sockets).flatMap((sockets) => sockets?.filter((it) => !it.connecting));
      await vi.waitFor(() => expect(connected()).toHaveLength(20), PATIENT);
      if (stop === 'Ctrl-C') for (const pid of pids) process.kill(pid, 'SIGINT');
      kill(stop === 'Ctrl-C' ? 'SIGINT' : 'SIGTERM');
      kill('SIGCONT');
      expect((await Promise.all(waiting)).map(({ status, error }) => error ?? status)).toEqual(Array(20).fill(200));
      expect(await ended).toEqual({ code: 0, signal: null });
    },
  );
});

describe('WORKERS=2 with a port that is taken', needs('redis-server'), () => {
  it('two workers end with one clear line when their port is taken, instead of trying again without end', async () => {
    const redis = await redisForTest();
    const port = await freePort();
    const taken = createServer().listen(port, '127.0.0.1');
    await once(taken, 'listening');
    onTestFinished(() => void taken.close());
    const service = spawnService({
      ...LONG_REDIS_TIMEOUT,
      REDIS_URL: redis.url,
      PORT: `${port}`,
      WORKERS: '2',
    });
    expect((await service.waitForEnd()).code).toBe(1);
    expect(service.output()).toContain('Choose another PORT');
  });
});
