import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CURVE_NAMES,
  CURVE_TABLE,
  type CurveName,
  curveNameOf,
  levelForXp,
  MAX_XP,
  xpForLevel,
} from '../../../src/leaderboard/curves.ts';

/** The published formulas in exact arithmetic. */
const published: Record<CurveName, (n: bigint) => bigint> = {
  standard: (n) => (10n * n ** 3n + 135n * n ** 2n + 455n * n) / 6n,
  amari: (n) => 20n * (n - 1n) ** 2n + 35n,
  lurkr: (n) => 50n * (n - 1n) ** 2n + 100n,
  polaris: (n) => ((n ** 3n + 50n * n ** 2n + 100n * n + 50n) / 100n) * 100n,
  arcane: (n) => ((50n * n ** 2n + 25n * n + 2n) / 5n) * 5n,
};

const curveName = fc.constantFrom(...CURVE_NAMES);

describe('level curves', () => {
  it('begin the standard levels where MEE6 does', () => {
    const thresholds = [100, 255, 475, 770, 1150, 1625, 2205, 2900, 3720, 4675];
    expect(thresholds.map((_, i) => xpForLevel('standard', i + 1))).toEqual(thresholds);
    expect(xpForLevel('standard', 100)).toBe(1_899_250);
  });

  it('follow the published formulas exactly, up to 2^53', () => {
    fc.assert(
      fc.property(curveName, fc.integer({ min: 1, max: 175_000 }), (name, level) => {
        const exact = published[name](BigInt(level));
        fc.pre(exact <= BigInt(MAX_XP));
        expect(BigInt(xpForLevel(name, level))).toBe(exact);
      }),
      { numRuns: 5000 },
    );
  });

  it('give a level exactly from its threshold on', () => {
    fc.assert(
      fc.property(curveName, fc.integer({ min: 1, max: 175_000 }), (name, level) => {
        const threshold = xpForLevel(name, level);
        fc.pre(threshold <= MAX_XP && threshold < xpForLevel(name, level + 1));
        expect(levelForXp(name, threshold)).toBe(level);
        expect(levelForXp(name, threshold - 1)).toBeLessThan(level);
      }),
      { numRuns: 5000 },
    );
  });

  it('agree with the published formulas for any XP up to 2^53-1', () => {
    const xp = fc.oneof(
      fc.integer({ min: 0, max: 10_000 }),
      fc.maxSafeNat(),
      fc.integer({ min: 0, max: 5000 }).map((n) => MAX_XP - n),
    );
    fc.assert(
      fc.property(curveName, xp, (name, total) => {
        const level = BigInt(levelForXp(name, total));
        expect(level === 0n || published[name](level) <= BigInt(total)).toBe(true);
        expect(published[name](level + 1n) > BigInt(total)).toBe(true);
      }),
      { numRuns: 5000 },
    );
  });

  it('give level 0 below the first threshold', () => {
    for (const name of CURVE_NAMES) {
      expect(levelForXp(name, 0)).toBe(0);
      expect(levelForXp(name, xpForLevel(name, 1) - 1)).toBe(0);
    }
  });

  it('fall back to standard for an unknown name, and for names of Object.prototype', () => {
    expect(curveNameOf('amari')).toBe('amari');
    for (const name of ['', 'toString', '__proto__', 'Standard']) expect(curveNameOf(name)).toBe('standard');
  });

  it('go to Redis as the documented text', () => {
    expect(CURVE_TABLE).toBe(
      'standard=10,135,455,0,6,1;amari=0,20,-40,55,1,1;lurkr=0,50,-100,150,1,1;polaris=1,50,100,0,1,100;arcane=0,50,25,0,1,5',
    );
  });
});
