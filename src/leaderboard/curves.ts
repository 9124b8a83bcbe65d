/**
 * Level curves: the total XP of each level. The Lua scripts get this table as an argument (see {@link CURVE_TABLE}), so
 * both sides always compute the same level.
 */

/** The largest XP a member can have: 2^53 - 1, the largest integer that a double and a JSON number hold exactly. */
export const MAX_XP = Number.MAX_SAFE_INTEGER;

/**
 * Total XP to reach level n >= 1: `(a n^3 + b n^2 + c n + d) / q`, rounded to the nearest multiple of `m`.
 * All coefficients are integers.
 */
export interface Curve {
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly d: number;
  readonly q: number;
  readonly m: number;
}

const table = {
  /** 5n^3/3 + 45n^2/2 + 455n/6: the sum of 5k^2 + 50k + 100 over the levels k below n, as MEE6 counts. */
  standard: { a: 10, b: 135, c: 455, d: 0, q: 6, m: 1 },
  /** 20(n-1)^2 + 35. */
  amari: { a: 0, b: 20, c: -40, d: 55, q: 1, m: 1 },
  /** 50(n-1)^2 + 100. */
  lurkr: { a: 0, b: 50, c: -100, d: 150, q: 1, m: 1 },
  /** n^3 + 50n^2 + 100n, rounded to 100. */
  polaris: { a: 1, b: 50, c: 100, d: 0, q: 1, m: 100 },
  /** 50n^2 + 25n, rounded to 5. */
  arcane: { a: 0, b: 50, c: 25, d: 0, q: 1, m: 5 },
} as const satisfies Record<string, Curve>;

export type CurveName = keyof typeof table;

/** Names of all curves. The first is the default of a guild without a configured curve. */
export const CURVE_NAMES = Object.keys(table) as [CurveName, ...CurveName[]];
export const DEFAULT_CURVE: CurveName = 'standard';

/** The table as the Lua scripts read it: `name=a,b,c,d,q,m;name=...`, the default curve first. */
export const CURVE_TABLE = /* @__PURE__ */ tableText();

function tableText(): string {
  const lines = CURVE_NAMES.map((name) => {
    const { a, b, c, d, q, m } = table[name];
    return `${name}=${a},${b},${c},${d},${q},${m}`;
  });
  return lines.join(';');
}

/** Returns the curve of a stored name. An unknown or empty name means the default curve. */
export function curveNameOf(stored: string): CurveName {
  return Object.hasOwn(table, stored) ? (stored as CurveName) : DEFAULT_CURVE;
}

/** Returns the total XP at which `level` (an integer >= 1) begins. Exact for results up to 2^53. */
export function xpForLevel(name: CurveName, level: number): number {
  return xpToReach(table[name], level);
}

/** Returns the level of `xp` (an integer 0 .. 2^53-1) on the curve; 0 below the first threshold. O(1). */
export function levelForXp(name: CurveName, xp: number): number {
  const curve: Curve = table[name];
  if (xp < xpToReach(curve, 1)) return 0;
  const { a, b, c } = curve;
  const target = xp * curve.q - curve.d;
  let n = (Math.max(target, 0) / (a > 0 ? a : b)) ** (a > 0 ? 1 / 3 : 1 / 2) + Math.abs(c) / b + 1;
  // Newton's method on a convex curve, from above: it needs few steps.
  for (let i = 0; i < 40; i++) {
    const step = (((a * n + b) * n + c) * n - target) / ((3 * a * n + 2 * b) * n + c);
    n -= step;
    if (step < 0.25) break;
  }
  // Near 2^53 the estimate in doubles is not exact. Integer steps correct it.
  let level = Math.max(1, Math.floor(n));
  while (xpToReach(curve, level + 1) <= xp) level++;
  while (level > 1 && xpToReach(curve, level) > xp) level--;
  return level;
}

/** Divides before it multiplies, so that no intermediate value passes 2^53 unless the result does. */
function xpToReach({ a, b, c, d, q, m }: Curve, n: number): number {
  const h = (a * n + b) * n + c;
  const r = h % q;
  const xp = ((h - r) / q) * n + Math.floor((r * n + d) / q) + Math.floor(m / 2);
  return xp - (xp % m);
}
