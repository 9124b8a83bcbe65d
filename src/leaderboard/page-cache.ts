import { LRUCache } from 'lru-cache';
import { type Read, UNCHANGED } from './reader.ts';

/** After this long an entry is read anew even at the same revision: the bound for raw writers that do not raise it. */
const MAX_AGE_MS = 5000;

/** Where an answer comes from. */
export interface Source<T, V> {
  /** Reads the value, unless the guild is still at the revision given. */
  read(known: string): Promise<Read<T>>;
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
 * Holds answers in the form they go out, and hands one out only after Redis has confirmed that the guild is still at the
 * revision it was made from. Nothing to invalidate, nothing to expire, never stale. The least recently used entry gives way.
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
   * The answers wanted, all of one guild and each named once, in their order. One command confirms all that are held at
   * the same revision; each of the others takes one of its own. One round trip, and a second when the revision has moved on
   * under answers confirmed together.
   */
  getAll(wants: readonly Want<V>[]): Promise<V>[] {
    const now = this.now();
    let lead: { revision: string; confirmed: Promise<boolean> } | undefined;
    return wants.map(({ key, source }) => {
      const held = this.entries?.get(key);
      if (!held || now - held.filledAt >= MAX_AGE_MS) return this.fill(key, source, now);
      if (lead?.revision === held.revision) {
        return lead.confirmed.then((same) => (same ? this.hit(held) : this.fill(key, source, this.now())));
      }
      const answer = source.read(held.revision);
      const confirmed = answer.then((read) => read === UNCHANGED);
      confirmed.catch(() => {}); // Whoever shares it hears of the failure; perhaps nobody does.
      lead = { revision: held.revision, confirmed };
      return answer.then((read) => (read === UNCHANGED ? this.hit(held) : this.keep(key, source, read, now)));
    });
  }

  /** Answers handed out as held, answers read, and answers held now. */
  tally(): { hits: number; misses: number; entries: number } {
    return { hits: this.hits, misses: this.misses, entries: this.entries?.size ?? 0 };
  }

  private async fill(key: string, source: Source<never, V>, now: number): Promise<V> {
    const read = await source.read('');
    if (read === UNCHANGED) throw new Error('the store confirmed a revision that nobody asked about');
    return this.keep(key, source, read, now);
  }

  private hit({ view }: Entry<V>): V {
    this.hits++;
    return view;
  }

  private keep(key: string, source: Source<never, V>, read: Exclude<Read<never>, typeof UNCHANGED>, now: number): V {
    this.misses++;
    const view = source.render(read.value);
    if (read.revision !== '') this.entries?.set(key, { revision: read.revision, view, filledAt: now });
    return view;
  }
}
