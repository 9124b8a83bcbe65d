import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startChild } from '../../scripts/dev/child-process.ts';
import { type EmbeddedRedis, findOnPath, freePort, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { CONCLUSIVE, untilConclusive } from '../support/conclusive.ts';
import { nodeArguments } from '../support/entry.ts';
import { guildOn, type TestGuild } from '../support/guild.ts';
import { ask, type Load, startLoad } from '../support/load.ts';
import { needs } from '../support/needs.ts';
import { jsonLines, LONG_REDIS_TIMEOUT, spawnService, type TestProcess } from '../support/process.ts';
import { repository } from '../support/run-command.ts';
import { PATIENT } from '../support/wait.ts';

/** A longer pause of the test process shows a busy machine. */
const QUIET_LAG_MS = 20;

const script = findOnPath(['script']);

describe('two workers under load', needs('redis-server'), () => {
  let redis: EmbeddedRedis;
  let guild: TestGuild;
  let env: Record<string, string>;
  let url: string;
  let adminUrl: string;

  beforeEach(async () => {
    redis = await startEmbeddedRedis();
    onTestFinished(() => redis.stop());
    guild = await guildOn(redis.url);
    onTestFinished(guild.close);
    const [port, adminPort] = [await freePort(), await freePort()];
    url = `http://127.0.0.1:${port}`;
    adminUrl = `http://127.0.0.1:${adminPort}`;
    env = { ...guild.env, REDIS_URL: redis.url, HOST: '127.0.0.1', PORT: `${port}`, ADMIN_PORT: `${adminPort}` };
    Object.assign(env, { WORKERS: '2', LOG_REQUESTS: 'off', ...LONG_REDIS_TIMEOUT });
  });

  const serving = (lines: () => readonly Record<string, unknown>[]) =>
    lines().filter(({ msg }) => String(msg).startsWith('serving from')).length;

  async function start(): Promise<TestProcess & { pids: number[] }> {
    const service = spawnService(env);
    onTestFinished(service.stop);
    const { pids } = await service.line((line) => Array.isArray(line.pids));
    await vi.waitFor(() => expect(serving(service.lines), 'workers that serve').toBe(2), PATIENT);
    await vi.waitFor(async () => expect((await fetch(`${adminUrl}/readyz`)).status).toBe(200), PATIENT);
    return { ...service, pids: pids as number[] };
  }

  function load(): Load {
    const running = startLoad(url, { rate: 300, headers: guild.headers, paths: guild.paths, connections: 30 });
    onTestFinished(async () => void (await running.stop()));
    return running;
  }

  /** Reads the metrics. Fails when that takes longer than a scrape may. */
  async function scrape(): Promise<{ requests: number; value: (series: string) => number | undefined }> {
    const response = await fetch(`${adminUrl}/metrics`, { signal: AbortSignal.timeout(3000) });
    expect(response.status).toBe(200);
    const text = await response.text();
    const value = (series: string) => {
      const line = text.split('\n').find((each) => each.startsWith(`${series} `));
      return line === undefined ? undefined : Number(line.split(' ')[1]);
    };
    const counts = [...text.matchAll(/^http_request_duration_seconds_count\{.*status="200"\} (\d+)$/gm)];
    return { requests: counts.reduce((sum, [, n]) => sum + Number(n), 0), value };
  }

  /** Scrapes until `stop`. Fails when the sum of the requests falls. */
  function watchSums() {
    let stopped = false;
    const sums: number[] = [];
    const watching = (async () => {
      while (!stopped) {
        sums.push((await scrape()).requests);
        await delay(100);
      }
    })();
    watching.catch(() => {});
    return async () => {
      stopped = true;
      await watching;
      expect(sums).toEqual(sums.toSorted((a, b) => a - b));
      return sums;
    };
  }

  it('replaces a worker that is killed, and neither the answers nor the sums of the metrics suffer', async () => {
    const { pids, lines, line } = await start();
    const sent = load();
    await vi.waitFor(() => expect(sent.answers.length).toBeGreaterThan(300), PATIENT);
    const stopWatching = watchSums();
    await scrape();
    const before = (await scrape()).requests;
    expect(before).toBeGreaterThan(0);
    process.kill(pids[0] as number, 'SIGKILL');
    await line(({ msg }) => msg === 'a worker ended: replacing it');
    // Also while the replacement starts.
    expect((await fetch(`${adminUrl}/readyz`)).status).toBe(200);
    await vi.waitFor(() => expect(serving(lines), 'workers that have served').toBe(3), PATIENT);
    await stopWatching();
    const after = await scrape();
    expect(after.requests).toBeGreaterThan(before);
    expect(after.value('guildrank_worker_ends_total')).toBe(1);
    // Only requests that the killed worker held are lost.
    const lost = (await sent.stop()).filter(({ status }) => status !== 200);
    expect(lost.length).toBeLessThanOrEqual(30);
    expect(lost.filter(({ error }) => error !== 'ECONNRESET')).toEqual([]);
  });

  it('answers for its metrics while a worker is stopped, and replaces it', async () => {
    const { pids, lines, line } = await start();
    const sent = load();
    await vi.waitFor(() => expect(sent.answers.length).toBeGreaterThan(300), PATIENT);
    await scrape();
    const stopWatching = watchSums();
    process.kill(pids[0] as number, 'SIGSTOP');
    await vi.waitFor(async () => {
      expect((await scrape()).value('guildrank_workers{state="unresponsive"}')).toBe(1);
    }, PATIENT);
    expect((await fetch(`${adminUrl}/readyz`)).status).toBe(200);
    const killed = await line(({ msg }) => msg === 'a worker does not respond: killing it');
    expect(killed.pid).toBe(pids[0]);
    await vi.waitFor(() => expect(serving(lines), 'workers that have served').toBe(3), PATIENT);
    await vi.waitFor(async () => {
      const { value } = await scrape();
      expect([value('guildrank_workers{state="ready"}'), value('guildrank_workers{state="unresponsive"}')]).toEqual([
        2, 0,
      ]);
    }, PATIENT);
    expect(new Set(await stopWatching()).size).toBeGreaterThan(10);
    const answers = await sent.stop();
    // The stopped worker holds its connections until it is killed; every other request is answered.
    const lost = answers.filter(({ status }) => status !== 200);
    expect(lost.length).toBeLessThan(answers.length / 10);
    // Answers stand in the order in which they came, and a request to the stopped worker ends late.
    expect(answers.toSorted((a, b) => a.sentAt - b.sentAt).at(-1)?.status).toBe(200);
  });

  it('is as ready as its workers', async () => {
    const { line } = await start();
    await redis.stop();
    await vi.waitFor(async () => {
      const response = await fetch(`${adminUrl}/readyz`);
      expect(await response.json()).toEqual({ status: 'unavailable', reason: 'redis', cause: 'unreachable' });
    }, PATIENT);
    expect((await scrape()).value('guildrank_redis_ready')).toBe(0);
    redis = await startEmbeddedRedis(['--port', String(redis.port)]);
    await vi.waitFor(async () => expect((await fetch(`${adminUrl}/readyz`)).status).toBe(200), PATIENT);
    await line(({ msg }) => String(msg).startsWith('back: '));
  });

  it('ends with one exit code and no endless restarts when Redis never comes', async () => {
    await redis.stop();
    const service = spawnService(env);
    onTestFinished(service.stop);
    await vi.waitFor(async () => {
      const response = await fetch(`${adminUrl}/readyz`);
      expect(await response.json()).toEqual({ status: 'unavailable', reason: 'workers' });
      await scrape();
    }, PATIENT);
    expect(await service.waitForEnd(50_000)).toEqual({ code: 1, signal: null });
    expect(service.output()).toContain('Cannot reach the Redis at');
    expect(service.lines().filter(({ msg }) => String(msg).includes('replacing it'))).toEqual([]);
  });

  it.each(['SIGTERM to the first process', 'Ctrl-C'])(
    'answers connections that wait when it stops: %s',
    async (stop) => {
      const { pids, kill, ended } = await start();
      // Connections then wait in the kernel, more of them than one to hand to each worker.
      kill('SIGSTOP');
      const agent = new Agent();
      onTestFinished(() => agent.destroy());
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

  it('cuts no request when Ctrl-C in a terminal reaches all processes at once', {
    ...CONCLUSIVE,
    ...needs('script'),
  }, async () => {
    await untilConclusive('Ctrl-C in a terminal', async () => {
      // In a terminal the signal goes to the whole foreground process group.
      const command = `exec ${[process.execPath, ...nodeArguments(['src/main.ts'])].join(' ')}`;
      const terminal = startChild(script as string, ['-qec', command, '/dev/null'], {
        cwd: repository,
        env: { PATH: process.env.PATH, SHELL: '/bin/sh', ...env },
        stdin: 'pipe',
      });
      onTestFinished(terminal.stop);
      const lines = jsonLines(terminal.stdout);
      await vi.waitFor(() => expect(serving(lines), 'workers that serve').toBe(2), PATIENT);
      const pids = lines().find((line) => Array.isArray(line.pids))?.pids as number[];
      const sent = load();
      await vi.waitFor(() => expect(sent.answers.length).toBeGreaterThan(300), PATIENT);
      terminal.child.stdin?.write('\x03');
      expect(await terminal.waitForEnd()).toEqual({ code: 0, signal: null });
      const lag = sent.worstLag();
      // Once the port is closed, a connection is refused before a request is sent.
      const others = (await sent.stop()).filter(({ status, error }) => status !== 200 && error !== 'ECONNREFUSED');
      expect(others.filter(({ error }) => error !== 'ECONNRESET')).toEqual([]);
      // The terminal shows ^C before one of the lines.
      expect(terminal.output().match(/: draining"/g)).toHaveLength(3);
      expect(terminal.output().match(/"stopped"/g)).toHaveLength(3);
      for (const pid of pids) expect(() => readFileSync(`/proc/${pid}/status`)).toThrow();
      // A connection can come between the last look for one and the close of the port, which a busy machine draws apart.
      const broken = others.map(
        ({ sentAt, took }) => `a new connection was reset after ${took} ms, sent at ${sentAt} ms`,
      );
      return { broken, noise: lag > QUIET_LAG_MS ? `this process waited ${Math.round(lag)} ms` : undefined };
    });
  });
});
