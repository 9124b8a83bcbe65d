import { LRUCache } from 'lru-cache';
import type { Versioned } from '../leaderboard/reader.ts';

/** After this long an entry is read anew even at the same revision: the bound for raw writers that do not raise it. */
const MAX_AGE_MS = 5000;

/** An answer wanted, and where it comes from. */
export interface Want<V> {
  /** Names it: tells the guild and everything else it depends on. */
  readonly key: string;
  /** Reads the value; undefined when the guild is still at the revision that is held. */
  read(held?: string): Promise<Versioned<unknown> | undefined>;
  /** Turns what was read into the answer; called once per revision. */
  render(value: unknown): V;
}

interface Entry<V> {
  readonly revision: string;
  readonly view: V;
  readonly filledAt: number;
}

/**
 * Holds answers in the form they go out, and hands one out only when Redis says that the guild is still at the revision it
 * was made from. Nothing to invalidate, nothing to expire, never stale. The least recently used entry gives way.
 */
export class ResponseCache<V> {
  private hits = 0;
  private misses = 0;
  private readonly entries: LRUCache<string, Entry<V>> | undefined;

  /**
   * @param maxEntries answers to hold; 0 = read every time.
   * @param now milliseconds on a clock that never goes back.
   */
  constructor(
    maxEntries: number,
    private readonly now: () => number,
  ) {
    this.entries = maxEntries > 0 ? new LRUCache({ max: maxEntries }) : undefined;
  }

  /**
   * The answer wanted, in one read: one that is held goes out as it is when the read finds its revision unchanged.
   * @throws what the read throws.
   */
  get(want: Want<V>): Promise<V> {
    const now = this.now();
    const entry = this.entries?.get(want.key);
    const held = entry && now - entry.filledAt < MAX_AGE_MS ? entry : undefined;
    return want.read(held?.revision).then((read) => {
      if (held && read === undefined) {
        this.hits++;
        return held.view;
      }
      const { revision, value } = read as Versioned<unknown>;
      this.misses++;
      const view = want.render(value);
      if (revision !== '') this.entries?.set(want.key, { revision, view, filledAt: now });
      return view;
    });
  }

  /** Answers handed out as held, answers read anew, and answers held now. */
  counts(): { hits: number; misses: number; entries: number } {
    return { hits: this.hits, misses: this.misses, entries: this.entries?.size ?? 0 };
  }
}
