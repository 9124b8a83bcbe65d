import { expect } from 'vitest';
import type { Verdict } from '../support/conclusive.ts';
import type { TestGuild } from '../support/guild.ts';
import type { Answer } from '../support/load.ts';
import type { LogLine, TestProcess } from '../support/process.ts';

/** The promise: no answer later than this, whatever Redis does. */
const LATEST_MS = 300;
/** The promise: good answers again this soon after Redis is back. */
export const BACK_MS = 1000;
/** A machine that keeps these processes from running for so long keeps Redis from running too. */
const STARVED_MS = 150;
/** The service rightly gives up on a Redis that the machine keeps from answering for so long. */
const GIVEN_UP_MS = 90;
/** The share of answers that may be 503 long after the fault, because the machine kept Redis from answering for 100 ms. */
const STRAGGLERS = 0.001;
/** Failures that follow one another so closely are one outage. */
const SAME_OUTAGE_MS = 250;

/** The answers that a fault may cause. */
export interface Effects {
  /** Whether the fault must be visible as 503 answers, must not be, or may be. */
  readonly seen: 'yes' | 'no' | 'maybe';
  /** Whether an answer that is neither right nor 503 is allowed while the fault lasts, such as 401 when the keys are gone. */
  readonly allows?: (answer: Answer) => boolean;
}

/** One run of the service under load through a fault. */
export interface Run {
  readonly fault: Effects;
  readonly guild: Pick<TestGuild, 'wrong'>;
  readonly service: Pick<TestProcess, 'lines' | 'worstLag' | 'lagBetween' | 'isRunning'>;
  readonly answers: readonly Answer[];
  /** When the fault began, and when Redis was back, on the clock of performance.now(). */
  readonly begun: number;
  readonly back: number;
  /** The longest that the test process was kept from running, in milliseconds. */
  readonly lag: number;
  /** The longest that Redis took to answer a PING outside of the fault, in milliseconds, where that was measured. */
  readonly redisLag?: number;
}

/** Returns whether the last answers are good, at least `count` of them. A busy machine can take its time with the start of the service. */
export function isSteady(answers: readonly Answer[], count: number): boolean {
  const lastFailure = Math.max(...answers.filter(({ status }) => status !== 200).map(({ sentAt }) => sentAt));
  return answers.filter(({ sentAt }) => sentAt > lastFailure).length >= count;
}

/** The verdict on a service that was never steady before the fault, while processes were held up for `noise` milliseconds. */
export function neverSteady(noise: number): Verdict {
  const held = `processes were held up for ${Math.round(noise)} ms`;
  return { broken: ['failures before the fault'], noise: noise < STARVED_MS ? undefined : held };
}

/** Asserts all that holds however busy the machine is: each answer is right or a proper 503, none was sent twice, the service lives. */
export function assertContent({ fault, guild, service, answers, begun }: Run): void {
  const complaints = answers.flatMap((answer) => {
    const text = complaint(answer, guild, fault.allows);
    return text === undefined ? [] : [`${text}, sent ${Math.round(answer.sentAt - begun)} ms after the fault`];
  });
  expect(complaints).toEqual([]);
  expect(answers.filter(({ resent }) => resent)).toEqual([]);
  expect(service.isRunning()).toBe(true);
  expect(answers.length).toBeGreaterThan(0);
  if (fault.seen === 'yes') expect(failuresSince(answers, begun)).not.toEqual([]);
}

/** Judges the promises about time. */
export function judgeTimes(run: Run): Verdict {
  const { lag, redisLag = 0, fault, service } = run;
  const { judged, failures, slowest, backMs, stragglers, serviceLag } = measure(run);
  const noise = lag + serviceLag;
  const isQuiet = noise < STARVED_MS && redisLag < GIVEN_UP_MS;
  // A quiet machine is allowed its little noise. On a noisy one a time counts only if noise cannot have flattered it:
  // a test process that wakes up late takes Redis to be back later than it was.
  const late = slowest >= LATEST_MS + (isQuiet ? noise : 0);
  const longAway = backMs >= BACK_MS + (isQuiet ? noise : -lag);
  const allowed = judged.length * STRAGGLERS;
  const broken = [
    late && `the latest answer took ${slowest} ms`,
    longAway && `good answers were back after ${Math.round(backMs)} ms`,
    fault.seen === 'no' && failures > allowed && `${failures} failures that nothing explains`,
    stragglers > allowed && `${stragglers} failures after it`,
  ].filter((text) => text !== false);
  if (isQuiet && broken.length > 0) broken.push(`the service logged:\n${remarks(service)}`);
  const held = `the test process was held up for ${Math.round(lag)} ms, the service for ${serviceLag} ms, Redis for ${Math.round(redisLag)} ms`;
  return { broken, noise: isQuiet ? undefined : held };
}

/** The figures of a run for docs/reliability.md. */
export function figuresOf(run: Run): Record<string, number> {
  const { judged, failures, slowest, backMs, stragglers, serviceLag } = measure(run);
  const unavailable = judged.filter(({ status }) => status === 503).length;
  return {
    requests: judged.length,
    good: judged.length - failures,
    unavailable,
    other: failures - unavailable,
    lost: 0,
    slowestMs: Math.round(slowest),
    slowestSeenMs: Math.round(Math.max(...judged.map(({ took }) => took))),
    backMs: Math.round(backMs),
    stragglers,
    noiseMs: Math.round(run.lag + serviceLag),
  };
}

/** Returns the answers that the fault could delay. */
const sinceFault = (answers: readonly Answer[], begun: number) =>
  answers.filter(({ sentAt }) => sentAt >= begun - LATEST_MS);

/** Returns the answers since the fault began that are not good. */
export const failuresSince = (answers: readonly Answer[], begun: number) =>
  sinceFault(answers, begun).filter(({ status }) => status !== 200);

function measure({ service, answers, begun, back }: Run) {
  const judged = sinceFault(answers, begun);
  const failed = judged.filter(({ status }) => status !== 200);
  const late = failed.filter(({ sentAt }) => sentAt > back).map(({ sentAt }) => sentAt - back);
  const backMs = endOfOutage(late);
  return {
    judged,
    failures: failed.length,
    slowest: Math.max(...service.lines().map((line) => durationOf(line, service))),
    backMs,
    stragglers: late.filter((ms) => ms > backMs).length,
    serviceLag: service.worstLag(performance.timeOrigin + (answers[0]?.sentAt ?? 0)),
  };
}

/** Returns how long an answer took in the service, where the promise is made, less the time in which the service could not run. */
function durationOf({ time, duration_ms }: LogLine, service: Run['service']): number {
  const took = Number(duration_ms ?? 0);
  if (took < LATEST_MS) return took;
  const end = Date.parse(String(time));
  return took - service.lagBetween(end - took, end);
}

/** Returns when the outage that lasted at 0 ended, by the times of the failures after it. */
export function endOfOutage(failures: readonly number[]): number {
  let last = 0;
  for (const at of failures.toSorted((a, b) => a - b)) {
    if (at - last > SAME_OUTAGE_MS) break;
    last = at;
  }
  return last;
}

/** The last log lines that are not about single requests. */
function remarks(service: Run['service']): string {
  const lines = service.lines().filter(({ msg }) => msg !== 'request');
  const texts = lines.map(({ time, msg, reason }) => `${time} ${msg} ${reason ?? ''}`);
  return texts.slice(-60).join('\n');
}

/** Returns the fault of an answer, if it is neither right nor a 503 that says when to come again. */
function complaint(answer: Answer, guild: Run['guild'], allows: Effects['allows']): string | undefined {
  const { status, headers, body, error, path } = answer;
  if (allows?.(answer)) return undefined;
  if (status === 200) return guild.wrong(answer);
  if (status !== 503) return `${path} answered ${status} ${error ?? body}`;
  if (headers['content-type'] !== 'application/problem+json') return `503 of type ${headers['content-type']}`;
  if (JSON.parse(body).code !== 'store_unavailable') return `503 with body ${body}`;
  return /^[1-9]\d*$/.test(headers['retry-after'] ?? '') ? undefined : '503 without Retry-After';
}
