import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { latencyHistogram, percentileMs, recordMs, WindowedLatency } from '../../../scripts/bench/latency.ts';

describe('percentileMs', () => {
  it('is within 0.2 % of the latencies around its rank', () => {
    const latencies = fc.array(fc.double({ min: 0.002, max: 50_000, noNaN: true }), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(latencies, fc.constantFrom(1, 50, 90, 99, 100), (all, percent) => {
        const histogram = latencyHistogram();
        for (const ms of all) recordMs(histogram, ms);
        const sorted = [...all].sort((a, b) => a - b);
        const rank = (all.length * percent) / 100;
        const [below, above] = [Math.floor(rank), Math.ceil(rank)].map((n) => sorted[Math.max(1, n) - 1] as number);
        const measured = percentileMs(histogram, percent);
        expect(measured).toBeGreaterThan((below as number) * 0.998);
        expect(measured).toBeLessThan((above as number) * 1.002);
      }),
    );
  });

  it('is NaN without latencies', () => {
    expect(percentileMs(latencyHistogram(), 50)).toBeNaN();
  });

  it('counts a latency outside the range at the nearest end', () => {
    const histogram = latencyHistogram();
    recordMs(histogram, 0);
    recordMs(histogram, 1e9);
    expect(histogram.count).toBe(2);
    expect(percentileMs(histogram, 50)).toBeLessThan(0.002);
    expect(percentileMs(histogram, 100)).toBeGreaterThan(60_000);
  });
});

describe('WindowedLatency', () => {
  it('records each latency in the tenth of a second of its answer and in the total', () => {
    const latency = new WindowedLatency();
    latency.record(10, 1);
    latency.record(99, 3);
    latency.record(450, 5);
    expect(latency.windows().map(({ count }) => count)).toEqual([2, 1]);
    expect(latency.windows().map((window) => Math.round(percentileMs(window, 100)))).toEqual([3, 5]);
    expect(latency.total().count).toBe(3);
    expect(Math.round(percentileMs(latency.total(), 100))).toBe(5);
  });
});
