import type { Identity } from '../access/authenticator.ts';
import type { QuotaState, Quotas } from '../access/quotas.ts';
import type { Usage } from '../access/usage.ts';
import type { CommandBatcher } from '../redis/command-batcher.ts';
import type { CacheableRead, ResponseCache } from './response-cache.ts';

/** The result of one request: the state of its guild's quota, and the response or the error of its read. */
export interface LoadResult<V> {
  readonly quota: QuotaState;
  /** Undefined when nothing was to be read, or when the read failed. */
  readonly response: V | undefined;
  readonly error: unknown;
}

/** A request that waits for its batch. */
interface PendingRequest<V> {
  readonly identity: Identity;
  readonly read: CacheableRead<V> | undefined;
  readonly resolve: (result: LoadResult<V>) => void;
  readonly reject: (error: unknown) => void;
}

/** Requests of one batch. Smaller batches cost more commands, larger ones make this process and Redis wait for each other (docs/adr/0006). */
const MAX_BATCH_SIZE = 32;

/**
 * Collects the requests that the event loop takes in during one round of I/O and serves them as one batch: one count for all requests
 * of a guild, one read for equal ones, all in one Redis command (docs/adr/0006). A request joins a read before it is sent, so the response
 * is as fresh for each of them.
 */
export class RequestBatcher<V> {
  private pending: PendingRequest<V>[] = [];
  private scheduled: NodeJS.Immediate | undefined;

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
      if (this.pending.length === 0) this.scheduled = setImmediate(this.dispatch);
      this.pending.push({ identity, read, resolve, reject });
      if (this.pending.length === MAX_BATCH_SIZE) this.dispatch();
    });
  }

  private readonly dispatch = (): void => {
    clearImmediate(this.scheduled);
    const batch = this.pending;
    this.pending = [];
    this.commands.collect(() => {
      for (const requests of groupBy(batch, hasSameQuota)) {
        const { guildId, plan } = (requests[0] as PendingRequest<V>).identity;
        const counting = this.quotas.consume(guildId, plan, requests.length);
        counting.then(
          (states) => this.usage.count(requests, states),
          // Each group handles a failure where it awaits the count; until then Node must not report it as unhandled.
          () => {},
        );
        for (const group of groupBy(requests, hasSameRead)) void this.settle(group, requests, counting);
      }
    });
  };

  /**
   * Reads for a group of equal requests, and settles each of them.
   * @param counted all requests of their guild, in the order of their count.
   */
  private async settle(
    group: readonly PendingRequest<V>[],
    counted: readonly PendingRequest<V>[],
    counting: Promise<readonly QuotaState[]>,
  ): Promise<void> {
    const { read } = group[0] as PendingRequest<V>;
    let response: V | undefined;
    let error: unknown;
    try {
      response = read && (await this.cache.load(read, this.commands));
    } catch (failure) {
      error = failure;
    }
    try {
      const states = await counting;
      for (const request of group) {
        request.resolve({ quota: states[counted.indexOf(request)] as QuotaState, response, error });
      }
    } catch (failure) {
      for (const request of group) request.reject(failure);
    }
  }
}

/** The parts of a pending request that are compared. */
interface Comparable {
  readonly identity: Identity;
  readonly read: { readonly cacheKey: string } | undefined;
}

/** Compares quotas. While a change of plan is under way, a guild's requests can have two limits on the same counter. */
function hasSameQuota({ identity: a }: Comparable, { identity: b }: Comparable): boolean {
  return a.guildId === b.guildId && a.plan === b.plan;
}

function hasSameRead({ read: a }: Comparable, { read: b }: Comparable): boolean {
  return a?.cacheKey === b?.cacheKey;
}

/** Groups items that are the same, in the order of their first. O(n * groups), for the few items of a batch. */
function groupBy<T>(items: readonly T[], same: (a: T, b: T) => boolean): T[][] {
  const groups: T[][] = [];
  for (const item of items) {
    let i = 0;
    while (i < groups.length && !same((groups[i] as T[])[0] as T, item)) i++;
    if (i < groups.length) (groups[i] as T[]).push(item);
    else groups.push([item]);
  }
  return groups;
}
