import { setTimeout as delay } from 'node:timers/promises';
import { WindowedLatency } from './latency.ts';
import { LoadConnection } from './load-connection.ts';
import type { LoadPlan, LoadResult } from './load-plan.ts';
import { RateSchedule } from './rate-schedule.ts';

/** Time limit for the last answers. */
const LAST_ANSWERS_MS = 5000;

/** Sends requests and counts answers: a closed loop without a rate, an open loop with one. */
class Load {
  /** Latency of the requests that fell due in the measured time. */
  readonly latency = new WindowedLatency();
  readonly failures: Record<string, number> = {};
  answered = 0;
  private inFlight = 0;
  private readonly idle: LoadConnection[] = [];
  private next: number;
  private measuredFrom = Number.POSITIVE_INFINITY;
  private stopped = false;
  /** Sends what has fallen due; set while an open loop runs. */
  private sendDue: (() => void) | undefined;

  constructor(private readonly plan: LoadPlan) {
    this.next = plan.from % plan.requests.length;
  }

  async open(): Promise<void> {
    for (let n = 0; n < this.plan.connections; n++) {
      this.idle.push(await LoadConnection.open(this.plan.port, this.onAnswer, this.onLost));
    }
  }

  /** Runs the load and returns the seconds that were measured. */
  async run(onEdge: (edge: 'start' | 'end') => void): Promise<number> {
    const { seconds, settleSeconds = 0, rate } = this.plan;
    const startedAt = performance.now();
    const endsAt = startedAt + (settleSeconds + seconds) * 1000;
    const beginMeasuring = () => {
      onEdge('start');
      this.measuredFrom = performance.now();
    };
    const settled = settleSeconds === 0 ? beginMeasuring() : delay(settleSeconds * 1000).then(beginMeasuring);
    if (rate === undefined) {
      while (this.idle.length > 0) this.send(this.idle.pop() as LoadConnection, performance.now());
      await delay(endsAt - startedAt);
    } else {
      await this.runAtRate(rate / 1000, startedAt, endsAt);
    }
    await settled;
    this.stopped = true;
    const measured = (Math.min(performance.now(), endsAt) - this.measuredFrom) / 1000;
    onEdge('end');
    return measured;
  }

  async close(): Promise<void> {
    const deadline = performance.now() + LAST_ANSWERS_MS;
    while (this.inFlight > 0 && performance.now() < deadline) await delay(5);
    if (this.inFlight > 0) this.fail('lost', this.inFlight);
    for (const connection of this.idle) connection.close();
  }

  /** Sends at a fixed rate. A request that waits for a free connection is timed from when it fell due. */
  private async runAtRate(perMs: number, startedAt: number, endsAt: number): Promise<void> {
    const schedule = new RateSchedule(perMs, startedAt);
    const waiting: number[] = [];
    this.sendDue = () => {
      const now = Math.min(performance.now(), endsAt);
      for (let due = schedule.takeDue(now); due > 0; due--) waiting.push(now);
      while (waiting.length > 0 && this.idle.length > 0) {
        // In turn: a server closes a connection that is idle for too long.
        this.send(this.idle.shift() as LoadConnection, waiting.shift() as number);
      }
    };
    const deadline = endsAt + LAST_ANSWERS_MS;
    while (performance.now() < endsAt || (waiting.length > 0 && performance.now() < deadline)) {
      this.sendDue();
      await delay(1);
    }
    this.sendDue = undefined;
    if (waiting.length > 0) this.fail('not sent: every connection was busy', waiting.length);
  }

  private send(connection: LoadConnection, dueAt: number): void {
    connection.send(this.plan.requests[this.next] as Buffer, dueAt);
    this.inFlight++;
    this.next = this.next + 1 === this.plan.requests.length ? 0 : this.next + 1;
  }

  private readonly onAnswer = (connection: LoadConnection, status: number): void => {
    const now = performance.now();
    this.inFlight--;
    if (!this.stopped) this.count(connection, status, now);
    if (!this.stopped && this.plan.rate === undefined) {
      this.send(connection, now);
    } else {
      this.idle.push(connection);
      this.sendDue?.();
    }
  };

  private count({ dueAt }: LoadConnection, status: number, now: number): void {
    if (!((status >= 200 && status < 300) || status === 304)) {
      this.fail(String(status), 1);
    } else if (dueAt >= this.measuredFrom) {
      this.answered++;
      this.latency.record(now - this.measuredFrom, now - dueAt);
    }
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

  private fail(reason: string, count: number): void {
    this.failures[reason] = (this.failures[reason] ?? 0) + count;
  }
}

/**
 * Puts load on a server and measures the answers.
 * @param onEdge called when the measured time begins and ends, to read other meters at the same moments.
 * @throws if the server cannot be reached.
 */
export async function runLoad(plan: LoadPlan, onEdge: (edge: 'start' | 'end') => void = () => {}): Promise<LoadResult> {
  const load = new Load(plan);
  await load.open();
  const seconds = await load.run(onEdge);
  await load.close();
  const { answered, failures, latency } = load;
  return { answered, failures, seconds, latency: latency.total(), windows: latency.windows() };
}
