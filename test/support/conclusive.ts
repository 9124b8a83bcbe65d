import { setTimeout as delay } from 'node:timers/promises';
import { TestRunner } from 'vitest';
import { watchLag } from './lag.js';

/** How often a measurement is tried until the machine lets it show something. */
export const TRIES = 8;
/** For a test that measures once: each try has the time that a test has by default. */
export const CONCLUSIVE = { timeout: TRIES * 60_000 };

/** The judgement of one try on promises about time. */
export interface Verdict {
  /** The promises that were not kept, each with what was measured. */
  readonly broken: readonly string[];
  /** Why a broken promise says nothing about the service: the machine kept a process from running. */
  readonly noise: string | undefined;
}

/**
 * Repeats a measurement of time until it is conclusive. A try is conclusive when it keeps every promise, or breaks one on a
 * quiet machine; it is inconclusive when it breaks one while the machine kept a process from running. Each inconclusive try
 * is reported on stderr. After `TRIES` of them the test is left out: the end of the run lists it, and with REQUIRE_ALL=1 the run fails.
 * @param measure makes one try from a fresh start. It asserts by itself all that does not depend on time.
 * @returns the number of tries.
 * @throws when a conclusive try broke a promise.
 */
export async function untilConclusive(
  name: string,
  measure: () => Promise<Verdict>,
  {
    report = reportOnStderr,
    pause = quietMoment,
    leaveOut = leaveOutTest,
  }: { report?: (text: string) => void; pause?: () => Promise<void>; leaveOut?: (cause: string) => never } = {},
): Promise<number> {
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const { broken, noise } = await measure();
    if (broken.length === 0) return attempt;
    if (noise === undefined) throw new Error(`${name}: ${broken.join('\n')}`);
    report(`inconclusive: ${name}, try ${attempt} of ${TRIES}: ${noise}; ${broken.join('; ')}`);
    if (attempt < TRIES) await pause();
  }
  return leaveOut('as the machine was too busy to judge its times');
}

function leaveOutTest(cause: string): never {
  const test = TestRunner.getCurrentTest();
  if (test?.type !== 'test') throw new Error(`This was no test, ${cause}`);
  return test.context.skip(cause);
}

function reportOnStderr(text: string): void {
  process.stderr.write(`${text}\n`);
}

const WINDOW_MS = 500;
const QUIET_LAG_MS = 50;
const MAX_WINDOWS = 20;

/** Waits until this process ran without delay for half a second, for ten seconds at most. */
async function quietMoment(): Promise<void> {
  const lag = watchLag();
  for (let window = 0; window < MAX_WINDOWS; window++) {
    await delay(WINDOW_MS);
    if (lag.take() < QUIET_LAG_MS) break;
  }
  lag.stop();
}
