import { setTimeout as delay } from 'node:timers/promises';
import { expect, type TestContext, vi } from 'vitest';
import { type EmbeddedRedis, freePort, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { guildOn, type TestGuild } from '../support/guild.ts';
import { type Load, startLoad } from '../support/load.ts';
import { LONG_REDIS_TIMEOUT, spawnService, type TestProcess } from '../support/process.ts';
import { PATIENT } from '../support/wait.ts';

/** Where two workers serve, and the Redis and the guild that they read. */
export interface TwoWorkers {
  readonly redis: EmbeddedRedis;
  readonly guild: TestGuild;
  readonly env: Record<string, string>;
  readonly url: string;
  readonly adminUrl: string;
}

/** Starts a Redis with a guild, for a service of two workers. They end with the test, which names its context: others run beside it. */
export async function prepare({ onTestFinished }: TestContext): Promise<TwoWorkers> {
  const redis = await startEmbeddedRedis();
  onTestFinished(() => redis.stop());
  const guild = await guildOn(redis.url);
  onTestFinished(guild.close);
  const port = await freePort();
  const adminPort = await freePort();
  const address = { REDIS_URL: redis.url, HOST: '127.0.0.1', PORT: `${port}`, ADMIN_PORT: `${adminPort}` };
  return {
    ...{ redis, guild, url: `http://127.0.0.1:${port}`, adminUrl: `http://127.0.0.1:${adminPort}` },
    env: { ...guild.env, ...address, WORKERS: '2', LOG_REQUESTS: 'off', ...LONG_REDIS_TIMEOUT },
  };
}

/** Returns how many workers have begun to serve so far, by the log. */
export const serving = (lines: () => readonly Record<string, unknown>[]) =>
  lines().filter(({ msg }) => String(msg).startsWith('serving from')).length;

/** Two workers load the program beside others. */
export const READY = { ...PATIENT, timeout: 60_000 };

type Started = TwoWorkers & TestProcess & { readonly pids: number[] };

let starting: Promise<unknown> = Promise.resolve();

/** Starts two workers, and waits until both serve. One test does so after the other: all at once, each would take too long. */
export function startTwo(context: TestContext): Promise<Started> {
  const started = starting.then(() => startNow(context));
  starting = started.catch(() => {});
  return started;
}

async function startNow(context: TestContext): Promise<Started> {
  const prepared = await prepare(context);
  const service = spawnService(prepared.env);
  context.onTestFinished(service.stop);
  const { pids } = await service.line((line) => Array.isArray(line.pids));
  await vi.waitFor(() => expect(serving(service.lines), 'workers that serve').toBe(2), READY);
  await vi.waitFor(async () => expect((await fetch(`${prepared.adminUrl}/readyz`)).status).toBe(200), PATIENT);
  return { ...prepared, ...service, pids: pids as number[] };
}

/** Sends requests on 30 connections, until the test ends. @param rate requests a second. */
export function load({ onTestFinished }: TestContext, { url, guild }: TwoWorkers, rate = 100): Load {
  const running = startLoad(url, { rate, headers: guild.headers, paths: guild.paths, connections: 30 });
  onTestFinished(async () => void (await running.stop()));
  return running;
}

/** Reads the metrics. Fails when that takes longer than Prometheus waits by default. */
export async function scrape({
  adminUrl,
}: TwoWorkers): Promise<{ requests: number; value: (series: string) => number | undefined }> {
  const response = await fetch(`${adminUrl}/metrics`, { signal: AbortSignal.timeout(10_000) });
  expect(response.status).toBe(200);
  const text = await response.text();
  const value = (series: string) => {
    const line = text.split('\n').find((each) => each.startsWith(`${series} `));
    return line === undefined ? undefined : Number(line.split(' ')[1]);
  };
  const counts = [...text.matchAll(/^http_request_duration_seconds_count\{.*status="200"\} (\d+)$/gm)];
  return { requests: counts.reduce((sum, [, n]) => sum + Number(n), 0), value };
}

/** Scrapes until `stopWatching`, which fails when the sum of the requests has fallen. */
export function watchSums(service: TwoWorkers) {
  let stopped = false;
  const sums: number[] = [];
  const watching = (async () => {
    while (!stopped) {
      sums.push((await scrape(service)).requests);
      await delay(100);
    }
  })();
  watching.catch(() => {});
  const stopWatching = async () => {
    stopped = true;
    await watching;
    expect(sums).toEqual(sums.toSorted((a, b) => a - b));
  };
  return { sums: sums as readonly number[], stopWatching };
}
