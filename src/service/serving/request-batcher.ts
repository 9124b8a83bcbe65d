import type { Identity } from '../../core/access/authenticator.ts';
import type { QuotaState, Quotas } from '../../core/access/quotas.ts';
import type { Usage } from '../../core/access/usage.ts';
import type { CommandBatcher } from '../../core/reads/command-batcher.ts';
import type { CacheableRead, ReadResult, ResponseCache } from './response-cache.ts';

/** The result of one request: the state of its guild's quota, and the result of its read. */
export interface LoadResult<V> extends ReadResult<V> {
  readonly quota: QuotaState;
}

/** A request that waits for its batch. */
interface PendingRequest<V> {
  readonly identity: Identity;
  readonly read: CacheableRead<V> | undefined;
  readonly resolve: (result: LoadResult<V>) => void;
  readonly reject: (error: unknown) => void;
}

/** A read that waits for the batch, and for which nothing is counted. */
interface PendingRead<V> {
  readonly read: CacheableRead<V>;
  readonly resolve: (result: Promise<ReadResult<V>>) => void;
}

/** Most requests of a batch. Smaller batches cost more commands. Larger batches make this process and Redis wait for each other (docs/adr/0006). */
const MAX_BATCH_SIZE = 32;

/**
 * Collects the requests that the event loop takes in during one round of I/O and serves them as one batch: a count for all requests of a guild, and a
 * count for each API key with a cap; a read for all requests of the same data; and all this in one Redis command (docs/adr/0006). A request joins a
 * read only before the read is sent, so that the response is equally fresh for each request.
 */
export class RequestBatcher<V> {
  private pending: PendingRequest<V>[] = [];
  private pendingReads: PendingRead<V>[] = [];
  private scheduled: NodeJS.Immediate | undefined;
  private uncountedReads = 0;

  constructor(
    private readonly quotas: Quotas,
    private readonly usage: Pick<Usage, 'count'>,
    private readonly cache: ResponseCache<V>,
    private readonly commands: CommandBatcher,
  ) {}

  /**
   * Counts a request of the identity's guild and reads its response.
   * @param read undefined for a request that is only counted.
   * @throws StoreUnavailableError when the request could not be counted.
   */
  load(identity: Identity, read: CacheableRead<V> | undefined): Promise<LoadResult<V>> {
    return new Promise((resolve, reject) => {
      this.schedule();
      this.pending.push({ identity, read, resolve, reject });
      if (this.pending.length === MAX_BATCH_SIZE) this.dispatch();
    });
  }

  /** Returns the number of calls of {@link read} so far. */
  uncounted(): number {
    return this.uncountedReads;
  }

  /** Reads a response and counts nothing. Does not reject: an error is a part of the result. */
  read(read: CacheableRead<V>): Promise<ReadResult<V>> {
    return new Promise((resolve) => {
      this.schedule();
      this.uncountedReads++;
      this.pendingReads.push({ read, resolve });
      if (this.pendingReads.length === MAX_BATCH_SIZE) this.dispatch();
    });
  }

  private schedule(): void {
    if (this.pending.length + this.pendingReads.length === 0) this.scheduled = setImmediate(this.dispatch);
  }

  private readonly dispatch = (): void => {
    clearImmediate(this.scheduled);
    const { pending: batch, pendingReads: reads } = this;
    this.pending = [];
    this.pendingReads = [];
    this.commands.collect(() => {
      for (const { first, items: requests } of groupBy(batch, hasSameQuota)) {
        const counting = this.quotas.consume(first.identity, requests.length);
        for (const group of groupBy(requests, hasSameRead)) void this.settle(group, requests, counting);
      }
      for (const { first, items } of groupBy(reads, hasSameRead)) {
        const loading = this.cache.load(first.read, this.commands);
        for (const { resolve } of items) resolve(loading);
      }
    });
  };

  /**
   * Reads for a group of equal requests, and settles each of them.
   * @param counted all requests of their guild, in the order of their count.
   */
  private async settle(
    { first: { read }, items }: Group<PendingRequest<V>>,
    counted: readonly PendingRequest<V>[],
    counting: Promise<readonly QuotaState[]>,
  ): Promise<void> {
    const loading = read && this.cache.load(read, this.commands);
    try {
      const states = await counting;
      const loaded = await loading;
      for (const request of items) {
        const quota = states[counted.indexOf(request)] as QuotaState;
        this.usage.count(request.identity, quota.allowed);
        request.resolve({ quota, response: loaded?.response, error: loaded?.error });
      }
    } catch (failure) {
      for (const request of items) request.reject(failure);
    }
  }
}

type Comparable = Pick<PendingRequest<unknown>, 'identity' | 'read'>;

/**
 * Compares quotas. While a change of plan is under way, a guild's requests can have two limits on the same counter. Each API key with a cap
 * has a counter of its own beside it.
 */
function hasSameQuota({ identity: a }: Comparable, { identity: b }: Comparable): boolean {
  return a.guildId === b.guildId && a.plan === b.plan && a.cap === b.cap && (a.cap === null || a.keyId === b.keyId);
}

function hasSameRead({ read: a }: Pick<Comparable, 'read'>, { read: b }: Pick<Comparable, 'read'>): boolean {
  return a?.cacheKey === b?.cacheKey;
}

/** Items that are the same. */
interface Group<T> {
  readonly first: T;
  readonly items: T[];
}

/** Groups items that are the same, in the order of their first. O(n * groups), for the few items of a batch. */
function groupBy<T>(items: readonly T[], same: (a: T, b: T) => boolean): Group<T>[] {
  const groups: Group<T>[] = [];
  for (const item of items) {
    const group = groups.find(({ first }) => same(first, item));
    if (group) group.items.push(item);
    else groups.push({ first: item, items: [item] });
  }
  return groups;
}
