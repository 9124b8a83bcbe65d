/** Level curves: the total XP of each level. lib-level.lua has the same table and computes with the same steps. */

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
  /** The highest level, whatever the XP; no limit unless given. */
  readonly max?: number;
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

/** The name of a curve that every guild can choose. */
export type CurveName = keyof typeof table;

/** Names of all curves. The first is the default of a guild without a configured curve. */
export const CURVE_NAMES = Object.keys(table) as [CurveName, ...CurveName[]];
export const DEFAULT_CURVE: CurveName = 'standard';

/** A curve as text: a name of the table, or `custom=a,b,c,d,q,m`, or that with `,max`. */
export type CurveText = CurveName | `custom=${string}`;

/** Each number has ten digits at most, so that a stored curve is short: the scripts of a guild read it at each call. */
const CUSTOM = /^custom=(-?\d{1,10}),(-?\d{1,10}),(-?\d{1,10}),(-?\d{1,10}),(\d{1,10}),(\d{1,10})(?:,(\d{1,10}))?$/;

/** Returns the curve of a text, or undefined if its coefficients are unfit. An unknown or empty name means the default curve. */
export function parseCurve(text: string): Curve | undefined {
  if (!isCustom(text)) return table[nameOf(text)];
  const match = CUSTOM.exec(text);
  if (!match) return undefined;
  const [a, b, c, d, q, m] = match.slice(1, 7).map(Number) as [number, number, number, number, number, number];
  const curve = { a, b, c, d, q, m, ...(match[7] !== undefined && { max: Number(match[7]) }) };
  return isSound(curve) ? curve : undefined;
}

/** Returns the name of a curve's text. An unknown or empty name means the default curve. */
export function curveNameOf(text: string): CurveName | 'custom' {
  return isCustom(text) ? 'custom' : nameOf(text);
}

/** Returns a curve's text. An unknown or empty name means the default curve. */
export function curveTextOf(text: string): CurveText {
  return isCustom(text) ? text : nameOf(text);
}

function isCustom(text: string): text is `custom=${string}` {
  return text.startsWith('custom=');
}

function nameOf(text: string): CurveName {
  return CURVE_NAMES.find((name) => name === text) ?? DEFAULT_CURVE;
}

/**
 * Returns whether levels of a curve can be computed exactly: it rises from level 1 on, begins at 0 XP or above, and its numbers keep all
 * intermediate values below 2^53. A curve without n^3 and n^2 needs q^2 or more for n.
 */
export function isSound({ a, b, c, d, q, m, max = 1 }: Curve): boolean {
  const rises = a >= 0 && b >= 0 && 3 * a + 2 * b + c > 0 && a + b + c + d >= 0;
  const isSmall = Math.max(a, b, Math.abs(c)) <= 1e6 && Math.abs(d) <= 1e9 && Math.max(q, m) <= 1000;
  return rises && isSmall && max >= 1 && max <= 1e6 && q >= 1 && m >= 1 && (a + b > 0 || c >= q * q);
}

/** Returns the total XP at which `level` (an integer >= 1) begins. Exact for results up to 2^53. */
export function xpForLevel(curve: CurveName | Curve, level: number): number {
  return xpToReach(resolve(curve), level);
}

/** Returns the level of `xp` (an integer 0 .. 2^53-1) on the curve; 0 below the first threshold. O(1). */
export function levelForXp(nameOrCurve: CurveName | Curve, xp: number): number {
  const curve = resolve(nameOrCurve);
  if (xp < xpToReach(curve, 1)) return 0;
  const { a, b, c, d, q, m } = curve;
  // The first XP that would be rounded to more than `xp`.
  const limit = xp - (xp % m) + m - Math.floor(m / 2);
  const target = Math.max(limit * q - d, 0);
  const below = Math.max(-c, 0);
  // Each term alone gives an n that is too high, with a correction for a negative c. The smallest n is the best start.
  let n =
    1 +
    Math.min(
      a > 0 ? (target / a) ** (1 / 3) + Math.sqrt(below / a) : Number.POSITIVE_INFINITY,
      b > 0 ? Math.sqrt(target / b) + below / b : Number.POSITIVE_INFINITY,
      c > 0 ? target / c : Number.POSITIVE_INFINITY,
    );
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
  return Math.min(level, curve.max ?? level);
}

/** How far a member is in its level. */
export interface LevelProgress {
  readonly level: number;
  /** XP gained in this level. */
  readonly gained: number;
  /** XP from the start of this level to the next level; 0 at the highest level of the curve. */
  readonly needed: number;
}

/** Returns how far `xp` is in its level on the curve. */
export function progress(nameOrCurve: CurveName | Curve, xp: number): LevelProgress {
  const curve = resolve(nameOrCurve);
  const level = levelForXp(curve, xp);
  const start = level === 0 ? 0 : xpToReach(curve, level);
  return { level, gained: xp - start, needed: level === curve.max ? 0 : xpToReach(curve, level + 1) - start };
}

function resolve(curve: CurveName | Curve): Curve {
  return typeof curve === 'string' ? table[curve] : curve;
}

/** Divides before it multiplies, so that no intermediate value passes 2^53 unless the result does. */
function xpToReach({ a, b, c, d, q, m }: Curve, n: number): number {
  const h = (a * n + b) * n + c;
  const r = h % q;
  const whole = (h - r) / q;
  const added = Math.floor((r * n + d) / q);
  // With a negative addend, the product alone could pass 2^53.
  const fewer = added < 0 && whole > 0 ? Math.ceil(-added / whole) : 0;
  const factor = n - fewer;
  const rest = added + whole * fewer;
  if (m === 1) return whole * factor + rest;
  const over = ((((whole % m) * (factor % m) + rest) % m) + m) % m;
  return whole * factor + (rest - over) + (over + Math.floor(m / 2) >= m ? m : 0);
}
