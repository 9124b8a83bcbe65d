import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import type { MetricsJson } from '../../../../src/service/workers/messages.ts';
import { WorkerMetrics } from '../../../../src/service/workers/worker-metrics.ts';

/** The metrics of a worker that served `requests` requests. */
async function metricsOf(requests: number): Promise<MetricsJson> {
  const registry = new Registry();
  const registers = [registry];
  new Counter({ name: 'requests_total', help: 'h', labelNames: ['status'], registers }).inc(
    { status: '200' },
    requests,
  );
  const times = new Histogram({ name: 'seconds', help: 'h', buckets: [1], registers });
  for (let i = 0; i < requests; i++) times.observe(0.5);
  new Gauge({ name: 'entries', help: 'h', registers }).set(10);
  return (await registry.getMetricsAsJSON()) as MetricsJson;
}

describe('WorkerMetrics', () => {
  function make() {
    const own = new Registry();
    new Gauge({ name: 'own', help: 'h', registers: [own] }).set(1);
    const metrics = new WorkerMetrics(own);
    const silent = (id: number) => ({ id, ask: () => {} });
    const answering = (id: number, json: MetricsJson) => ({
      id,
      ask: (round: number) => setImmediate(() => metrics.receive(id, round, json)),
    });
    return { metrics, silent, answering };
  }
  const values = (text: string) =>
    Object.fromEntries([...text.matchAll(/^(\w+)(?:\{[^}]*\})? (\d+)$/gm)].map(([, name, n]) => [name, Number(n)]));

  it('the metrics add up what the workers answer and what this process has', async () => {
    const { metrics, answering } = make();
    const text = await metrics.collect([answering(1, await metricsOf(2)), answering(2, await metricsOf(3))]);
    expect(values(text)).toMatchObject({ requests_total: 5, seconds_count: 5, entries: 20, own: 1 });
  });

  it('the last totals of a worker that does not answer are counted, without its gauges', async () => {
    const { metrics, silent, answering } = make();
    await metrics.collect([answering(1, await metricsOf(2)), answering(2, await metricsOf(3))]);
    const text = await metrics.collect([silent(1), answering(2, await metricsOf(4))]);
    expect(values(text)).toMatchObject({ requests_total: 6, seconds_count: 6, seconds_sum: 3, entries: 10 });
  });

  it('the totals of workers that have ended are kept', async () => {
    const { metrics, answering } = make();
    await metrics.collect([answering(1, await metricsOf(2)), answering(2, await metricsOf(3))]);
    metrics.end(1);
    metrics.end(2);
    metrics.end(2);
    metrics.end(3);
    const text = await metrics.collect([answering(4, await metricsOf(1))]);
    expect(values(text)).toMatchObject({ requests_total: 6, seconds_count: 6, entries: 10 });
  });

  it('an answer of a worker after its time is not taken for a new one', async () => {
    const { metrics, silent, answering } = make();
    await metrics.collect([silent(1)]);
    metrics.receive(1, 1, await metricsOf(5));
    const text = await metrics.collect([silent(1), answering(2, await metricsOf(1))]);
    expect(values(text)).toMatchObject({ requests_total: 6, entries: 10 });
  });

  it('the metrics are there at once without workers', async () => {
    const { metrics } = make();
    expect(values(await metrics.collect([]))).toEqual({ own: 1 });
  });
});
