import { LRUCache } from 'lru-cache';

/** Keys counted at most; the least recently seen is dropped, so that a flood cannot fill the memory. */
const MAX_KEYS = 10_000;

/** Bytes of a key, on average at most: a network address, or a guild with a role. */
const KEY_BYTES = 100;

/** The size of a bucket, and the milliseconds after which a missing token is back. */
export interface Bucket {
  readonly burst: number;
  readonly intervalMs: number;
}

/** Token buckets by key, all of one size. Each call is O(1). */
export class TokenBuckets {
  /** By key: when its bucket is full again, in milliseconds. Each missing token moves this time by one interval. */
  private readonly fullAt = new LRUCache<string, number>({
    max: MAX_KEYS,
    maxSize: MAX_KEYS * KEY_BYTES,
    sizeCalculation: (_fullAt, key) => key.length,
  });

  constructor(
    /** Milliseconds on a clock that never goes back. */
    private readonly now: () => number,
    private readonly bucket: Bucket,
  ) {}

  /** Takes a token. @returns 0, or the milliseconds until there is a token to take. */
  take(key: string): number {
    const now = this.now();
    const fullAt = Math.max(now, this.fullAt.get(key) ?? now);
    const { burst, intervalMs } = this.bucket;
    const waitMs = fullAt - now - (burst - 1) * intervalMs;
    if (waitMs > 0) return waitMs;
    this.fullAt.set(key, fullAt + intervalMs);
    return 0;
  }

  /** Returns a token that {@link take} gave. */
  giveBack(key: string): void {
    const fullAt = this.fullAt.get(key);
    if (fullAt !== undefined) this.fullAt.set(key, fullAt - this.bucket.intervalMs);
  }
}
