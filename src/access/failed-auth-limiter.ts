import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

/** Requests with an invalid key that one network may send in a window; above it, its unknown keys are rejected. */
export const MAX_FAILURES = 100;
export const WINDOW_MS = 60_000;
/** Networks counted at most; the least recently seen is dropped, so that a flood cannot fill the memory. */
const MAX_NETWORKS = 10_000;

interface Count {
  failures: number;
  readonly until: number;
}

/** Limits requests with invalid keys per network, so that a flood of made-up keys does not become a flood of look-ups in Redis. O(1). */
export class FailedAuthLimiter {
  private readonly counts = new LRUCache<string, Count>({ max: MAX_NETWORKS });

  constructor(
    /** Milliseconds on a clock that never goes back. */
    private readonly now: () => number,
  ) {}

  /** Counts a request with an invalid key. @param address the client's IP address. */
  recordFailure(address: string): void {
    const network = networkOf(address);
    const count = this.current(network);
    if (count) count.failures++;
    else this.counts.set(network, { failures: 1, until: this.now() + WINDOW_MS });
  }

  /** Returns the milliseconds until unknown keys of the address are looked up again; 0 = now. */
  retryAfterMs(address: string): number {
    // Most of the time there is no failure to look for.
    if (this.counts.size === 0) return 0;
    const count = this.current(networkOf(address));
    return count && count.failures >= MAX_FAILURES ? count.until - this.now() : 0;
  }

  private current(network: string): Count | undefined {
    const count = this.counts.get(network);
    if (!count || this.now() < count.until) return count;
    this.counts.delete(network);
    return undefined;
  }
}

/** Returns the network that is counted: the /64 of an IPv6 address, because one client has all of it, or the IPv4 address itself. */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  // Turns an IPv4 address that is written as IPv6 into the IPv4 address.
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : (parsed as ipaddr.IPv6).parts.slice(0, 4).join(':');
}
