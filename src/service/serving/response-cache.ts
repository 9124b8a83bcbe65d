import { LRUCache } from 'lru-cache';
import type { CommandBatcher, ReadCommand } from '../../core/reads/command-batcher.ts';
import type { Versioned } from '../../core/reads/read-commands.ts';

/** The response or the error of a read. */
export interface ReadResult<V> {
  /** Undefined when nothing was to be read, or when the read failed. */
  readonly response: V | undefined;
  readonly error: unknown;
}

/**
 * The longest time for which to keep a response at one revision. This time bounds how late a change appears that a raw writer made without raising
 * the revision.
 */
const MAX_AGE_MS = 5000;

/** A read of a value T whose response V may be cached. */
export interface CacheableRead<V, T = unknown> {
  /** Names the guild and everything else that the response depends on. */
  readonly cacheKey: string;
  readonly command: ReadCommand<Versioned<T>>;
  /** Makes the response from the value; called once a revision. */
  render(value: T): V;
}

interface Entry<V> {
  readonly guildId: string;
  readonly revision: string;
  readonly response: V;
  readonly filledAt: number;
}

/** The bounds of a {@link ResponseCache}, and how it judges a response. */
export interface ResponseCacheOptions<V> {
  /** Most responses to keep; 0 = no response is kept. */
  readonly maxEntries: number;
  /** Bytes of memory for all responses together. A response that needs more is not kept. 0 = no response is kept. */
  readonly maxBytes: number;
  /** Returns the memory that a response needs, in bytes. Called when it is cached, not when it is read. */
  readonly sizeOf: (response: V) => number;
  /** Returns whether to keep a response that is not in the cache. Called with its key each time it was read. */
  readonly admits: (cacheKey: string) => boolean;
  /** Milliseconds on a clock that never goes back. */
  readonly now: () => number;
}

/**
 * Caches rendered responses. A cached response is returned only after Redis has confirmed, in the same read, that the guild is still at
 * the revision that it shows, so it is never stale. Evicts the least recently used entry.
 */
export class ResponseCache<V> {
  private hits = 0;
  private misses = 0;
  /** Counts the calls of {@link clear} and {@link forget}: what was read before them is not kept. */
  private epoch = 0;
  private readonly entries: LRUCache<string, Entry<V>> | undefined;

  constructor(private readonly options: ResponseCacheOptions<V>) {
    const { maxEntries, maxBytes, sizeOf } = options;
    // lru-cache takes 0 as "no limit".
    if (maxEntries === 0 || maxBytes === 0) return;
    const sizeCalculation = ({ response }: Entry<V>, cacheKey: string) => cacheKey.length + sizeOf(response);
    this.entries = new LRUCache({ max: maxEntries, maxSize: maxBytes, sizeCalculation });
  }

  /** Reads in one round trip. Does not reject: an error is a part of the result. */
  async load(read: CacheableRead<V>, commands: Pick<CommandBatcher, 'read'>): Promise<ReadResult<V>> {
    const { epoch } = this;
    const now = this.options.now();
    const entry = this.entries?.get(read.cacheKey);
    const cached = entry && now - entry.filledAt < MAX_AGE_MS ? entry : undefined;
    try {
      const versioned = await commands.read(read.command, cached?.revision);
      if (cached && versioned === undefined) {
        this.hits++;
        return { response: cached.response, error: undefined };
      }
      const { revision, value } = versioned as Versioned<unknown>;
      this.misses++;
      const response = read.render(value);
      const isWanted = entry !== undefined || this.options.admits(read.cacheKey);
      if (isWanted && revision !== '' && epoch === this.epoch)
        this.entries?.set(read.cacheKey, { guildId: read.command.guildId, revision, response, filledAt: now });
      return { response, error: undefined };
    } catch (error) {
      return { response: undefined, error };
    }
  }

  /**
   * Drops all responses. A Redis that lost writes, or a guild that was deleted, can come to a revision a second time when a writer raises it
   * by a fixed number.
   */
  clear(): void {
    this.entries?.clear();
    this.epoch++;
  }

  /** Drops the responses of one guild, as {@link clear} does. O(all responses). */
  forget(guildId: string): void {
    for (const [cacheKey, entry] of [...(this.entries?.entries() ?? [])]) {
      if (entry.guildId === guildId) this.entries?.delete(cacheKey);
    }
    this.epoch++;
  }

  /** Returns the number of reads answered from the cache, the number of all other reads, and the number of responses in the cache. */
  counts(): { hits: number; misses: number; entries: number } {
    return { hits: this.hits, misses: this.misses, entries: this.entries?.size ?? 0 };
  }
}
