import { describe, expect, it } from 'vitest';
import { TRIES, untilConclusive, type Verdict } from '../support/conclusive.ts';
import type { Answer } from '../support/load.ts';
import { assertContent, isSteady, judgeTimes, neverSteady, type Run } from './judgement.ts';

const BEGUN = 1000;
const BACK = 2000;

const answerAt = (sentAt: number, change: Partial<Answer> = {}): Answer => ({
  ...{ path: '/', status: 200, headers: {}, body: 'right', sentAt, took: 5 },
  ...change,
});
const unavailableAt = (sentAt: number) =>
  answerAt(sentAt, {
    status: 503,
    headers: { 'content-type': 'application/problem+json', 'retry-after': '1' },
    body: '{"code":"store_unavailable"}',
  });
const steady = Array.from({ length: 300 }, (_, i) => answerAt(i * 10));

/** A run on a machine that held up the service for `serviceLag`, with answers at 10 ms and a few more. */
function runOf(more: readonly Answer[], change: Partial<Run> = {}, slowest = 20, serviceLag = 0): Run {
  return {
    ...{ fault: { seen: 'maybe' }, begun: BEGUN, back: BACK, lag: 10, redisLag: 5 },
    guild: { wrong: ({ body }) => (body === 'right' ? undefined : 'wrong') },
    service: {
      lines: () => [{ duration_ms: slowest }],
      worstLag: () => serviceLag,
      lagBetween: () => serviceLag,
      isRunning: () => true,
    },
    answers: [...steady, ...more],
    ...change,
  };
}
const outage = (from: number, to: number) =>
  Array.from({ length: (to - from) / 10 + 1 }, (_, i) => unavailableAt(from + i * 10));
const BUSY = 200;

describe('the judgement of a run', () => {
  it.each([
    ['a wrong answer', answerAt(1500, { body: 'stale' })],
    ['a request without an answer', answerAt(1500, { status: 0, error: 'ECONNRESET' })],
    ['another status', answerAt(1500, { status: 500 })],
    ['a 503 that does not say when to come again', { ...unavailableAt(1500), headers: {} }],
    ['a request that was sent again', answerAt(1500, { resent: true })],
  ])('a judgement fails at once on %s, however busy the machine was', (_name, answer) => {
    expect(() => assertContent(runOf([answer], {}, 20, BUSY))).toThrow();
    expect(() => assertContent(runOf([unavailableAt(1500)], {}, 20, BUSY))).not.toThrow();
  });

  it('a judgement fails on a fault that must be seen and is not, and on a service that has ended', () => {
    expect(() => assertContent(runOf([], { fault: { seen: 'yes' } }))).toThrow();
    const ended = { ...runOf([]).service, isRunning: () => false };
    expect(() => assertContent(runOf([], { service: ended }))).toThrow();
  });

  const lateAnswer = (lag: number) => runOf([], {}, 550, lag);
  const longAway = (lag: number) => runOf(outage(1500, 3200), {}, 20, lag);
  const straggler = (lag: number) => runOf([unavailableAt(2900)], {}, 20, lag);
  const unexplained = (lag: number) => runOf([unavailableAt(1500)], { fault: { seen: 'no' } }, 20, lag);
  it.each([
    ['an answer after 300 ms', lateAnswer],
    ['good answers later than a second after Redis is back', longAway],
    ['a failure after the outage', straggler],
    ['a failure that nothing explains', unexplained],
  ])('a judgement calls %s a broken promise on a quiet machine, and inconclusive on a busy machine', (_name, run) => {
    expect(judgeTimes(run(0))).toMatchObject({ broken: [expect.any(String), expect.any(String)], noise: undefined });
    const busy = judgeTimes(run(BUSY));
    expect(busy.broken).toHaveLength(1);
    expect(busy.noise).toContain(`the service for ${BUSY} ms`);
  });

  it('a judgement finds a promise kept on a busy machine if noise cannot have flattered it', () => {
    expect(judgeTimes(runOf(outage(1500, 2500), {}, 290, BUSY)).broken).toEqual([]);
    // Redis may have been back 200 ms before the test process noticed. A service that was held up is none the better for it.
    expect(judgeTimes(runOf(outage(1500, 2900), { lag: BUSY }, 290)).broken).toHaveLength(1);
    expect(judgeTimes(runOf(outage(1500, 2900), {}, 290, BUSY)).broken).toEqual([]);
    // Of 450 ms, the service could not run for 200.
    expect(judgeTimes(runOf([], {}, 450, BUSY)).broken).toEqual([]);
  });

  it('a judgement waits for good answers in succession before the fault, and counts no failure of the start', () => {
    // The one sent at 5 took long.
    const start = [unavailableAt(10), ...[5, 20, 30, 40].map((at) => answerAt(at))];
    expect([isSteady(start, 4), isSteady(start, 3), isSteady([], 1)]).toEqual([false, true, false]);
    expect(judgeTimes(runOf([unavailableAt(10)], { fault: { seen: 'no' } })).broken).toEqual([]);
    expect(() => assertContent(runOf([unavailableAt(10)], { fault: { seen: 'yes' } }))).toThrow();
  });

  it('a judgement calls a service that never becomes steady broken on a quiet machine, and inconclusive on a busy machine', () => {
    expect(neverSteady(10)).toEqual({ broken: ['failures before the fault'], noise: undefined });
    expect(neverSteady(BUSY).noise).toContain(`${BUSY} ms`);
  });

  it('a judgement is inconclusive as well when the machine kept Redis from answering', () => {
    const run = lateAnswer(0);
    expect(judgeTimes({ ...run, redisLag: 89 }).noise).toBeUndefined();
    expect(judgeTimes({ ...run, redisLag: 90 }).noise).toContain('Redis for 90 ms');
  });
});

describe('a measurement of time', () => {
  const kept: Verdict = { broken: [], noise: undefined };
  const broken: Verdict = { broken: ['too late'], noise: undefined };
  const inconclusive: Verdict = { broken: ['too late'], noise: 'held up for 500 ms' };

  async function measure(
    verdicts: Verdict[],
  ): Promise<{ tries: number; reports: string[]; error: string | undefined }> {
    const reports: string[] = [];
    let tries = 0;
    const next = async () => {
      tries++;
      return verdicts.shift() ?? inconclusive;
    };
    const options = {
      report: (text: string) => void reports.push(text),
      pause: async () => {},
      leaveOut: (cause: string) => {
        throw new Error(`left out, ${cause}`);
      },
    };
    const error = await untilConclusive('a fault', next, options).then(
      () => undefined,
      ({ message }: Error) => message,
    );
    return { tries, reports, error };
  }

  it('a measurement is repeated while it is inconclusive, and each inconclusive try is reported', async () => {
    expect(await measure([inconclusive, kept])).toEqual({
      tries: 2,
      reports: [`inconclusive: a fault, try 1 of ${TRIES}: held up for 500 ms; too late`],
      error: undefined,
    });
  });

  it('a measurement fails at the first try that breaks a promise on a quiet machine', async () => {
    expect(await measure([inconclusive, broken, kept])).toMatchObject({ tries: 2, error: 'a fault: too late' });
  });

  it('a measurement that never becomes conclusive is left out', async () => {
    const { tries, reports, error } = await measure([]);
    expect([tries, reports.length]).toEqual([TRIES, TRIES]);
    expect(error).toMatch(/^left out, as the machine was too busy/);
  });

  it('a measurement passes on the error of a try at once', async () => {
    const wrong = () => Promise.reject(new Error('a wrong answer'));
    await expect(untilConclusive('a fault', wrong)).rejects.toThrow('a wrong answer');
  });
});
