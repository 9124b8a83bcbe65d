import { setTimeout as delay } from 'node:timers/promises';
import { watchLag } from './lag.js';

/** How often a measurement is tried until the machine lets it show something. */
export const TRIES = 4;
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
 * is reported on stderr.
 * @param measure makes one try from a fresh start. It asserts by itself all that does not depend on time.
 * @returns the number of tries.
 * @throws when a conclusive try broke a promise, or after `TRIES` inconclusive ones.
 */
export async function untilConclusive(
  name: string,
  measure: () => Promise<Verdict>,
  {
    report = reportOnStderr,
    pause = quietMoment,
  }: { report?: (text: string) => void; pause?: () => Promise<void> } = {},
): Promise<number> {
  const reasons: string[] = [];
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const { broken, noise } = await measure();
    if (broken.length === 0) return attempt;
    if (noise === undefined) throw new Error(`${name}: ${broken.join('\n')}`);
    reasons.push(`try ${attempt} of ${TRIES}: ${noise}; ${broken.join('; ')}`);
    report(`inconclusive: ${name}, ${reasons.at(-1)}`);
    if (attempt < TRIES) await pause();
  }
  throw new Error(`${name}: never conclusive, the machine was too busy:\n${reasons.join('\n')}`);
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
