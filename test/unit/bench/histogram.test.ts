import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Histogram } from '../../../scripts/bench/histogram.ts';

describe('Histogram', () => {
  it('gives every percentile within 1.1 % of the sorted row', () => {
    const latencies = fc.array(fc.double({ min: 0.002, max: 50_000, noNaN: true }), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(latencies, fc.constantFrom(0, 0.5, 0.9, 0.99, 1), (row, p) => {
        const histogram = new Histogram();
        for (const ms of row) histogram.add(ms);
        const exact = [...row].sort((a, b) => a - b)[Math.max(1, Math.ceil(row.length * p)) - 1] as number;
        expect(Math.abs(histogram.percentile(p) / exact - 1)).toBeLessThan(0.011);
      }),
    );
  });

  it('has no percentile of nothing', () => {
    expect(new Histogram().percentile(0.5)).toBeNaN();
  });

  it('counts what lies outside its range at the nearest end', () => {
    const histogram = new Histogram();
    histogram.add(0);
    histogram.add(1e9);
    expect(histogram.count).toBe(2);
    expect(histogram.percentile(0)).toBeLessThan(0.002);
    expect(histogram.percentile(1)).toBeGreaterThan(60_000);
  });
});
