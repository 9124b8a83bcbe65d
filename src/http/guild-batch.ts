import type { Identity } from '../access/authenticator.ts';
import type { QuotaState, Quotas } from '../access/quotas.ts';
import type { PageCache, Want } from '../leaderboard/page-cache.ts';
import type { Deadlines } from './deadlines.ts';

/** One request that waits for its count and, perhaps, for an answer. */
export interface Order<V> {
  readonly identity: Identity;
  /** What it wants to read; undefined when it is only to be counted. */
  readonly want: Want<V> | undefined;
  /** Called once: with what is left of the quota and the answer wanted. */
  done(quota: QuotaState, view: V | undefined): void;
  /** Called once instead when the store failed or took too long; with the quota when at least the count is known. */
  failed(error: unknown, quota: QuotaState | undefined): void;
}

/**
 * Collects the requests that the event loop takes in during one round of I/O and serves them guild by guild when the round
 * is done: one count for all of a guild's requests, which also confirms the pages held of it; one read for equal ones that are not
 * held; all of it in one write to Redis.
 * Whoever joins a read joined before it was sent, so the answer is as fresh for all of them (docs/adr/0006).
 */
export class GuildBatch<V> {
  private groups = new Map<string, Order<V>[]>();

  constructor(
    private readonly quotas: Quotas,
    private readonly cache: PageCache<V>,
    private readonly deadlines: Deadlines,
    /** Runs a function so that all it sends to Redis leaves in one write. */
    private readonly inOneWrite: (send: () => void) => void,
  ) {}

  add(order: Order<V>): void {
    const { guildId, plan } = order.identity;
    if (this.groups.size === 0) setImmediate(this.flush);
    const group = this.groups.get(guildId);
    if (group?.[0]?.identity.plan === plan) group.push(order);
    else if (!group) this.groups.set(guildId, [order]);
    // A plan changed within the round: its requests go one by one, to another limiter on the same counter.
    else this.groups.set(`${guildId} ${plan} ${this.groups.size}`, [order]);
  }

  private readonly flush = (): void => {
    const groups = [...this.groups.values()];
    this.groups = new Map();
    this.inOneWrite(() => {
      for (const group of groups) void this.serve(new Group(group, this.deadlines));
    });
  };

  private async serve(group: Group<V>): Promise<void> {
    const { guildId, plan } = group.identity;
    const counting = this.quotas.consume(guildId, plan, group.size);
    const wants = group.wants();
    const revision = counting.then((count) => count.revision);
    const views = this.cache.getAll(
      wants.map(({ want }) => want),
      revision,
    );
    // Looked at only after the count; until then a failure must not count as unhandled.
    for (const promise of [revision, ...views]) promise.catch(() => {});
    try {
      group.counted((await counting).states);
    } catch (error) {
      group.failed(error);
      return;
    }
    for (const [index, { readers }] of wants.entries()) {
      (views[index] as Promise<V>).then(
        (view) => group.answer(readers, view),
        (error) => group.fail(readers, error),
      );
    }
  }
}

/** The requests of one guild in one round. Each is settled once, in time. */
class Group<V> {
  private readonly orders: (Order<V> | undefined)[];
  private readonly release: () => void;
  private states: readonly QuotaState[] = [];
  private open: number;

  constructor(orders: readonly Order<V>[], deadlines: Deadlines) {
    this.orders = [...orders];
    this.open = orders.length;
    this.release = deadlines.hold((error) => this.failed(error));
  }

  get identity(): Identity {
    return (this.orders[0] as Order<V>).identity;
  }

  get size(): number {
    return this.orders.length;
  }

  /** What is wanted, each once, with the places of the orders that want it. */
  wants(): { want: Want<V>; readers: number[] }[] {
    const wanted = new Map<string, { want: Want<V>; readers: number[] }>();
    for (const [index, order] of this.orders.entries()) {
      if (!order?.want) continue;
      const same = wanted.get(order.want.key);
      if (same) same.readers.push(index);
      else wanted.set(order.want.key, { want: order.want, readers: [index] });
    }
    return [...wanted.values()];
  }

  /** Tells the orders' counts, and settles those that wanted no more. */
  counted(states: readonly QuotaState[]): void {
    this.states = states;
    for (let index = 0; index < this.orders.length; index++) {
      if (!this.orders[index]?.want) this.settle(index)?.done(states[index] as QuotaState, undefined);
    }
  }

  answer(readers: readonly number[], view: V): void {
    for (const index of readers) this.settle(index)?.done(this.states[index] as QuotaState, view);
  }

  fail(readers: readonly number[], error: unknown): void {
    for (const index of readers) this.settle(index)?.failed(error, this.states[index]);
  }

  /** Fails all that are still open. */
  failed(error: unknown): void {
    this.fail([...this.orders.keys()], error);
  }

  private settle(index: number): Order<V> | undefined {
    const order = this.orders[index];
    if (order) {
      this.orders[index] = undefined;
      if (--this.open === 0) this.release();
    }
    return order;
  }
}
