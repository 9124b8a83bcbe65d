import { Agent } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { parseConfig } from '../../src/config/service.ts';
import { readUsage, sumOfHours } from '../../src/core/access/usage-reader.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { createService, type RunningService } from '../../src/service/service.ts';
import { guildOn, guildSuite, type TestGuild } from '../support/guild.ts';
import { ask, startLoad } from '../support/load.ts';
import { needs } from '../support/needs.ts';
import {
  LONG_REDIS_TIMEOUT,
  type LogLine,
  type ServiceProcess,
  spawnService,
  startServiceProcess,
} from '../support/process.ts';
import { redisForTest } from '../support/stores.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { PATIENT } from '../support/wait.ts';
import { permissionsOf } from './acl.ts';

const FREE = 100;
/** Answers of the process that is killed, before its first write of the usage: up to ten seconds later. */
const WRITTEN = 20;

describe('the usage of API keys', needs('redis-server'), () => {
  const suite = guildSuite();
  let killed: ServiceProcess;
  const getFromKilled = async () =>
    (await fetch(killed.url + suite.guild.paths[0], { headers: suite.guild.headers })).status;
  // The other tests fill the time until its first write.
  beforeAll(async () => {
    killed = await startServiceProcess({ ...LONG_REDIS_TIMEOUT, REDIS_URL: suite.redis.url, ...suite.guild.env });
    for (let i = 0; i < WRITTEN; i++) expect(await getFromKilled()).toBe(200);
  });
  afterAll(() => killed?.stop());

  async function start() {
    const redis = await redisForTest();
    const guild = await guildOn(redis.url);
    onTestFinished(guild.close);
    return { redis, guild };
  }
  /** Starts the service in this process. It writes the usage every 20 ms, so that faults meet a write. */
  async function serve(redisUrl: string, guild: TestGuild, settings: Record<string, string> = {}) {
    const log: LogLine[] = [];
    const logger = createLogger('info', { write: (line) => void log.push(JSON.parse(line) as LogLine) });
    const env = {
      HOST: '127.0.0.1',
      PORT: '0',
      ADMIN_PORT: '0',
      REDIS_URL: redisUrl,
      LOG_REQUESTS: 'off',
      ...settings,
    };
    const composed = await createService(parseConfig({ ...env, ...guild.env }), { logger, usagePeriodMs: 20 });
    const service = await composed.start();
    onTestFinished(() => service.close());
    return { service, log };
  }
  const stored = async ({ store, id }: TestGuild) => sumOfHours((await readUsage(store, id, Date.now())).hours);
  /**
   * Waits until the regular writes have stored at least so much. The last attempts of a service that ends are few: a Redis that the machine
   * holds up can miss them.
   */
  const untilStored = (guild: TestGuild, { requests, refused }: { requests: number; refused: number }) =>
    vi.waitFor(async () => {
      const now = await stored(guild);
      expect(now.requests).toBeGreaterThanOrEqual(requests);
      expect(now.refused).toBeGreaterThanOrEqual(refused);
    }, PATIENT);
  const loadOn = (service: Pick<RunningService, 'url'>, guild: TestGuild, rate = 200) => {
    const load = startLoad(service.url, { rate, headers: guild.headers, paths: guild.paths });
    onTestFinished(async () => void (await load.stop()));
    return load;
  };
  const countOf = (answers: readonly { status: number }[], wanted: number) =>
    answers.filter(({ status }) => status === wanted).length;

  it('usage is exact for two services whose connections break again and again, for allowed and refused requests alike', async () => {
    const { redis, guild } = await start();
    await guild.store.guildConfig.update(guild.id, { plan: 'free' });
    const proxy = await startTcpProxy(redis.port);
    onTestFinished(proxy.stop);
    const url = `redis://127.0.0.1:${proxy.port}`;
    const services = [(await serve(url, guild)).service, (await serve(url, guild)).service];
    const loads = services.map((service) => loadOn(service, guild, 60));
    const answered = () => loads.flatMap(({ answers }) => answers);
    for (const bytes of [1, 5, 50, 200, 500, 2000]) {
      for (let dropped = 0; dropped < 3; dropped++) {
        proxy.dropNextReply();
        const before = answered().length;
        await vi.waitFor(() => expect(answered().length).toBeGreaterThan(before + 10), PATIENT);
      }
      proxy.cutAfter(bytes);
      const before = answered().length;
      await vi.waitFor(() => expect(answered().length).toBeGreaterThan(before + 20), PATIENT);
      proxy.behave();
      await vi.waitFor(() => expect([200, 429]).toContain(answered().at(-1)?.status), PATIENT);
    }
    await vi.waitFor(() => expect(answered().at(-1)?.status).toBe(429), PATIENT);
    const answers = (await Promise.all(loads.map((load) => load.stop()))).flat();
    await untilStored(guild, { requests: countOf(answers, 200), refused: countOf(answers, 429) });
    for (const service of services) await service.close();
    expect(countOf(answers, 503)).toBeGreaterThan(0);
    // On a busy machine a client gives up, and does not hear whether its request was allowed or refused.
    const unheard = answers.filter(({ error, resent }) => error !== undefined || resent).length;
    const { requests, refused } = await stored(guild);
    const allowedUnheard = requests - countOf(answers, 200);
    const refusedUnheard = refused - countOf(answers, 429);
    expect(Math.min(allowedUnheard, refusedUnheard)).toBeGreaterThanOrEqual(0);
    expect(allowedUnheard + refusedUnheard).toBeLessThanOrEqual(unheard);
    expect(countOf(answers, 200)).toBeLessThanOrEqual(FREE);
  });

  it('usage is exact while Redis hangs and does what it was sent later', async () => {
    const { redis, guild } = await start();
    const { service } = await serve(redis.url, guild);
    const load = loadOn(service, guild);
    for (let round = 1; round <= 3; round++) {
      const before = load.answers.length;
      await vi.waitFor(() => expect(load.answers.length).toBeGreaterThan(before + 50), PATIENT);
      redis.process.kill('SIGSTOP');
      const failed = countOf(load.answers, 503);
      await vi.waitFor(() => expect(countOf(load.answers, 503)).toBeGreaterThan(failed + 100), PATIENT);
      redis.process.kill('SIGCONT');
      await vi.waitFor(() => expect(load.answers.at(-1)?.status).toBe(200), PATIENT);
    }
    const answers = await load.stop();
    const usage = { requests: countOf(answers, 200), refused: 0 };
    await untilStored(guild, usage);
    await service.close();
    expect(await stored(guild)).toEqual(usage);
  });

  it('usage is exact for two workers that end under load, with what each has counted', async () => {
    const { redis, guild } = await start();
    const service = spawnService({
      ...LONG_REDIS_TIMEOUT,
      ...guild.env,
      REDIS_URL: redis.url,
      WORKERS: '2',
      LOG_REQUESTS: 'off',
    });
    onTestFinished(service.stop);
    const { url } = await service.line(({ url }) => typeof url === 'string');
    const serving = () => service.lines().filter(({ msg }) => String(msg).startsWith('serving from')).length;
    await vi.waitFor(() => expect(serving()).toBe(2), PATIENT);
    const agent = new Agent({ keepAlive: true, maxSockets: 20 });
    onTestFinished(() => agent.destroy());
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) => ask(agent, url as string, guild.paths[i % 3] as string, guild.headers)),
    );
    service.kill('SIGTERM');
    expect(await service.waitForEnd()).toEqual({ code: 0, signal: null });
    expect(await stored(guild)).toEqual({ requests: countOf(answers, 200), refused: 0 });
    expect((await redis.client.hkeys(`gr:{${guild.id}}:usage`)).filter((field) => /^w:/.test(field))).toHaveLength(2);
  });

  it('usage is not stored for a user without the right, which gives one warning and leaves the answers and readiness as they are', async () => {
    const { redis, guild } = await start();
    const lesser = permissionsOf('guildrank').filter((right) => !/usage|hlen/.test(right));
    await redis.client.call('ACL', 'SETUSER', 'service', 'on', '>pass', ...lesser);
    const { service, log } = await serve(`redis://service:pass@127.0.0.1:${redis.port}`, guild, LONG_REDIS_TIMEOUT);
    const ready = async () => (await fetch(`${service.url}/readyz`)).status;
    const get = async () => (await fetch(service.url + guild.paths[0], { headers: guild.headers })).status;
    const refused = async () => {
      const stats = await redis.client.info('commandstats');
      return Number(/^cmdstat_hlen:.*rejected_calls=(\d+)/m.exec(stats)?.[1] ?? 0);
    };
    for (let round = 1; round <= 5; round++) {
      expect([await get(), await ready()]).toEqual([200, 200]);
      await vi.waitFor(async () => expect(await refused()).toBeGreaterThan(round), PATIENT);
    }
    // A start on a busy machine takes long enough for a line of its own.
    const warnings = log.filter(({ level, msg }) => Number(level) >= 40 && !String(msg).startsWith('waiting for'));
    expect(warnings).toEqual([
      expect.objectContaining({
        msg: 'the usage of API keys is not stored',
        code: 'NOPERM',
        reason: expect.stringContaining('deploy/redis/users.acl'),
      }),
    ]);
    expect(await stored(guild)).toEqual({ requests: 0, refused: 0 });
    const failures = /^guildrank_usage_write_failures_total (\d+)$/m.exec(await service.registry.metrics())?.[1];
    expect(Number(failures)).toBeGreaterThanOrEqual(5);
    await redis.client.call('ACL', 'SETUSER', 'service', 'reset', 'on', '>pass', ...permissionsOf('guildrank'));
    await vi.waitFor(async () => expect(await ready()).toBe(200), PATIENT);
    await vi.waitFor(async () => expect(await get()).toBe(200), PATIENT);
    await service.close();
    // Nothing of what waited is lost.
    expect((await stored(guild)).requests).toBeGreaterThanOrEqual(6);
  });

  it('usage loses what was counted since the last write when the process is killed, and nothing else', async () => {
    await vi.waitFor(async () => expect(await stored(suite.guild)).toEqual({ requests: WRITTEN, refused: 0 }), PATIENT);
    for (let i = 0; i < 5; i++) expect(await getFromKilled()).toBe(200);
    killed.kill('SIGKILL');
    await killed.waitForEnd();
    // Of the five, those are there that came before the next write, if one came.
    const { requests } = await stored(suite.guild);
    expect(requests).toBeGreaterThanOrEqual(WRITTEN);
    expect(requests).toBeLessThanOrEqual(WRITTEN + 5);
  });
});
