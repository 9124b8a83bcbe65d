import { setTimeout as delay } from 'node:timers/promises';
import { Histogram } from './histogram.ts';
import { LoadConnection } from './load-connection.ts';

/** What to send, where, for how long. */
export interface LoadPlan {
  readonly port: number;
  readonly requests: readonly Buffer[];
  /** Index of the first request to send; the row is gone through from there, round and round. */
  readonly from: number;
  readonly connections: number;
  /** How long the load is on before the measured time begins: what is answered then does not count, what fails does. */
  readonly settleSeconds?: number;
  readonly seconds: number;
  /** Requests a second; without it each connection sends its next request when it has its answer. */
  readonly rate?: number;
}

export interface LoadResult {
  /** Answers with 2xx or 304. */
  readonly answered: number;
  /** How many requests had which other status, or none ("lost"). */
  readonly failures: Readonly<Record<string, number>>;
  readonly seconds: number;
  readonly latency: Histogram;
  /** The same by the tenth of a second in which the answer came. */
  readonly windows: readonly Histogram[];
}

/** Length of a window. */
const WINDOW_MS = 100;

/** How long the last answers may take to come. */
const LAST_ANSWERS_MS = 5000;
/** What fell due while the generator itself did not run for longer than this is left out: sent at once, it would be a load nobody asked for. */
const OVERSLEPT_MS = 5;

/** Sends requests and counts answers. Closed loop without a rate, open loop with one. */
class Load {
  /** Of requests due since the measured time began. */
  readonly latency = new Histogram();
  readonly windows: Histogram[] = [];
  readonly failures: Record<string, number> = {};
  answered = 0;
  inFlight = 0;
  private readonly idle: LoadConnection[] = [];
  private next: number;
  private measuredFrom = Number.POSITIVE_INFINITY;
  private stopped = false;

  constructor(private readonly plan: LoadPlan) {
    this.next = plan.from % plan.requests.length;
  }

  async open(): Promise<void> {
    for (let n = 0; n < this.plan.connections; n++) {
      this.idle.push(await LoadConnection.open(this.plan.port, this.onAnswer, this.onLost));
    }
  }

  /** @returns the seconds that were measured. */
  async run(onWindow: (edge: 'start' | 'end') => void): Promise<number> {
    const { seconds, settleSeconds = 0, rate } = this.plan;
    const startedAt = performance.now();
    const endsAt = startedAt + (settleSeconds + seconds) * 1000;
    const open = () => {
      onWindow('start');
      this.measuredFrom = performance.now();
    };
    const settled = settleSeconds === 0 ? open() : delay(settleSeconds * 1000).then(open);
    if (rate === undefined) {
      while (this.idle.length > 0) this.send(this.idle.pop() as LoadConnection, performance.now());
      await delay(endsAt - startedAt);
    } else {
      await this.runAtRate(rate / 1000, startedAt, endsAt);
    }
    await settled;
    this.stopped = true;
    const measured = (Math.min(performance.now(), endsAt) - this.measuredFrom) / 1000;
    onWindow('end');
    return measured;
  }

  async close(): Promise<void> {
    const patience = performance.now() + LAST_ANSWERS_MS;
    while (this.inFlight > 0 && performance.now() < patience) await delay(5);
    if (this.inFlight > 0) this.fail('lost', this.inFlight);
    for (const connection of this.idle) connection.close();
  }

  /**
   * A request falls due every 1 / `perMs` milliseconds and is timed from then on if no connection is free, so a server that
   * falls behind is charged for the wait. A timer's own lateness is the generator's and is not charged.
   */
  private async runAtRate(perMs: number, startedAt: number, endsAt: number): Promise<void> {
    let dueBy = startedAt;
    let owed = 0;
    const waiting: number[] = [];
    this.release = () => {
      const now = Math.min(performance.now(), endsAt);
      owed += Math.min(Math.max(now - dueBy, 0), OVERSLEPT_MS) * perMs;
      dueBy = Math.max(dueBy, now);
      for (; owed >= 1; owed--) waiting.push(now);
      while (waiting.length > 0 && this.idle.length > 0) {
        // In turn, so that none stays idle for so long that the server closes it.
        this.send(this.idle.shift() as LoadConnection, waiting.shift() as number);
      }
    };
    const patience = endsAt + LAST_ANSWERS_MS;
    while (performance.now() < endsAt || (waiting.length > 0 && performance.now() < patience)) {
      this.release();
      await delay(1);
    }
    this.release = undefined;
    if (waiting.length > 0) this.fail('not sent: every connection was busy', waiting.length);
  }

  private release: (() => void) | undefined;

  private send(connection: LoadConnection, dueAt: number): void {
    connection.send(this.plan.requests[this.next] as Buffer, dueAt);
    this.inFlight++;
    this.next = this.next + 1 === this.plan.requests.length ? 0 : this.next + 1;
  }

  private readonly onAnswer = (connection: LoadConnection, status: number): void => {
    const now = performance.now();
    this.inFlight--;
    if (!this.stopped) {
      if ((status >= 200 && status < 300) || status === 304) {
        if (connection.dueAt >= this.measuredFrom) {
          this.answered++;
          this.latency.add(now - connection.dueAt);
          this.windowAt(now).add(now - connection.dueAt);
        }
      } else {
        this.fail(String(status), 1);
      }
    }
    if (!this.stopped && this.plan.rate === undefined) {
      this.send(connection, now);
    } else {
      this.idle.push(connection);
      this.release?.();
    }
  };

  private windowAt(now: number): Histogram {
    const index = Math.floor((now - this.measuredFrom) / WINDOW_MS);
    let window = this.windows[index];
    if (!window) {
      window = new Histogram();
      this.windows[index] = window;
    }
    return window;
  }

  private readonly onLost = (connection: LoadConnection): void => {
    const at = this.idle.indexOf(connection);
    if (at >= 0) {
      this.idle.splice(at, 1);
    } else {
      this.inFlight--;
      this.fail('lost', 1);
    }
  };

  private fail(why: string, count: number): void {
    this.failures[why] = (this.failures[why] ?? 0) + count;
  }
}

/**
 * Puts load on a server and measures what comes back.
 * @param onWindow called when the measured time begins and ends, to read other meters at the same moments.
 * @throws when the server cannot be reached.
 */
export async function putLoad(
  plan: LoadPlan,
  onWindow: (edge: 'start' | 'end') => void = () => {},
): Promise<LoadResult> {
  const load = new Load(plan);
  await load.open();
  const seconds = await load.run(onWindow);
  await load.close();
  const windows = load.windows.filter((window) => window !== undefined);
  return { answered: load.answered, failures: load.failures, seconds, latency: load.latency, windows };
}
