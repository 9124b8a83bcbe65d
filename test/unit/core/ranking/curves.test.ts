import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CURVE_NAMES,
  type CurveName,
  curveNameOf,
  levelForXp,
  MAX_XP,
  parseCurve,
  progress,
  xpForLevel,
} from '../../../../src/core/ranking/curves.ts';

/** The published formulas in exact arithmetic. */
const published: Record<CurveName, (n: bigint) => bigint> = {
  standard: (n) => (10n * n ** 3n + 135n * n ** 2n + 455n * n) / 6n,
  amari: (n) => 20n * (n - 1n) ** 2n + 35n,
  lurkr: (n) => 50n * (n - 1n) ** 2n + 100n,
  polaris: (n) => ((n ** 3n + 50n * n ** 2n + 100n * n + 50n) / 100n) * 100n,
  arcane: (n) => ((50n * n ** 2n + 25n * n + 2n) / 5n) * 5n,
};

const curveName = fc.constantFrom(...CURVE_NAMES);

import { customCurve, exactXpToReach } from '../../../support/random-curve.ts';
import { randomRuns } from '../../../support/variants.ts';

describe('level curves', () => {
  it('the standard levels begin where the levels of MEE6 begin', () => {
    const thresholds = [100, 255, 475, 770, 1150, 1625, 2205, 2900, 3720, 4675];
    expect(thresholds.map((_, i) => xpForLevel('standard', i + 1))).toEqual(thresholds);
    expect(xpForLevel('standard', 100)).toBe(1_899_250);
  });

  it('level curves follow the published formulas exactly, up to 2^53', () => {
    fc.assert(
      fc.property(curveName, fc.integer({ min: 1, max: 175_000 }), (name, level) => {
        const exact = published[name](BigInt(level));
        fc.pre(exact <= BigInt(MAX_XP));
        expect(BigInt(xpForLevel(name, level))).toBe(exact);
      }),
      { numRuns: randomRuns(5000) },
    );
  });

  it('a level is reached exactly at its threshold', () => {
    fc.assert(
      fc.property(curveName, fc.integer({ min: 1, max: 175_000 }), (name, level) => {
        const threshold = xpForLevel(name, level);
        fc.pre(threshold <= MAX_XP && threshold < xpForLevel(name, level + 1));
        expect(levelForXp(name, threshold)).toBe(level);
        expect(levelForXp(name, threshold - 1)).toBeLessThan(level);
      }),
      { numRuns: randomRuns(5000) },
    );
  });

  it('level curves agree with the published formulas for any XP up to 2^53-1', () => {
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
      { numRuns: randomRuns(5000) },
    );
  });

  it("a guild's own curve is exact for any XP up to 2^53-1", () => {
    const xp = fc.oneof(
      fc.integer({ min: 0, max: 10_000 }),
      fc.maxSafeNat(),
      fc.integer({ min: 0, max: 5000 }).map((n) => MAX_XP - n),
    );
    fc.assert(
      fc.property(customCurve, xp, ({ curve: { max, ...curve } }, total) => {
        const level = levelForXp(curve, total);
        if (max) expect(levelForXp({ ...curve, max }, total)).toBe(Math.min(level, max));
        expect(level === 0 || exactXpToReach(curve, BigInt(level)) <= BigInt(total)).toBe(true);
        expect(exactXpToReach(curve, BigInt(level) + 1n) > BigInt(total)).toBe(true);
        if (level > 0) expect(BigInt(xpForLevel(curve, level))).toBe(exactXpToReach(curve, BigInt(level)));
      }),
      { numRuns: randomRuns(20_000) },
    );
  });

  it("a guild's own curve is refused when its levels could not be computed exactly", () => {
    for (const text of [
      '0,0,0,0,1,1',
      '0,0,0,5,1,1',
      '-1,0,0,0,1,1',
      '0,1,-2,0,1,1',
      '0,0,3,0,2,1',
      '0,1,0,-2,1,1',
      '1000001,0,0,0,1,1',
      '1,0,0,1000000001,1,1',
      '1,0,0,0,0,1',
      '1,0,0,0,1,0',
      '1,0,0,0,1001,1',
      '1,0,0,0,1,1001',
      '1,0,0,0,1',
      '1.5,0,0,0,1,1',
      '',
      'a,0,0,0,1,1',
      '1,0,0,0,1,1,0',
      '1,0,0,0,1,1,1000001',
      '1,0,0,0,1,1,5,5',
    ]) {
      expect(parseCurve(`custom=${text}`), text).toBeUndefined();
    }
    expect(parseCurve('custom=0,0,4,0,2,1')).toEqual({ a: 0, b: 0, c: 4, d: 0, q: 2, m: 1 });
    expect(parseCurve('custom=0,0,4,0,2,1,9')).toEqual({ a: 0, b: 0, c: 4, d: 0, q: 2, m: 1, max: 9 });
    expect(curveNameOf('custom=0,0,4,0,2,1')).toBe('custom');
  });

  it('the progress says how far a member is in its level', () => {
    expect(progress('standard', 0)).toEqual({ level: 0, gained: 0, needed: 100 });
    expect(progress('standard', 300)).toEqual({ level: 2, gained: 45, needed: 220 });
    expect(progress({ a: 0, b: 0, c: 50, d: 0, q: 1, m: 1 }, 120)).toEqual({ level: 2, gained: 20, needed: 50 });
    expect(progress({ a: 0, b: 0, c: 50, d: 0, q: 1, m: 1, max: 2 }, 170)).toEqual({ level: 2, gained: 70, needed: 0 });
  });

  it('XP below the first threshold is level 0', () => {
    for (const name of CURVE_NAMES) {
      expect(levelForXp(name, 0)).toBe(0);
      expect(levelForXp(name, xpForLevel(name, 1) - 1)).toBe(0);
    }
  });

  it('an unknown name of a curve, or a name of Object.prototype, means standard', () => {
    expect(curveNameOf('amari')).toBe('amari');
    for (const name of ['', 'toString', '__proto__', 'Standard']) expect(curveNameOf(name)).toBe('standard');
  });
});
