import { setTimeout as delay } from 'node:timers/promises';
import { AggregatorRegistry, type Registry } from 'prom-client';
import type { MetricsJson } from './messages.ts';

/** How long a scrape waits for workers. Prometheus itself waits ten seconds by default. */
const COLLECT_MS = 500;

interface AskedWorker {
  readonly id: number;
  /** Asks for metrics; {@link WorkerMetrics.receive} takes them. */
  readonly ask: (round: number) => void;
}

/**
 * Adds up the metrics of the workers. A worker that does not answer in time, or that has ended, counts with the totals that it sent last: a sum of
 * counters never falls, because Prometheus would read that as a restart.
 */
export class WorkerMetrics {
  private round = 0;
  private readonly latest = new Map<number, { readonly round: number; readonly metrics: MetricsJson }>();
  /** Totals of all workers that have ended. */
  private ended: MetricsJson = [];
  private onReceive = (): void => {};
  private collecting: Promise<string> | undefined;

  /** @param own metrics of this process, which are added. */
  constructor(private readonly own: Registry) {}

  receive(workerId: number, round: number, metrics: MetricsJson): void {
    this.latest.set(workerId, { round, metrics });
    this.onReceive();
  }

  /** Adds the totals of a worker that has ended to the totals of all workers that have ended. */
  end(workerId: number): void {
    const last = this.latest.get(workerId);
    if (!last) return;
    this.latest.delete(workerId);
    const sums = AggregatorRegistry.aggregate([this.ended, totalsOf(last.metrics)]);
    this.ended = sums.getMetricsAsArray() as unknown as MetricsJson;
  }

  /** Returns the sums in the Prometheus format. Takes at most half a second. @param workers the workers that can answer. */
  collect(workers: readonly AskedWorker[]): Promise<string> {
    this.collecting ??= this.collectNow(workers).finally(() => {
      this.collecting = undefined;
    });
    return this.collecting;
  }

  private async collectNow(workers: readonly AskedWorker[]): Promise<string> {
    const round = ++this.round;
    const hasAnswered = ({ id }: AskedWorker) => (this.latest.get(id)?.round ?? 0) >= round;
    const answered = new Promise<void>((resolve) => {
      this.onReceive = () => {
        if (workers.every(hasAnswered)) resolve();
      };
      for (const worker of workers) worker.ask(round);
      this.onReceive();
    });
    await Promise.race([answered, delay(COLLECT_MS, undefined, { ref: false })]);
    const current = [...this.latest.values()].map((sent) =>
      sent.round >= round ? sent.metrics : totalsOf(sent.metrics),
    );
    const own = await this.own.getMetricsAsJSON();
    return AggregatorRegistry.aggregate([own, this.ended, ...current]).metrics();
  }
}

/** Returns the metrics whose sums only rise. */
function totalsOf(metrics: MetricsJson): MetricsJson {
  return metrics.filter(({ type }) => String(type) === 'counter' || String(type) === 'histogram');
}
