import { LRUCache } from 'lru-cache';

/** Requests with an invalid key that one address may send in a window before its unknown keys are turned away. */
export const FAILURES = 100;
export const WINDOW_MS = 60_000;
/** Addresses remembered; a flood from more of them forgets the quietest, never grows. */
const ADDRESSES = 10_000;

interface Count {
  failures: number;
  readonly until: number;
}

/**
 * Counts the requests with invalid keys by address, in memory, so that a flood of made-up keys does not become a flood of
 * look-ups in Redis. Bounded in memory and O(1): the flood it is made for must not fill it.
 */
export class FailedAuthLimiter {
  private readonly counts = new LRUCache<string, Count>({ max: ADDRESSES });

  constructor(
    /** Milliseconds on a clock that never goes back. */
    private readonly now: () => number,
  ) {}

  /** Whether any address has failed lately: as long as none has, there is nothing to ask. */
  get isQuiet(): boolean {
    return this.counts.size === 0;
  }

  /** Notes a request with an invalid key. */
  recordFailure(address: string): void {
    const id = network(address);
    const count = this.current(id);
    if (count) count.failures++;
    else this.counts.set(id, { failures: 1, until: this.now() + WINDOW_MS });
  }

  /** Milliseconds for which unknown keys of the address are turned away; 0 for not at all. */
  retryAfterMs(address: string): number {
    const count = this.current(network(address));
    return count && count.failures >= FAILURES ? count.until - this.now() : 0;
  }

  private current(id: string): Count | undefined {
    const count = this.counts.get(id);
    if (!count || this.now() < count.until) return count;
    this.counts.delete(id);
    return undefined;
  }
}

/** Whoever has one IPv6 address has the /64 around it: the network is what is counted. IPv4 addresses count as they are. */
function network(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped) return mapped[1] as string;
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::') as [string, string | undefined];
  const left = head === '' ? [] : head.split(':');
  const right = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const groups = [...left, ...Array<string>(zeros).fill('0'), ...right];
  return groups.slice(0, 4).join(':');
}
