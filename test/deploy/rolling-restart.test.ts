import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type EmbeddedRedis, freePort, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { CONCLUSIVE, untilConclusive } from '../support/conclusive.ts';
import { guildOn, type TestGuild } from '../support/guild.ts';
import { type Answer, startLoad } from '../support/load.ts';
import { needs } from '../support/needs.ts';
import { LONG_REDIS_TIMEOUT, type ServiceProcess, startServiceProcess } from '../support/process.ts';
import { ALL_VARIANTS } from '../support/variants.ts';
import { PATIENT } from '../support/wait.ts';
import { type ProxyExample, proxies, startProxy } from './proxies.ts';

/** A process that is kept from running for so long cannot answer a check or a request in time. */
const STARVED_MS = 80;
const LOAD = { rate: 200, connections: 20 };

for (const proxy of proxies.filter(({ name }) => ALL_VARIANTS || name === 'nginx')) {
  describe(`two instances behind ${proxy.name}`, needs(proxy.program, 'openssl', 'redis-server'), () => tests(proxy));
}

/** Whether an instance has not answered in time, by the word of itself, of the proxy or of the client. */
const isLate = ({ status, error }: Answer) => status === 503 || status === 504 || error === 'TIMEOUT';

function tests(proxy: ProxyExample): void {
  const { name } = proxy;
  let redis: EmbeddedRedis;
  let guild: TestGuild;
  beforeEach(async () => {
    redis = await startEmbeddedRedis();
    onTestFinished(redis.stop);
    guild = await guildOn(redis.url);
    onTestFinished(guild.close);
  });

  async function startInstance(port: number): Promise<ServiceProcess> {
    const service = await startServiceProcess({
      ...{ REDIS_URL: redis.url, PORT: String(port), LOG_REQUESTS: 'off', TRUST_PROXY: '127.0.0.1' },
      ...{ SHUTDOWN_DELAY_MS: String(proxy.shutdownDelayMs), ...guild.env, ...LONG_REDIS_TIMEOUT },
    });
    onTestFinished(service.stop);
    return service;
  }

  it(
    `the instances behind ${name} are restarted one after the other, and every request is answered`,
    CONCLUSIVE,
    async () => {
      await untilConclusive(`rolling restart behind ${name}`, async () => {
        const { answers, lag } = await restartBoth();
        const unavailable = answers.filter(isLate).length;
        const lost = answers.filter((answer) => answer.status !== 200 && !isLate(answer));
        expect(lost.map(({ status, error }) => `${status} ${error ?? ''}`)).toEqual([]);
        expect(answers.filter((answer) => answer.status === 200 && guild.wrong(answer) !== undefined)).toEqual([]);
        process.stderr.write(`rolling restart behind ${name}: ${unavailable} of 503 or 504 in ${answers.length}\n`);
        // A busy machine keeps an instance from answering a check or a request in time.
        const noise = lag > STARVED_MS ? `a process was held up for ${Math.round(lag)} ms` : undefined;
        return { broken: unavailable > 0 ? [`${unavailable} answers of 503 or 504`] : [], noise };
      });
    },
  );

  async function restartBoth(): Promise<{ answers: readonly Answer[]; lag: number }> {
    const ports = [await freePort(), await freePort()];
    const running = [await startInstance(ports[0] as number), await startInstance(ports[1] as number)];
    const proxying = await startProxy(proxy, ports);
    onTestFinished(proxying.stop);
    await vi.waitFor(async () => {
      expect((await proxying.get('/readyz')).status, proxying.output()).toBe(200);
    }, PATIENT);
    const startedAt = Date.now();
    const load = startLoad(proxying.url, { ...LOAD, headers: guild.headers, paths: guild.paths, tls: proxying.tls });
    onTestFinished(async () => void (await load.stop()));
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
}
