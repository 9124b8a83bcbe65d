import fc from 'fast-check';
import { type Curve, type CurveText, parseCurve } from '../../src/core/ranking/curves.ts';

/** Curves of all kinds that a guild can have of its own: cubic, square and straight, with and without rounding. */
export const customCurve: fc.Arbitrary<{ readonly text: CurveText; readonly curve: Curve }> = fc
  .record({
    a: coefficient(0),
    b: coefficient(0),
    c: coefficient(-1_000_000),
    d: fc.oneof(
      fc.constant(0),
      fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }),
      fc.integer({ min: -20, max: 20 }),
    ),
    q: fc.oneof(fc.constantFrom(1, 6, 100, 1000), fc.integer({ min: 1, max: 1000 })),
    m: fc.constantFrom(1, 2, 5, 100, 1000),
    max: fc.oneof(
      { weight: 3, arbitrary: fc.constant('') },
      fc.integer({ min: 1, max: 200 }).map((max) => `,${max}`),
    ),
  })
  .map(({ a, b, c, d, q, m, max }) => `custom=${a},${b},${c},${d},${q},${m}${max}` as const)
  .filter((text) => parseCurve(text) !== undefined)
  .map((text) => ({ text, curve: parseCurve(text) as Curve }));

function coefficient(min: number): fc.Arbitrary<number> {
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant(0) },
    { weight: 2, arbitrary: fc.integer({ min: Math.max(min, -100), max: 100 }) },
    { weight: 1, arbitrary: fc.integer({ min, max: 1_000_000 }) },
  );
}

/** Returns the XP to reach a level of the curve, in exact arithmetic. */
export function exactXpToReach({ a, b, c, d, q, m }: Curve, level: bigint): bigint {
  const [A, B, C, D, Q, M] = [a, b, c, d, q, m].map(BigInt) as [bigint, bigint, bigint, bigint, bigint, bigint];
  const sum = ((A * level + B) * level + C) * level + D;
  // BigInt rounds to 0, the curve down.
  const floor = sum / Q - (sum % Q < 0n ? 1n : 0n);
  return ((floor + M / 2n) / M) * M;
}
