import { LRUCache } from 'lru-cache';
import type { Revised } from './reader.ts';

/** After this long an entry is read anew even at the same revision: the bound for raw writers that do not raise it. */
const MAX_AGE_MS = 5000;

/** Where an answer comes from. */
export interface Source<T, V> {
  read(): Promise<Revised<T>>;
  /** Turns the value into the answer; called once per revision. */
  render(value: T): V;
}

/** An answer wanted: its name, which tells the guild and everything else it depends on, and its source. */
export interface Want<V> {
  readonly key: string;
  readonly source: Source<never, V>;
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
export class PageCache<V> {
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
   * The answers wanted, all of one guild and each named once, in their order. One that is held waits for the guild's
   * revision and goes out as it is when it still holds; every other takes one read, sent at once if it is not held.
   * @param revision the guild's, asked for no earlier than this call.
   */
  getAll(wants: readonly Want<V>[], revision: Promise<string>): Promise<V>[] {
    const now = this.now();
    return wants.map(({ key, source }) => {
      const held = this.entries?.get(key);
      if (!held || now - held.filledAt >= MAX_AGE_MS) return this.fill(key, source, now);
      return revision.then((current) => {
        if (current !== held.revision) return this.fill(key, source, this.now());
        this.hits++;
        return held.view;
      });
    });
  }

  /** Answers handed out as held, answers read, and answers held now. */
  tally(): { hits: number; misses: number; entries: number } {
    return { hits: this.hits, misses: this.misses, entries: this.entries?.size ?? 0 };
  }

  private async fill(key: string, source: Source<never, V>, now: number): Promise<V> {
    const { revision, value } = await source.read();
    this.misses++;
    const view = source.render(value);
    if (revision !== '') this.entries?.set(key, { revision, view, filledAt: now });
    return view;
  }
}
