import { vi } from 'vitest';

/** Options of `vi.waitFor` for a condition that a busy machine may meet late. */
export const PATIENT = { timeout: 30_000, interval: 10 };

/** Milliseconds for the move of a key between nodes of a Cluster, which a busy machine can hold up. */
export const MIGRATION_MS = 30_000;

/** Milliseconds for a hook or a test that installs packages: on a busy machine two installs can take minutes. */
export const INSTALLING_MS = 900_000;

/**
 * Lets requests of this process to other hosts take 30 times as long before a signal ends them: a busy machine can keep the process, and the
 * host that it plays itself, from running for longer than their usual time.
 * @returns what gives them their usual time again.
 */
export function waitLongForHosts(): () => void {
  const { timeout } = AbortSignal;
  const spy = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout.call(AbortSignal, 30 * ms));
  return () => spy.mockRestore();
}

/**
 * Repeats a request while its answer is 503, which is right while the machine holds up Redis.
 * @param ask returns the answer, or its document.
 * @returns the first other answer.
 */
export function whenServed<T extends { readonly status?: unknown }>(ask: () => Promise<T>): Promise<T> {
  return vi.waitFor(async () => {
    const answer = await ask();
    if (answer.status === 503) throw new Error('The answer is still 503');
    return answer;
  }, PATIENT);
}
