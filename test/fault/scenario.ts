import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { expect, vi } from 'vitest';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { untilConclusive, type Verdict } from '../support/conclusive.ts';
import { recordFigure } from '../support/figures.ts';
import { guildOn, type TestGuild } from '../support/guild.ts';
import { type Answer, startLoad } from '../support/load.ts';
import { type ServiceProcess, startServiceProcess } from '../support/process.ts';
import { PATIENT } from '../support/wait.ts';
import {
  assertContent,
  BACK_MS,
  type Effects,
  failuresSince,
  figuresOf,
  isSteady,
  judgeTimes,
  neverSteady,
} from './judgement.ts';

const RATE = 500;
const MB = 1024 * 1024;
const MAX_GROWTH = 50 * MB;
/** After Redis is back: the promised second, and time in which a late failure would show. */
const AFTERWARDS_MS = BACK_MS + 500;
/** Longer than any fault lasts. */
const MAX_PINGS_MS = 60_000;

/** FAULT_SECONDS=10 is the full length of a hang. */
export const HANG_MS = Number(process.env.FAULT_SECONDS ?? 1.5) * 1000;

/** How long a fault lasts that does not need longer to be seen. */
export const MOMENT_MS = 700;

export interface Stage {
  readonly redis: EmbeddedRedis;
  readonly guild: TestGuild;
  readonly service: ServiceProcess;
  /** Waits until a request since the beginning of the fault was not answered well: a busy machine can draw a fault and its effect apart. */
  readonly seen: () => Promise<unknown>;
  /** Takes note of the Redis that takes the place of one that was ended. */
  readonly replaceRedis: (server: EmbeddedRedis) => void;
}

export interface Fault extends Effects {
  /** Options for Redis. */
  readonly redis?: readonly string[];
  /** Puts something between the service and Redis. Returns the environment that leads the service there. */
  readonly between?: (redis: EmbeddedRedis) => Promise<{ env: Record<string, string>; stop(): Promise<void> }>;
  /** Inflicts the fault and ends it. Redis is taken to be back in the moment that this returns. */
  inflict(stage: Stage): Promise<unknown>;
}

/**
 * Runs the service under a steady load through a fault. Asserts the content of every answer in every try, and repeats the
 * whole, on a new Redis and with a new service, until the promises about time can be judged.
 * @param create returns the fault anew for each try.
 */
export async function runFault(name: string, create: () => Fault): Promise<void> {
  let figures: Record<string, number> = {};
  const tries = await untilConclusive(name, async () => {
    const outcome = await tryFault(create());
    figures = outcome.figures;
    return outcome.verdict;
  });
  recordFigure(name, { ...figures, tries });
}

async function tryFault(fault: Fault): Promise<{ verdict: Verdict; figures: Record<string, number> }> {
  const cleanUps: (() => unknown)[] = [];
  try {
    let redis = await startEmbeddedRedis([...(fault.redis ?? [])]);
    cleanUps.push(() => redis.stop());
    const guild = await guildOn(redis.url);
    cleanUps.push(guild.close);
    const between = await fault.between?.(redis);
    if (between) cleanUps.push(between.stop);
    const service = await startServiceProcess({ REDIS_URL: redis.url, ...guild.env, ...between?.env });
    cleanUps.push(service.stop);
    const load = startLoad(service.url, { rate: RATE, headers: guild.headers, paths: guild.paths });
    cleanUps.push(load.stop);
    const pingsBefore = watchPings(redis.url);
    cleanUps.push(pingsBefore.stop);
    const isReady = await becomesSteady(load.answers, RATE / 2);
    const sinceStart = performance.timeOrigin + (load.answers[0]?.sentAt ?? 0);
    if (!isReady) {
      const noise = load.worstLag() + service.worstLag(sinceStart) + pingsBefore.worst();
      return { verdict: neverSteady(noise), figures: {} };
    }
    // Nothing is awaited from here to the fault: what a busy machine does meanwhile would count as before it.
    const lagBefore = pingsBefore.worst();
    const rss = service.rss();
    const begun = performance.now();
    const replaceRedis = (server: EmbeddedRedis) => {
      redis = server;
    };
    const seen = () =>
      vi.waitFor(() => expect(failuresSince(load.answers, begun), 'failures in the fault').not.toEqual([]), PATIENT);
    void pingsBefore.stop();
    await fault.inflict({ redis, guild, service, seen, replaceRedis });
    const back = performance.now();
    const pingsAfter = watchPings(redis.url);
    cleanUps.push(pingsAfter.stop);
    await delay(AFTERWARDS_MS);
    await pingsAfter.stop();
    const redisLag = Math.max(lagBefore, pingsAfter.worst());
    const growth = service.rss() - rss;
    const lag = load.worstLag();
    const run = { fault, guild, service, answers: await load.stop(), begun, back, lag, redisLag };
    assertContent(run);
    expect(growth, 'growth of the process').toBeLessThan(MAX_GROWTH);
    return { verdict: judgeTimes(run), figures: { ...figuresOf(run), growthMb: Math.round(growth / MB) } };
  } finally {
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
  }
}

/** Waits until a service is steady, for half a minute at most. @returns whether it is. */
export async function becomesSteady(answers: readonly Answer[], count: number): Promise<boolean> {
  return vi.waitFor(() => isSteady(answers, count) || Promise.reject(new Error('not yet')), PATIENT).catch(() => false);
}

/** Sends a PING every 10 ms until it is stopped. `worst` returns the longest time to an answer: how long the machine kept Redis from answering. */
export function watchPings(url: string): { worst(): number; stop(): Promise<void> } {
  const client = new Redis(url, { commandTimeout: 5000 });
  client.on('error', () => {});
  const end = performance.now() + MAX_PINGS_MS;
  let stopped = false;
  let worst = 0;
  const watch = async (): Promise<void> => {
    while (!stopped && performance.now() < end) {
      const sentAt = performance.now();
      const answered = await client.ping().then(
        () => true,
        () => false,
      );
      if (answered) worst = Math.max(worst, performance.now() - sentAt);
      await delay(10);
    }
    client.disconnect();
  };
  const watching = watch();
  return {
    worst: () => worst,
    stop: async () => {
      stopped = true;
      await watching;
    },
  };
}
