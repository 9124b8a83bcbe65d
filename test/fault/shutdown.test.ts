import { Agent } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedRedis, freePort, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { recordFigure } from '../support/figures.ts';
import { guildOn, type TestGuild } from '../support/guild.ts';
import { ask, startLoad } from '../support/load.ts';
import { runScript, type ServiceProcess, spawnService, startServiceProcess } from '../support/process.ts';
import { hasRedis } from '../support/stores.ts';
import { until } from '../support/until.ts';

/** SHUTDOWN_RUNS=50 is the full length. */
const RUNS = Number(process.env.SHUTDOWN_RUNS ?? 4);
const PATIENCE = { timeout: 60_000 + RUNS * 10_000 };

/** A stop is not judged when one of the two processes was kept from running for longer. */
const STARVED_MS = 40;

describe.skipIf(!hasRedis)('the end of the process', () => {
  let redis: EmbeddedRedis;
  let guild: TestGuild;
  let service: ServiceProcess | undefined;

  beforeAll(async () => {
    redis = await startEmbeddedRedis();
    guild = await guildOn(redis.url);
  });
  afterEach(() => service?.stop());
  afterAll(async () => {
    guild?.close();
    await redis?.stop();
  });

  const start = async (env: Record<string, string> = {}) => {
    service = await startServiceProcess({ REDIS_URL: redis.url, ...guild.env, ...env });
    return service;
  };

  it(`cuts no request and exits with 0 when SIGTERM comes under load, ${RUNS} times`, PATIENCE, async () => {
    let answered = 0;
    let resent = 0;
    let judged = 0;
    let cutWhenStarved = 0;
    for (let run = 0; judged < RUNS && run < 4 * RUNS; run++) {
      const { url, kill, ended, lines } = await start();
      const load = startLoad(url, { rate: 500, headers: guild.headers, paths: guild.paths, connections: 50 });
      await until(() => load.answers.length > 100);
      // At a moment of its own in every run.
      await delay(run * 7);
      const killedAt = Date.now();
      kill('SIGTERM');
      expect(await ended).toEqual({ code: 0, signal: null });
      const during = lines().filter(({ time }) => Date.parse(String(time)) > killedAt);
      const lag = Math.max(load.worstLag(), ...during.map(({ lag_ms }) => Number(lag_ms ?? 0)));
      const answers = await load.stop();
      const unmet = answers.filter(({ status }) => status !== 200);
      const cut = unmet.filter(({ error, status }) => error !== 'ECONNREFUSED' && status !== 503);
      // What reaches a process that is kept from running while it closes its port is cut by the kernel: such a stop is made again.
      if (lag > STARVED_MS) {
        cutWhenStarved += cut.length;
        continue;
      }
      judged++;
      // Once the port is closed there is nobody to cut off: the connection is refused before a request is sent.
      // And a 503 is an answer: a busy machine can keep Redis from giving one in time.
      expect(cut).toEqual([]);
      expect(unmet.filter(({ status }) => status === 503).length).toBeLessThan(answers.length * 0.05);
      expect(answers.filter(({ status, headers }) => status === 200 && headers.connection === 'close')).not.toEqual([]);
      answered += answers.length - unmet.length;
      resent += answers.filter((answer) => answer.resent).length;
    }
    expect(judged).toBeGreaterThan(0);
    recordFigure('SIGTERM under 500 requests/s', { times: judged, answered, resent, cut: 0, cutWhenStarved });
  });

  it('is not ready any more while it drains, and still answers what is in flight', async () => {
    const { url, adminUrl, kill, ended } = await start({ ADMIN_PORT: String(await freePort()) });
    expect((await fetch(`${adminUrl}/readyz`)).status).toBe(200);
    const agent = new Agent({ keepAlive: true });
    expect((await ask(agent, url, '/readyz', {})).status).toBe(200);
    kill('SIGTERM');
    // On the connection that is open already: no new one is taken.
    const draining = await until(async () => {
      const answer = await ask(agent, url, '/readyz', {});
      return answer.status !== 200 && answer;
    });
    expect(draining).toMatchObject({ status: 503, body: '{"status":"unavailable","reason":"draining"}' });
    expect(await ended).toEqual({ code: 0, signal: null });
    agent.destroy();
  });

  it('ends within SHUTDOWN_TIMEOUT_MS although a client holds a request half sent', async () => {
    const { url, kill, ended } = await start({ SHUTDOWN_TIMEOUT_MS: '700' });
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n');
    await delay(50);
    const asked = performance.now();
    kill('SIGTERM');
    expect(await ended).toEqual({ code: 0, signal: null });
    // The client would have had ten seconds to go on.
    expect(performance.now() - asked).toBeLessThan(5000);
    socket.destroy();
  });

  it('ends at once on a second signal', async () => {
    const { url, kill, ended, line } = await start({ SHUTDOWN_TIMEOUT_MS: '60000' });
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n');
    await delay(50);
    kill('SIGTERM');
    await line(({ msg }) => msg === 'SIGTERM: draining');
    kill('SIGINT');
    expect(await ended).toEqual({ code: 1, signal: null });
    socket.destroy();
  });

  it('ends with 0 when SIGTERM comes while it still waits for Redis', async () => {
    const waiting = spawnService({ REDIS_URL: `redis://127.0.0.1:${await freePort()}` });
    await waiting.line(({ msg }) => String(msg).startsWith('waiting for'));
    waiting.kill('SIGTERM');
    expect(await waiting.ended).toEqual({ code: 0, signal: null });
  });

  it.each([
    ['uncaughtException', 'throw new Error("planted")'],
    ['unhandledRejection', 'void Promise.reject(new Error("planted"))'],
  ])('logs an %s, drains and exits with 1', async (event, planted) => {
    const code = `process.once('SIGUSR2', () => { ${planted}; }); await import('./src/main.ts');`;
    const port = await freePort();
    const failing = runScript(['--input-type=module', '-e', code], {
      ...{ REDIS_URL: redis.url, HOST: '127.0.0.1', PORT: String(port), ADMIN_PORT: '0' },
      ...guild.env,
    });
    await failing.line(({ url }) => url !== undefined);
    const load = startLoad(`http://127.0.0.1:${port}`, { rate: 300, headers: guild.headers, paths: guild.paths });
    await until(() => load.answers.length > 50);
    failing.kill('SIGUSR2');
    expect(await failing.ended).toEqual({ code: 1, signal: null });
    const answers = await load.stop();
    expect(answers.filter(({ status, error }) => status !== 200 && error !== 'ECONNREFUSED')).toEqual([]);
    expect(failing.lines()).toContainEqual(
      expect.objectContaining({ level: 60, msg: event, err: expect.objectContaining({ message: 'planted' }) }),
    );
    expect(failing.lines().map(({ msg }) => msg)).toContain('stopped');
  });
});
