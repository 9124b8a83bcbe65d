import { Agent } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { recordFigure } from '../support/figures.ts';
import { guildOn, type TestGuild } from '../support/guild.ts';
import { ask, startLoad } from '../support/load.ts';
import { needs } from '../support/needs.ts';
import { LONG_REDIS_TIMEOUT, type ServiceProcess, startServiceProcess } from '../support/process.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { PATIENT } from '../support/wait.ts';

const CLIENTS = 50;
const FREE = 100;

describe('the quota', needs('redis-server'), () => {
  let redis: EmbeddedRedis;
  let proxy: TcpProxy;
  let guild: TestGuild;
  let service: ServiceProcess;
  let agent: Agent;

  beforeEach(async () => {
    redis = await startEmbeddedRedis();
    proxy = await startTcpProxy(redis.port);
    guild = await guildOn(redis.url);
    service = await startServiceProcess({ ...guild.env, REDIS_URL: `redis://127.0.0.1:${proxy.port}` });
    agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  });
  afterEach(async () => {
    agent.destroy();
    guild.close();
    await service.stop();
    await proxy.stop();
    await redis.stop();
  });

  const counted = async () => Number((await guild.store.client.get(`gr:quota:{${guild.id}}`)) ?? 0);

  it('the quota lets exactly the plan through when 50 clients ask at once', async () => {
    await guild.store.guildConfig.update(guild.id, { plan: 'free' });
    const patient = await startServiceProcess({ ...guild.env, ...LONG_REDIS_TIMEOUT, REDIS_URL: redis.url });
    onTestFinished(patient.stop);
    const perClient = 10;
    const rounds = await Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        const statuses: number[] = [];
        for (let i = 0; i < perClient; i++) {
          statuses.push((await ask(agent, patient.url, guild.paths[0] as string, guild.headers)).status);
        }
        return statuses;
      }),
    );
    const statuses = rounds.flat();
    const countOf = (wanted: number) => statuses.filter((status) => status === wanted).length;
    const requests = CLIENTS * perClient;
    expect([countOf(200), countOf(429)]).toEqual([FREE, requests - FREE]);
    expect(await counted()).toBe(FREE);
    recordFigure('50 clients on a quota of 100', { requests, let_through: FREE });
  });

  it('the quota lets no more than the plan through when the connection breaks again and again meanwhile', async () => {
    await guild.store.guildConfig.update(guild.id, { plan: 'free' });
    const load = startLoad(service.url, { rate: 200, headers: guild.headers, paths: guild.paths });
    const latest = () => load.answers.at(-1)?.status;
    for (const bytes of [1, 5, 50, 200, 500]) {
      const before = load.answers.length;
      proxy.cutAfter(bytes);
      await vi.waitFor(() => expect(load.answers.length).toBeGreaterThan(before + 20), PATIENT);
      proxy.behave();
      await vi.waitFor(() => expect([200, 429]).toContain(latest()), PATIENT);
    }
    await vi.waitFor(() => expect(latest()).toBe(429), PATIENT);
    const answers = await load.stop();
    const ok = answers.filter(({ status }) => status === 200).length;
    const failed = answers.filter(({ status }) => status === 503).length;
    expect(failed).toBeGreaterThan(0);
    expect(ok).toBeLessThanOrEqual(FREE);
    // A refused request is not counted. One that was counted and then failed costs the guild one request at most.
    expect(await counted()).toBeGreaterThanOrEqual(ok);
    expect(await counted()).toBeLessThanOrEqual(Math.min(FREE, ok + failed));
    recordFigure('quota across cut connections', { requests: answers.length, ok, failed, counted: await counted() });
  });

  it('the quota counts a request once at most while Redis hangs and comes back', async () => {
    const load = startLoad(service.url, { rate: 300, headers: guild.headers, paths: guild.paths });
    await vi.waitFor(() => expect(load.answers.length).toBeGreaterThan(100), PATIENT);
    const failed = () => load.answers.filter(({ status }) => status === 503).length;
    redis.process.kill('SIGSTOP');
    await vi.waitFor(() => expect(failed()).toBeGreaterThan(200), PATIENT);
    redis.process.kill('SIGCONT');
    await vi.waitFor(() => expect(load.answers.at(-1)?.status).toBe(200), PATIENT);
    const answers = await load.stop();
    const ok = answers.filter(({ status }) => status === 200).length;
    // Redis executes what it received before the connection was given up: let it.
    await guild.store.client.ping();
    expect(await counted()).toBeGreaterThanOrEqual(ok);
    expect(await counted()).toBeLessThanOrEqual(answers.length);
    recordFigure('quota across a hang', { requests: answers.length, ok, counted: await counted() });
  });
});
