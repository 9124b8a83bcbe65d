import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type RunningChild, startChild } from '../../scripts/dev/child-process.ts';
import { type EmbeddedRedis, findOnPath, freePort, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { CONCLUSIVE, untilConclusive } from '../support/conclusive.ts';
import { guildOn, type TestGuild } from '../support/guild.ts';
import { type Answer, startLoad } from '../support/load.ts';
import { nginx, nginxConfiguration } from '../support/nginx.ts';
import { type ServiceProcess, startServiceProcess } from '../support/process.ts';
import { repository } from '../support/run-command.ts';
import { hasRedis } from '../support/stores.ts';
import { PATIENT } from '../support/wait.ts';

const haproxy = findOnPath(['haproxy']);
if (!haproxy) process.stderr.write('skipped: the rolling restart behind haproxy needs it on PATH\n');

/** A process that is kept from running for so long cannot answer a check or Redis in time. */
const STARVED_MS = 80;

/** A proxy with its example configuration, on other ports. */
interface Proxy {
  readonly binary: string | undefined;
  readonly config: string;
  readonly shutdownDelayMs: number;
  /** Returns the whole configuration. */
  complete(config: string, folder: string): string;
  args(file: string): string[];
}

const proxies: Record<string, Proxy> = {
  nginx: {
    binary: nginx,
    config: 'deploy/nginx/guildrank.conf',
    shutdownDelayMs: 0,
    complete: nginxConfiguration,
    args: (file) => ['-c', file],
  },
  HAProxy: {
    binary: haproxy,
    config: 'deploy/haproxy/haproxy.cfg',
    shutdownDelayMs: 3000,
    complete: (config) => config,
    args: (file) => ['-db', '-f', file],
  },
};

describe.skipIf(!hasRedis).each(Object.entries(proxies))('two instances behind %s', (name, proxy) => {
  let redis: EmbeddedRedis;
  let guild: TestGuild;
  const cleanUps: (() => unknown)[] = [];
  beforeEach(async () => {
    redis = await startEmbeddedRedis();
    cleanUps.push(redis.stop);
    guild = await guildOn(redis.url);
    cleanUps.push(guild.close);
  });
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  async function startInstance(port: number): Promise<ServiceProcess> {
    const service = await startServiceProcess({
      ...{ REDIS_URL: redis.url, PORT: String(port), LOG_REQUESTS: 'off', TRUST_PROXY: '127.0.0.1' },
      ...{ SHUTDOWN_DELAY_MS: String(proxy.shutdownDelayMs), ...guild.env },
    });
    cleanUps.push(service.stop);
    return service;
  }

  function startProxy(front: number, instances: readonly number[]): RunningChild {
    const folder = mkdtempSync(join(tmpdir(), 'guildrank-proxy-'));
    cleanUps.push(() => rmSync(folder, { recursive: true }));
    const config = readFileSync(join(repository, proxy.config), 'utf8')
      .replaceAll('8081', String(instances[0]))
      .replaceAll('8082', String(instances[1]))
      .replaceAll(/\b8080\b/g, String(front));
    const file = join(folder, 'proxy.conf');
    writeFileSync(file, proxy.complete(config, folder));
    const child = startChild(proxy.binary as string, proxy.args(file));
    cleanUps.push(child.stop);
    return child;
  }

  it.skipIf(!proxy.binary)('are restarted one after the other, and every request is answered', CONCLUSIVE, async () => {
    await untilConclusive(`rolling restart behind ${name}`, async () => {
      const { answers, lag } = await restartBoth();
      const unavailable = answers.filter(({ status }) => status === 503).length;
      const lost = answers.filter(({ status }) => status !== 200 && status !== 503);
      expect(lost.map(({ status, error }) => `${status} ${error ?? ''}`)).toEqual([]);
      expect(answers.filter((answer) => answer.status === 200 && guild.wrong(answer) !== undefined)).toEqual([]);
      process.stderr.write(`rolling restart behind ${name}: ${unavailable} of 503 in ${answers.length}\n`);
      // A busy machine keeps Redis from answering in time, or an instance from answering a check.
      const noise = lag > STARVED_MS ? `a process was held up for ${Math.round(lag)} ms` : undefined;
      return { broken: unavailable > 0 ? [`${unavailable} answers of 503`] : [], noise };
    });
  });

  async function restartBoth(): Promise<{ answers: readonly Answer[]; lag: number }> {
    const ports = [await freePort(), await freePort()];
    const front = await freePort();
    const url = `http://127.0.0.1:${front}`;
    const running = [await startInstance(ports[0] as number), await startInstance(ports[1] as number)];
    const proxying = startProxy(front, ports);
    await vi.waitFor(async () => {
      expect((await fetch(`${url}/readyz`)).status, proxying.output()).toBe(200);
    }, PATIENT);
    const startedAt = Date.now();
    const load = startLoad(url, { rate: 200, headers: guild.headers, paths: guild.paths, connections: 20 });
    cleanUps.push(() => load.stop());
    await vi.waitFor(() => expect(load.answers.length).toBeGreaterThan(200), PATIENT);
    const instances = [...running];
    for (const [index, instance] of running.entries()) {
      instance.kill('SIGTERM');
      expect(await instance.waitForEnd()).toEqual({ code: 0, signal: null });
      instances.push(await startInstance(ports[index] as number));
      const sent = load.answers.length;
      // The proxy finds the instance again.
      await vi.waitFor(() => expect(load.answers.length).toBeGreaterThan(sent + 600), PATIENT);
    }
    const lag = Math.max(load.worstLag(), ...instances.map((each) => each.worstLag(startedAt)));
    const answers = await load.stop();
    for (const instance of instances) await instance.stop();
    await proxying.stop();
    return { answers, lag };
  }
});
