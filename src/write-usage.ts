import type { Logger } from 'pino';
import type { Usage } from './access/usage.ts';
import { StoreUnavailableError } from './errors.ts';
import { explainFailure } from './redis/refusals.ts';

/** What a killed process loses at most. */
export const USAGE_PERIOD_MS = 10_000;

/**
 * Writes the usage regularly from now on. Warns once for each reason why Redis refuses it; an outage is told by the health check.
 * @returns a function that writes what is left, and ends.
 */
export function writeRegularly(usage: Usage, logger: Logger, periodMs: number): () => Promise<void> {
  const warned = new Set<string>();
  const write = async (): Promise<void> => {
    try {
      await usage.write();
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      const { code, reason } = error;
      if (code === 'timeout' || code === 'unreachable' || warned.has(code)) return;
      warned.add(code);
      logger.warn({ code, reason: explainFailure(reason) }, 'the usage of API keys is not stored');
    }
  };
  const timer = setInterval(() => void write(), periodMs).unref();
  return async () => {
    clearInterval(timer);
    await write();
  };
}
