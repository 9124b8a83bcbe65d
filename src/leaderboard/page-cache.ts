import { LRUCache } from 'lru-cache';
import { TickBatch } from '../redis/tick-batch.ts';
import { type Read, UNCHANGED } from './reader.ts';

/** After this long an entry is read anew even at the same revision: the bound for raw writers that do not raise it. */
const MAX_AGE_MS = 5000;

interface Entry<V> {
  readonly revision: string;
  readonly view: V;
  readonly filledAt: number;
}

/** Where an answer comes from. */
export interface Source<T, V> {
  /** Reads the value, unless the guild is still at the revision given. */
  read(known: string): Promise<Read<T>>;
  /** Turns the value into the answer; called once per revision. */
  render(value: T): V;
}

interface Request<V> {
  readonly source: Source<unknown, V>;
  readonly resolve: (view: V) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Holds answers in the form they go out, and hands one out only after Redis has confirmed that the guild is still at the
 * revision it was made from. Nothing to invalidate, nothing to expire, never stale. Equal reads that wait together are
 * sent once. The least recently used entry gives way.
 */
export class PageCache<V> {
  private readonly entries: LRUCache<string, Entry<V>> | undefined;
  private readonly batch = new TickBatch<Request<V>>((key, requests) => void this.answer(key, requests));

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
   * The answer for `key`, which names the guild and everything else the read depends on.
   * @throws what the source throws.
   */
  get<T>(key: string, source: Source<T, V>): Promise<V> {
    return new Promise((resolve, reject) => {
      this.batch.add(key, { source: source as Source<unknown, V>, resolve, reject });
    });
  }

  private async answer(key: string, requests: Request<V>[]): Promise<void> {
    try {
      const view = await this.confirm(key, (requests[0] as Request<V>).source);
      for (const request of requests) request.resolve(view);
    } catch (error) {
      for (const request of requests) request.reject(error);
    }
  }

  private async confirm(key: string, source: Source<unknown, V>): Promise<V> {
    const startedAt = this.now();
    const held = this.entries?.get(key);
    const usable = held && startedAt - held.filledAt < MAX_AGE_MS ? held : undefined;
    const answer = await source.read(usable?.revision ?? '');
    if (answer === UNCHANGED) {
      if (!usable) throw new Error('the store confirmed a revision that nobody asked about');
      return usable.view;
    }
    const view = source.render(answer.value);
    if (answer.revision !== '') this.entries?.set(key, { revision: answer.revision, view, filledAt: startedAt });
    return view;
  }
}
