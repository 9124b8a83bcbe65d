import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Usage } from '../core/access/usage.ts';
import { StoreUnavailableError } from '../core/errors.ts';
import { explainFailure } from '../core/store/failures.ts';

/** Milliseconds between two writes. A killed process loses at most the counts of this time. */
export const USAGE_PERIOD_MS = 10_000;
/** Attempts at the end of the process, and the time between two of them. */
const LAST_ATTEMPTS = 4;
const RETRY_MS = 150;

/**
 * Writes the usage regularly from now on. Warns once for each reason why Redis refuses a write. The health check reports an outage.
 * @param onFailure called with each write that failed.
 * @returns a function that writes what is left, and ends.
 */
export function writeRegularly(
  usage: Usage,
  logger: Logger,
  periodMs: number,
  onFailure: () => void,
): () => Promise<void> {
  const warned = new Set<string>();
  /** Returns whether there is nothing left that another attempt could write. */
  const write = async (): Promise<boolean> => {
    try {
      await usage.write();
      return true;
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      onFailure();
      if (error.isOutage) return false;
      const { code, reason } = error;
      if (!warned.has(code))
        logger.warn({ code, reason: explainFailure(reason) }, 'the usage of API keys is not stored');
      warned.add(code);
      return true;
    }
  };
  const timer = setInterval(() => void write(), periodMs).unref();
  return async () => {
    clearInterval(timer);
    // A connection that broke a moment ago is soon there again.
    for (let attempt = 1; !(await write()) && attempt < LAST_ATTEMPTS; attempt++) await delay(RETRY_MS);
  };
}
