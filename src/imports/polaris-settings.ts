import { CURVE_NAMES, type Curve, type CurveText, parseCurve, xpForLevel } from '../core/ranking/curves.ts';

/** The settings of a Polaris server that make its levels. XP for level n is c3 n^3 + c2 n^2 + c1 n, rounded to a multiple. */
export interface PolarisSettings {
  readonly curve: { readonly 1: number; readonly 2: number; readonly 3: number };
  readonly rounding: number;
  readonly maxLevel: number;
}

/** Polaris's own highest level, which is also the default. */
const MAX_LEVEL = 1000;
const MAX_DIVISOR = 1000;

/**
 * Returns the curve that fits the levels of a Polaris server best, and the number of levels that begin at other XP than in Polaris. It is a known
 * curve only if that curve is the same. Polaris stores decimals such as 1.6666666667, and a curve of Guildrank stores fractions. Returns undefined
 * for settings that give no levels, or more levels than Polaris has.
 */
export function curveOfSettings(settings: PolarisSettings): { curve: CurveText; wrong: number } | undefined {
  const { curve: decimals, rounding: m, maxLevel } = settings;
  // Bounds the work: each level is computed for each of the curves below.
  if (maxLevel > MAX_LEVEL) return undefined;
  const texts: CurveText[] = maxLevel === MAX_LEVEL ? [...CURVE_NAMES] : [];
  for (let q = 1; q <= MAX_DIVISOR; q++) {
    const [a, b, c] = [decimals[3], decimals[2], decimals[1]].map((decimal) => Math.round(decimal * q));
    // Polaris rounds to the nearest multiple, and a curve of Guildrank rounds down. The results differ only for odd multiples.
    texts.push(`custom=${a},${b},${c},${m % 2 === 1 ? Math.floor(q / 2) : 0},${q},${m},${maxLevel}`);
  }
  let best: { curve: CurveText; wrong: number } | undefined;
  for (const text of texts) {
    const curve = parseCurve(text);
    if (!curve) continue;
    // A known curve is taken only if it gives the same levels.
    const bound = text.startsWith('custom=') ? (best?.wrong ?? Number.POSITIVE_INFINITY) : 1;
    const wrong = countWrong(settings, curve, bound);
    if (wrong < bound) best = { curve: text, wrong };
    if (wrong === 0) break;
  }
  return best;
}

/** Returns the settings from which {@link curveOfSettings} makes this curve; undefined if Polaris has no such curve. */
export function settingsOfCurve(curve: Curve): PolarisSettings | undefined {
  const { a, b, c, q, m, max } = curve;
  const decimal = (n: number) => Number((n / q).toFixed(10));
  const settings = {
    curve: { 1: decimal(c), 2: decimal(b), 3: decimal(a) },
    rounding: m,
    maxLevel: max ?? MAX_LEVEL,
  };
  const found = c >= 0 ? curveOfSettings(settings) : undefined;
  const isSame = found?.wrong === 0 && parseCurve(found.curve)?.max === max && countWrong(settings, curve, 1) === 0;
  return isSame ? settings : undefined;
}

/** Counts levels whose XP differs, up to a bound. */
function countWrong({ curve: decimals, rounding, maxLevel }: PolarisSettings, curve: Curve, bound: number): number {
  let wrong = 0;
  for (let n = 1; n <= maxLevel && wrong < bound; n++) {
    // Adds in the same order as Polaris, because the order changes how doubles are rounded.
    const xp = decimals[1] * n + decimals[2] * n ** 2 + decimals[3] * n ** 3;
    if (rounding * Math.round(xp / rounding) !== xpForLevel(curve, n)) wrong++;
  }
  return wrong;
}
