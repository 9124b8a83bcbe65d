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
 * So many requests are served without waiting for more: Redis works on them while this process takes in the next. With
 * all of a round of I/O in one batch the two take turns, which costs a quarter of the throughput (docs/adr/0006).
 */
const MAX_ORDERS = 16;

/**
 * Collects the requests that the event loop takes in during one round of I/O and serves them together: one count for
 * all requests of a guild, and one read for equal ones. Whoever joins a read joined before it was sent, so the answer is
 * as fresh for all of them (docs/adr/0006).
 */
export class GuildBatch<V> {
  private orders: Order<V>[] = [];
  private immediate: NodeJS.Immediate | undefined;

  constructor(
    private readonly quotas: Quotas,
    private readonly cache: PageCache<V>,
    private readonly deadlines: Deadlines,
  ) {}

  add(order: Order<V>): void {
    if (this.orders.length === 0) this.immediate = setImmediate(this.flush);
    this.orders.push(order);
    if (this.orders.length === MAX_ORDERS) this.flush();
  }

  private readonly flush = (): void => {
    clearImmediate(this.immediate);
    const { orders } = this;
    this.orders = [];
    const round = new Round(orders, this.deadlines);
    for (const same of groups(orders, sameQuota)) {
      const { guildId, plan } = (orders[same[0] as number] as Order<V>).identity;
      this.quotas.consume(guildId, plan, same.length).then(
        (states) => round.counted(same, states),
        (error) => round.failed(same, error),
      );
    }
    for (const same of groups(orders, sameWant)) {
      const { want } = orders[same[0] as number] as Order<V>;
      if (want) {
        this.cache.get(want).then(
          (view) => round.answered(same, { view }),
          (error) => round.answered(same, { error }),
        );
      } else round.answered(same, { view: undefined });
    }
  };
}

/** Two plans of one guild, while a change of plan is under way, have limits of their own on the same counter. */
function sameQuota({ identity: a }: Order<unknown>, { identity: b }: Order<unknown>): boolean {
  return a.guildId === b.guildId && a.plan === b.plan;
}

function sameWant({ want: a }: Order<unknown>, { want: b }: Order<unknown>): boolean {
  return a?.key === b?.key;
}

/** The places of items that belong together, in the order of their first: a handful, compared each with each. */
function groups<T>(items: readonly T[], together: (a: T, b: T) => boolean): number[][] {
  const found: number[][] = [];
  for (const [place, item] of items.entries()) {
    const group = found.find(([first]) => together(items[first as number] as T, item));
    if (group) group.push(place);
    else found.push([place]);
  }
  return found;
}

/** What a read gave. */
type Answer<V> = { readonly view: V | undefined } | { readonly error: unknown };

/** Orders served together. Each is settled once, in time: when its count and its answer are there. */
class Round<V> {
  private readonly orders: (Order<V> | undefined)[];
  private readonly states: (QuotaState | undefined)[];
  private readonly answers: (Answer<V> | undefined)[];
  private readonly release: () => void;
  private open: number;

  constructor(orders: readonly Order<V>[], deadlines: Deadlines) {
    this.orders = [...orders];
    this.states = orders.map(() => undefined);
    this.answers = orders.map(() => undefined);
    this.open = orders.length;
    // Of this.orders, which forgets what is settled: a hold on the orders themselves would see requests into the old
    // generation of the garbage collector, for a tenth of the throughput.
    this.release = deadlines.hold((error) => this.failed([...this.orders.keys()], error));
  }

  /** The orders at these places are counted, in this order. */
  counted(places: readonly number[], states: readonly QuotaState[]): void {
    for (const [index, place] of places.entries()) {
      this.states[place] = states[index];
      this.settle(place);
    }
  }

  /** What the orders at these places wanted is there, or could not be read. */
  answered(places: readonly number[], answer: Answer<V>): void {
    for (const place of places) {
      this.answers[place] = answer;
      this.settle(place);
    }
  }

  /** Fails those of the orders at these places that are still open. */
  failed(places: readonly number[], error: unknown): void {
    for (const place of places) this.close(place)?.failed(error, this.states[place]);
  }

  private settle(place: number): void {
    const state = this.states[place];
    const answer = this.answers[place];
    if (!state || !answer) return;
    if ('error' in answer) this.close(place)?.failed(answer.error, state);
    else this.close(place)?.done(state, answer.view);
  }

  private close(place: number): Order<V> | undefined {
    const order = this.orders[place];
    if (order) {
      this.orders[place] = undefined;
      if (--this.open === 0) this.release();
    }
    return order;
  }
}
