import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { expect } from 'vitest';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { recordFigure } from '../support/figures.ts';
import { guildOn, type TestGuild } from '../support/guild.ts';
import { type Answer, startLoad } from '../support/load.ts';
import { type ServiceProcess, startServiceProcess } from '../support/process.ts';
import { until } from '../support/until.ts';

/** The promise: no answer later than this, whatever Redis does. */
const LATEST_MS = 300;
/** The promise: good answers again this soon after Redis is back. */
const BACK_MS = 1000;
/** A machine that keeps these processes from running for so long keeps Redis too: then only what is answered is judged, not when. */
const STARVED_MS = 150;
/** A Redis that the machine keeps from answering for so long is given up on, and rightly. */
const GIVEN_UP_MS = 90;
/** The share of answers that may be 503 before or long after, because the machine kept Redis from answering for 100 ms. */
const STRAGGLERS = 0.001;
const RATE = 500;
const MAX_GROWTH = 50 * 1024 * 1024;

/** FAULT_SECONDS=10 is the full length of a hang. */
export const HANG_MS = Number(process.env.FAULT_SECONDS ?? 3) * 1000;

export interface Stage {
  readonly redis: EmbeddedRedis;
  readonly guild: TestGuild;
  readonly service: ServiceProcess;
  /** To be told of the Redis that takes the place of one that was ended. */
  readonly replaceRedis: (server: EmbeddedRedis) => void;
}

export interface Fault {
  readonly name: string;
  /** Options for Redis. */
  readonly redis?: readonly string[];
  /** What the service gets in its environment beside where Redis is; it may put something between the two. */
  readonly between?: (redis: EmbeddedRedis) => Promise<{ env: Record<string, string>; stop(): Promise<void> }>;
  /** Does it. Redis is taken to be back in the moment that this returns. */
  inflict(stage: Stage): Promise<unknown>;
  /** Whether the fault must be visible as 503 answers, must not be, or may be. */
  readonly seen: 'yes' | 'no' | 'maybe';
  /** What else than 200 and 503 an answer may be while it lasts, such as 401 when the keys are gone. */
  readonly allows?: (answer: Answer) => boolean;
}

/** Runs the service under a steady load through the fault and holds it to what it promises. */
export async function runFault(fault: Fault): Promise<void> {
  let redis = await startEmbeddedRedis([...(fault.redis ?? [])]);
  const guild = await guildOn(redis.url);
  const between = await fault.between?.(redis);
  const service = await startServiceProcess({ REDIS_URL: redis.url, ...guild.env, ...between?.env });
  try {
    const load = startLoad(service.url, { rate: RATE, headers: guild.headers, paths: guild.paths });
    await until(() => load.answers.filter(({ status }) => status === 200).length > RATE);
    const rss = service.rss();
    const begun = performance.now();
    const replaceRedis = (server: EmbeddedRedis) => {
      redis = server;
    };
    await fault.inflict({ redis, guild, service, replaceRedis });
    const back = performance.now();
    const redisLag = await worstPing(redis.url, BACK_MS + 500);
    const growth = service.rss() - rss;
    const lag = load.worstLag();
    const answers = await load.stop();
    const figures = judge({ fault, guild, service, answers, begun, back, lag, redisLag });
    expect(growth, 'growth of the process').toBeLessThan(MAX_GROWTH);
    recordFigure(fault.name, { ...figures, growthMb: Math.round(growth / 1024 / 1024) });
  } finally {
    guild.close();
    await service.stop();
    await between?.stop();
    await redis.stop();
  }
}

/** The longest that Redis, back again, was kept from answering for so long, in milliseconds: it shares the machine with all of this. */
async function worstPing(url: string, ms: number): Promise<number> {
  const probe = new Redis(url);
  probe.on('error', () => {});
  const end = performance.now() + ms;
  let worst = 0;
  while (performance.now() < end) {
    const sentAt = performance.now();
    const answered = await probe.ping().then(
      () => true,
      () => false,
    );
    if (answered) worst = Math.max(worst, performance.now() - sentAt);
    await delay(10);
  }
  probe.disconnect();
  return worst;
}

interface Run {
  readonly fault: Pick<Fault, 'seen' | 'allows'>;
  readonly guild: Pick<TestGuild, 'wrong'>;
  readonly service: ServiceProcess;
  readonly answers: readonly Answer[];
  /** When the fault began, and when Redis was back, on the clock of performance.now(). */
  readonly begun: number;
  readonly back: number;
  readonly lag: number;
  /** How long Redis was kept from answering once it was back, where that was looked at. */
  readonly redisLag?: number;
}

/** Holds a run to the promises. @returns its figures. */
export function judge({ fault, guild, service, answers, begun, back, lag, redisLag = 0 }: Run): Record<string, number> {
  const unmet = answers.map((answer) => complaint(answer, guild, fault.allows)).filter((text) => text !== undefined);
  expect(unmet).toEqual([]);
  expect(answers.filter(({ resent }) => resent)).toEqual([]);
  expect(service.child.exitCode).toBeNull();

  const bad = answers.filter(({ status }) => status !== 200);
  if (fault.seen === 'yes') expect(bad.length).toBeGreaterThan(0);
  const allowed = answers.length * STRAGGLERS;
  const early = bad.filter(({ sentAt }) => sentAt < begun - LATEST_MS).length;
  const late = bad.filter(({ sentAt }) => sentAt > back).map(({ sentAt }) => sentAt - back);
  const backMs = lastOfFirstOutage(late);
  const stragglers = late.filter((ms) => ms > backMs).length;
  // As measured where the promise is made; what a busy machine takes away from both processes is not the service's.
  const slowest = Math.max(...service.lines().map(({ duration_ms }) => Number(duration_ms ?? 0)));
  const noise = lag + serviceLag(service, performance.timeOrigin + (answers[0]?.sentAt ?? 0));
  if (noise < STARVED_MS && redisLag < GIVEN_UP_MS) {
    const said = `the service said:\n${remarks(service)}`;
    expect(slowest, 'the latest answer').toBeLessThan(LATEST_MS + noise);
    expect(backMs, `time until good answers; ${said}`).toBeLessThan(BACK_MS + noise);
    if (fault.seen === 'no') expect(bad.length, `failures that nothing explains; ${said}`).toBeLessThanOrEqual(allowed);
    expect(early, `failures before the fault; ${said}`).toBeLessThanOrEqual(allowed);
    expect(stragglers, `failures after it; ${said}`).toBeLessThanOrEqual(allowed);
  }
  return {
    requests: answers.length,
    good: answers.length - bad.length,
    unavailable: bad.filter(({ status }) => status === 503).length,
    other: bad.filter(({ status }) => status !== 503).length,
    lost: 0,
    slowestMs: Math.round(slowest),
    slowestSeenMs: Math.round(Math.max(...answers.map(({ took }) => took))),
    backMs: Math.round(backMs),
    stragglers,
    noiseMs: Math.round(noise),
  };
}

/** The longest that the service was kept from running, in milliseconds, since a moment in milliseconds since the epoch. */
function serviceLag(service: ServiceProcess, since: number): number {
  const lines = service.lines().filter(({ time }) => Date.parse(String(time)) > since);
  return Math.max(0, ...lines.map(({ lag_ms }) => Number(lag_ms ?? 0)));
}

/** When the outage that lasted at `back` ended: failures that follow one another within a quarter of a second are one outage. */
function lastOfFirstOutage(failures: readonly number[]): number {
  let last = 0;
  for (const at of failures.toSorted((a, b) => a - b)) {
    if (at - last > 250) break;
    last = at;
  }
  return last;
}

/** The last log lines that are not about single requests. */
function remarks(service: ServiceProcess): string {
  const lines = service.lines().filter(({ msg }) => msg !== 'request');
  const words = lines.map(({ time, msg, reason }) => `${time} ${msg} ${reason ?? ''}`);
  return words.slice(-60).join('\n');
}

/** What is wrong with an answer: anything but the right content, or a 503 that says when to come again. */
function complaint(answer: Answer, guild: Run['guild'], allows: Fault['allows']): string | undefined {
  const { status, headers, body, error, path } = answer;
  if (allows?.(answer)) return undefined;
  if (status === 200) return guild.wrong(answer);
  if (status !== 503) return `${path} answered ${status} ${error ?? body}`;
  if (headers['content-type'] !== 'application/problem+json') return `503 of type ${headers['content-type']}`;
  if (JSON.parse(body).code !== 'store_unavailable') return `503 with body ${body}`;
  return /^[1-9]\d*$/.test(headers['retry-after'] ?? '') ? undefined : '503 without Retry-After';
}
