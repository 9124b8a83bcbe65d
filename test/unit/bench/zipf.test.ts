import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { guildSizes, seededRandom, zipfSampler } from '../../../scripts/bench/zipf.ts';

describe('seededRandom', () => {
  it('returns the same sequence for the same seed and another for another seed', () => {
    const sequence = (seed: number) => Array.from({ length: 5 }, seededRandom(seed));
    expect(sequence(1)).toEqual(sequence(1));
    expect(sequence(1)).not.toEqual(sequence(2));
  });

  it('stays within [0, 1)', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const n = seededRandom(seed)();
        return n >= 0 && n < 1;
      }),
    );
  });
});

describe('zipfSampler', () => {
  it('draws index k about 1 / (k + 1) as often as index 0', () => {
    const draw = zipfSampler(1000, seededRandom(1));
    const counts = new Array<number>(1000).fill(0);
    for (let i = 0; i < 200_000; i++) {
      const index = draw();
      counts[index] = (counts[index] ?? 0) + 1;
    }
    const first = counts[0] as number;
    for (const k of [1, 2, 4, 9]) expect((counts[k] as number) / first).toBeCloseTo(1 / (k + 1), 1);
  });

  it('draws each index from the first to the last and no other', () => {
    expect([0, 0.5, 0.9999999].map((at) => zipfSampler(3, () => at)())).toEqual([0, 0, 2]);
    expect(zipfSampler(1, () => 0.9999999)()).toBe(0);
  });
});

describe('guildSizes', () => {
  it.each([
    [false, 1000, 100_000, 1_000_000],
    [true, 100, 10_000, 100_000],
  ])(
    'has both end sizes, falls from one to the next and sums to the total: small %s',
    (small, count, largest, total) => {
      const sizes = guildSizes(small);
      expect(sizes).toHaveLength(count);
      expect([sizes[0], sizes.at(-1)]).toEqual([largest, 10]);
      expect(sizes.reduce((a, b) => a + b, 0) / total).toBeCloseTo(1, 4);
      expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
    },
  );
});
