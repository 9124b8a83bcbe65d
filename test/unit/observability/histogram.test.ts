import fc from 'fast-check';
import { Histogram, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { histogram } from '../../../src/observability/histogram.ts';

const BOUNDS = [0.001, 0.01, 0.1];
const seconds = fc.oneof(fc.constantFrom(0, 0.001, 0.01, 0.1, 0.1001, 5), fc.double({ min: 0, max: 1, noNaN: true }));
const observation = fc.record({
  method: fc.constantFrom('GET', 'HEAD'),
  status: fc.constantFrom('200', '429'),
  seconds,
});

describe('a histogram', () => {
  it('a histogram prints what a histogram of prom-client prints for the same observations', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(observation, { minLength: 1, maxLength: 40 }), async (observations) => {
        const ours = new Registry();
        const theirs = new Registry();
        const addSeries = histogram(ours, 'took_seconds', 'How long it took', BOUNDS);
        const reference = new Histogram({
          name: 'took_seconds',
          help: 'How long it took',
          labelNames: ['method', 'status'],
          buckets: BOUNDS,
          registers: [theirs],
        });
        const series = new Map<string, (seconds: number) => void>();
        for (const { method, status, seconds } of observations) {
          const key = method + status;
          if (!series.has(key)) series.set(key, addSeries({ method, status }));
          series.get(key)?.(seconds);
          reference.observe({ method, status }, seconds);
        }
        expect(await ours.metrics()).toBe(await theirs.metrics());
      }),
      { numRuns: 50 },
    );
  });
});
