import type { Identity } from '../access/authenticator.ts';
import type { QuotaState, Quotas } from '../access/quotas.ts';
import type { TimeoutQueue } from '../redis/timeouts.ts';
import type { ResponseCache, Want } from './response-cache.ts';

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
  private tickets: Ticket<V>[] = [];
  private immediate: NodeJS.Immediate | undefined;

  constructor(
    private readonly quotas: Quotas,
    private readonly cache: ResponseCache<V>,
    private readonly deadlines: TimeoutQueue,
  ) {}

  add(order: Order<V>): void {
    if (this.tickets.length === 0) this.immediate = setImmediate(this.flush);
    this.tickets.push(new Ticket(order));
    if (this.tickets.length === MAX_ORDERS) this.flush();
  }

  private readonly flush = (): void => {
    clearImmediate(this.immediate);
    const { tickets } = this;
    this.tickets = [];
    const round = new Round(tickets, this.deadlines);
    for (const guild of groups(tickets, sameQuota)) {
      void this.count(guild, round);
      for (const group of groups(guild, sameWant)) void this.read(group, round);
    }
  };

  /** Counts the requests of one guild. */
  private async count(group: readonly Ticket<V>[], round: Round<V>): Promise<void> {
    const { guildId, plan } = (group[0] as Ticket<V>).identity;
    let states: readonly QuotaState[];
    try {
      states = await this.quotas.consume(guildId, plan, group.length);
    } catch (error) {
      round.fail(group, error);
      return;
    }
    for (let i = 0; i < group.length; i++) {
      const ticket = group[i] as Ticket<V>;
      ticket.quota = states[i];
      round.settle(ticket);
    }
  }

  /** Reads what all of the group want. */
  private async read(group: readonly Ticket<V>[], round: Round<V>): Promise<void> {
    const { want } = group[0] as Ticket<V>;
    let answer: Answer<V>;
    try {
      answer = { view: want && (await this.cache.get(want)), error: undefined };
    } catch (error) {
      answer = { view: undefined, error };
    }
    for (const ticket of group) {
      ticket.answer = answer;
      round.settle(ticket);
    }
  }
}

/** Two plans of one guild, while a change of plan is under way, have limits of their own on the same counter. */
function sameQuota({ identity: a }: Ticket<unknown>, { identity: b }: Ticket<unknown>): boolean {
  return a.guildId === b.guildId && a.plan === b.plan;
}

function sameWant({ want: a }: Ticket<unknown>, { want: b }: Ticket<unknown>): boolean {
  return a?.key === b?.key;
}

/** Items that belong together, in the order of their first: a handful, compared each with each. */
function groups<T>(items: readonly T[], together: (a: T, b: T) => boolean): T[][] {
  const found: T[][] = [];
  for (const item of items) {
    let at = 0;
    while (at < found.length && !together((found[at] as T[])[0] as T, item)) at++;
    if (at < found.length) (found[at] as T[]).push(item);
    else found.push([item]);
  }
  return found;
}

/** What a read gave. */
interface Answer<V> {
  readonly view: V | undefined;
  readonly error: unknown;
}

/** An order, and what is there of what it waits for. */
class Ticket<V> {
  readonly identity: Identity;
  readonly want: Want<V> | undefined;
  quota: QuotaState | undefined;
  answer: Answer<V> | undefined;
  private order: Order<V> | undefined;

  constructor(order: Order<V>) {
    this.order = order;
    this.identity = order.identity;
    this.want = order.want;
  }

  /**
   * The order, once. A settled one is not held on to: what still holds the ticket would see its request into the old
   * generation of the garbage collector, for a tenth of the throughput.
   */
  take(): Order<V> | undefined {
    const { order } = this;
    this.order = undefined;
    return order;
  }
}

/** Orders served together. Each is settled once, in time: when its count and its answer are there. */
class Round<V> {
  private readonly release: () => void;
  private open: number;

  constructor(tickets: readonly Ticket<V>[], deadlines: TimeoutQueue) {
    this.open = tickets.length;
    this.release = deadlines.add((error) => this.fail(tickets, error));
  }

  settle(ticket: Ticket<V>): void {
    const { quota, answer } = ticket;
    if (!quota || !answer) return;
    const order = this.close(ticket);
    if (answer.error === undefined) order?.done(quota, answer.view);
    else order?.failed(answer.error, quota);
  }

  /** Fails those that are still open. */
  fail(tickets: readonly Ticket<V>[], error: unknown): void {
    for (const ticket of tickets) this.close(ticket)?.failed(error, ticket.quota);
  }

  private close(ticket: Ticket<V>): Order<V> | undefined {
    const order = ticket.take();
    if (order && --this.open === 0) this.release();
    return order;
  }
}
