import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../scripts/dev/embedded-redis.ts';
import { CONCLUSIVE, TRIES, untilConclusive } from '../support/conclusive.ts';
import { recordFigure } from '../support/figures.ts';
import { guildSuite } from '../support/guild.ts';
import { type Answer, ask, startLoad } from '../support/load.ts';
import { needs } from '../support/needs.ts';
import { LONG_REDIS_TIMEOUT, type ServiceProcess, spawnService, startServiceProcess } from '../support/process.ts';
import { watchProcessorLag } from '../support/processor-lag.ts';
import { ALL_VARIANTS } from '../support/variants.ts';
import { PATIENT } from '../support/wait.ts';

/** SHUTDOWN_RUNS=50 is the full length: 300 stops in the long tier. */
const RUNS = Number(process.env.SHUTDOWN_RUNS ?? 1);
/** A stop takes some five seconds, and between two tries a quiet moment is waited for, ten seconds at most. */
const PATIENCE = { timeout: 60_000 + RUNS * TRIES * 20_000 };

/**
 * A cut request says nothing about the service when one of the processes was kept from running for longer. An idle
 * machine shows 10 to 12 ms; five requests come in each further ten.
 */
const STARVED_MS = 20;

/** How long the service serves on after a signal, in one test: twenty requests take less on a busy machine. */
const DELAY_MS = 8000;

/** Signals, and the workers of the service that gets them. */
const STOPS = [
  ['SIGTERM', 1],
  ['SIGHUP', 3],
  ['SIGHUP', 1],
  ['SIGTERM', 2],
  ['SIGTERM', 3],
  ['SIGTERM', 8],
] as const;

describe('the end of the process', needs('redis-server'), () => {
  const suite = guildSuite();
  let service: ServiceProcess | undefined;

  afterEach(() => service?.stop());

  const start = async (env: Record<string, string> = {}, preload: readonly string[] = []) => {
    const settings = { ...LONG_REDIS_TIMEOUT, REDIS_URL: suite.redis.url, ...suite.guild.env, ...env };
    service = await startServiceProcess(settings, preload);
    return service;
  };

  it.each(ALL_VARIANTS ? STOPS : STOPS.slice(0, 2))(
    `the service cuts no request and exits with 0 when %s comes under load, ${RUNS} times, with %i workers`,
    PATIENCE,
    async (signal, workers) => {
      const totals = { answered: 0, resent: 0, tries: 0, cutWhenStarved: 0 };
      for (let run = 0; run < RUNS; run++) {
        totals.tries += await untilConclusive(`stop ${run + 1} of ${workers} workers under load`, async () => {
          // At a different moment in every run.
          const { answers, lag } = await stopUnderLoad(run * 7, workers, signal);
          const unmet = answers.filter(({ status }) => status !== 200);
          // Once the port is closed, a connection is refused before a request is sent: no request is cut. And a 503 is an
          // answer: a busy machine can keep Redis from giving one in time.
          const cut = unmet.filter(({ error, status }) => error !== 'ECONNREFUSED' && status !== 503);
          const unavailable = unmet.filter(({ status }) => status === 503).length;
          const closing = answers.filter(({ status, headers }) => status === 200 && headers.connection === 'close');
          const broken = [
            cut.length > 0 && `${cut.length} requests were cut, such as ${cut[0]?.path} with ${cut[0]?.error}`,
            unavailable >= answers.length * 0.05 && `${unavailable} answers of 503`,
            closing.length === 0 && 'no answer announced the end of its connection',
          ].filter((text) => text !== false);
          totals.answered += answers.length - unmet.length;
          totals.resent += answers.filter(({ resent }) => resent).length;
          // The kernel cuts a connection that reaches a process which is kept from running while it closes its port.
          if (lag <= STARVED_MS) return { broken, noise: undefined };
          totals.cutWhenStarved += cut.length;
          return { broken, noise: `one of the processes was held up for ${Math.round(lag)} ms` };
        });
      }
      recordFigure(`${signal} under 500 requests/s, ${workers} workers`, { times: RUNS, ...totals, cut: 0 });
    },
  );

  /** Starts the service, stops it under load after `pauseMs`, and asserts its exit code and the content of each answer. */
  async function stopUnderLoad(
    pauseMs: number,
    workers: number,
    signal: NodeJS.Signals,
  ): Promise<{ answers: readonly Answer[]; lag: number }> {
    const started = await start({ WORKERS: String(workers) });
    await vi.waitFor(() => expect(servingIn(started)).toBe(workers), PATIENT);
    const { headers, paths, wrong } = suite.guild;
    const load = startLoad(started.url, { rate: 400, headers, paths, connections: 50 });
    const newConnections = startLoad(started.url, { rate: 100, headers, paths, keepAlive: false });
    try {
      await vi.waitFor(() => expect(load.answers.length).toBeGreaterThan(100), PATIENT);
      await delay(pauseMs);
      const killedAt = Date.now();
      const stopWatching = watchProcessorLag(workersOf(started));
      started.kill(signal);
      expect(await started.waitForEnd()).toEqual({ code: 0, signal: null });
      const lag = Math.max(load.worstLag(), started.worstLag(killedAt), stopWatching());
      const answers = [...(await load.stop()), ...(await newConnections.stop())];
      expect(answers.filter((answer) => answer.status === 200 && wrong(answer) !== undefined)).toEqual([]);
      const statuses = new Set(answers.map(({ status }) => status));
      // 0 stands for a request without an answer.
      expect([0, 200, 503]).toEqual(expect.arrayContaining([...statuses]));
      return { answers, lag };
    } finally {
      await load.stop();
      await newConnections.stop();
      await started.stop();
    }
  }

  const servingIn = ({ lines }: ServiceProcess) =>
    lines().filter(({ msg }) => String(msg).startsWith('serving from')).length;

  const workersOf = ({ lines }: ServiceProcess) => lines().flatMap(({ pids }) => (pids as number[] | undefined) ?? []);

  it('the service is not ready while it drains, and still answers on open connections', async () => {
    // It drains for half a second, in which a busy machine may not let the test ask.
    await vi.waitFor(
      async () => {
        const { url, adminUrl, kill, waitForEnd } = await start({ ADMIN_PORT: String(await freePort()) });
        expect((await fetch(`${adminUrl}/readyz`)).status).toBe(200);
        const agent = new Agent({ keepAlive: true });
        expect((await ask(agent, url, '/readyz', {})).status).toBe(200);
        kill('SIGTERM');
        // On the connection that is open already: no new one is taken.
        const draining = await vi.waitFor(async () => {
          const answer = await ask(agent, url, '/readyz', {});
          expect(answer.status, 'it drains').not.toBe(200);
          return answer;
        }, PATIENT);
        expect(await waitForEnd()).toEqual({ code: 0, signal: null });
        agent.destroy();
        expect(draining).toMatchObject({ status: 503, body: '{"status":"unavailable","reason":"draining"}' });
      },
      { ...PATIENT, timeout: 60_000 },
    );
  });

  it('the service serves on for SHUTDOWN_DELAY_MS after it says that it drains, even on new connections', async () => {
    const { url, kill, waitForEnd, line, isRunning } = await start({ SHUTDOWN_DELAY_MS: String(DELAY_MS) });
    const ask = (path: string) => fetch(url + path, { headers: { ...suite.guild.headers, connection: 'close' } });
    const asked = performance.now();
    kill('SIGTERM');
    await line(({ msg }) => msg === 'SIGTERM: draining');
    const { status, body } = await ask('/readyz').then(async (res) => ({ status: res.status, body: await res.json() }));
    expect({ status, body }).toEqual({ status: 503, body: { status: 'unavailable', reason: 'draining' } });
    for (let served = 0; served < 20; served++) {
      expect((await ask(suite.guild.paths[0] as string)).status).toBe(200);
    }
    expect(isRunning()).toBe(true);
    expect(await waitForEnd()).toEqual({ code: 0, signal: null });
    expect(performance.now() - asked).toBeGreaterThan(DELAY_MS - 100);
  });

  it('the service ends within SHUTDOWN_TIMEOUT_MS although a client holds a request half sent', async () => {
    const { url, kill, waitForEnd } = await start({ SHUTDOWN_TIMEOUT_MS: '700' });
    const socket = await sendHalfARequest(url);
    const asked = performance.now();
    kill('SIGTERM');
    expect(await waitForEnd()).toEqual({ code: 0, signal: null });
    // The client would have had ten seconds to go on.
    expect(performance.now() - asked).toBeLessThan(9000);
    socket.destroy();
  });

  it('the service ends at once on a second signal', async () => {
    const { url, kill, waitForEnd, line } = await start({ SHUTDOWN_TIMEOUT_MS: '60000' });
    const socket = await sendHalfARequest(url);
    kill('SIGTERM');
    await line(({ msg }) => msg === 'SIGTERM: draining');
    kill('SIGINT');
    expect(await waitForEnd()).toEqual({ code: 1, signal: null });
    socket.destroy();
  });

  it.each(['SIGTERM', 'SIGHUP'] as const)(
    'the service ends with 0 when %s comes while it still waits for Redis',
    async (signal) => {
      const waiting = spawnService({ REDIS_URL: `redis://127.0.0.1:${await freePort()}` });
      await waiting.line(({ msg }) => String(msg).startsWith('waiting for'));
      waiting.kill(signal);
      expect(await waiting.waitForEnd()).toEqual({ code: 0, signal: null });
    },
  );

  it.each([
    ['uncaughtException', 'throw new Error("planted")'],
    ['unhandledRejection', 'void Promise.reject(new Error("planted"))'],
  ])('the service logs an %s, drains and exits with 1', CONCLUSIVE, async (event, planted) => {
    await untilConclusive(`the end after an ${event}`, async () => {
      const { answers, lag } = await failUnderLoad(event, planted);
      const cut = answers.filter(({ status, error }) => status !== 200 && error !== 'ECONNREFUSED');
      const first = cut[0] && `${cut[0].status} ${cut[0].error ?? ''}`;
      const broken = first === undefined ? [] : [`${cut.length} requests failed, such as one with ${first}`];
      return {
        broken,
        noise: lag > STARVED_MS ? `one of the two processes was held up for ${Math.round(lag)} ms` : undefined,
      };
    });
  });

  it('the service cuts no request when a worker has a fault and is replaced', CONCLUSIVE, async () => {
    await untilConclusive('the fault of one of two workers', async () => {
      const started = await start({ WORKERS: '2' }, plant('throw new Error("planted")'));
      await vi.waitFor(() => expect(servingIn(started)).toBe(2), PATIENT);
      const { headers, paths } = suite.guild;
      const load = startLoad(started.url, { rate: 100, headers, paths, keepAlive: false });
      await vi.waitFor(() => expect(load.answers.length).toBeGreaterThan(50), PATIENT);
      const [pid] = workersOf(started);
      const failedAt = Date.now();
      const stopWatching = watchProcessorLag(workersOf(started));
      process.kill(pid as number, 'SIGUSR2');
      expect(await started.line(({ msg }) => msg === 'a worker ended: replacing it')).toMatchObject({ pid, code: 1 });
      const lag = Math.max(load.worstLag(), started.worstLag(failedAt), stopWatching());
      const cut = (await load.stop()).filter(({ status }) => status === 0);
      return {
        broken: cut[0] ? [`${cut.length} requests were cut, such as one with ${cut[0].error}`] : [],
        noise: lag > STARVED_MS ? `one of the processes was held up for ${Math.round(lag)} ms` : undefined,
      };
    });
  });

  /** Plants a failure in a service under load, and asserts its exit code and its log. */
  async function failUnderLoad(event: string, planted: string): Promise<{ answers: readonly Answer[]; lag: number }> {
    const failing = await start({}, plant(planted));
    const load = startLoad(failing.url, {
      rate: 300,
      headers: suite.guild.headers,
      paths: suite.guild.paths,
    });
    await vi.waitFor(() => expect(load.answers.length).toBeGreaterThan(50), PATIENT);
    const failedAt = Date.now();
    failing.kill('SIGUSR2');
    expect(await failing.waitForEnd()).toEqual({ code: 1, signal: null });
    const lag = Math.max(load.worstLag(), failing.worstLag(failedAt));
    const answers = await load.stop();
    expect(failing.lines()).toContainEqual(
      expect.objectContaining({ level: 60, msg: event, err: expect.objectContaining({ message: 'planted' }) }),
    );
    expect(failing.lines().map(({ msg }) => msg)).toContain('stopped');
    return { answers, lag };
  }
});

/** Returns the options of Node that run this code in a process when it gets SIGUSR2. */
function plant(code: string): string[] {
  return ['--import', `data:text/javascript,process.once('SIGUSR2', () => { ${code}; });`];
}

/** Sends a whole request and half of another on one connection. The answer to the first shows that the service has read both. */
async function sendHalfARequest(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {});
  const half = 'GET /livez HTTP/1.1\r\nHost: x\r\n';
  socket.write(`${half}\r\n${half}`);
  await once(socket, 'data', { signal: AbortSignal.timeout(30_000) });
  return socket;
}
