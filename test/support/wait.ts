import { vi } from 'vitest';

/** Options of `vi.waitFor` for a condition that a busy machine may meet late. */
export const PATIENT = { timeout: 30_000, interval: 10 };

/** Settings for a test in which Redis answers: a busy machine can hold Redis up for seconds, which the service would answer with 503. */
export const PATIENT_REDIS = { REDIS_TIMEOUT_MS: '30000', REDIS_PROBE_MS: '1000' };

/** Options of `vi.waitFor` for an announced change: half of the time for which the service believes its cache. */
export const BEFORE_CACHE_EXPIRES = { timeout: 2500, interval: 10 };

/** Milliseconds for a hook that installs packages: on a busy machine two installs can take minutes. */
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
