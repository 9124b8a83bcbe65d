import { AddressLimiter } from './address-limiter.ts';

/** Look-ups of unseen keys that one network may start at once. */
export const BURST = 500;
/** Milliseconds after which it may start one more. Short, so that unseen valid keys come through beside a flood. */
export const INTERVAL_MS = 100;
/**
 * Limits the look-ups of unseen keys per network, so that a flood of made-up keys does not become a flood of look-ups in Redis. A look-up
 * takes a token when it starts, and returns it unless the key is invalid. O(1).
 */
export class FailedAuthLimiter extends AddressLimiter {
  /** @param now milliseconds on a clock that never goes back. */
  constructor(now: () => number) {
    super(now, { burst: BURST, intervalMs: INTERVAL_MS });
  }
}
