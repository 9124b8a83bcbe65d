import { CURVE_NAMES, type CurveName, MAX_XP, xpForLevel } from '../core/ranking/curves.ts';
import type { Entry } from './model.ts';

/** The way from one level to the next. */
export interface Progress {
  /** Share of the way, 0 to 1. */
  readonly share: number;
  /** XP that is left. */
  readonly left: number;
  readonly nextLevel: number;
}

/** Returns the progress of a member; undefined for an explicit level, an unknown curve and the last level. */
export function progressOf({ level, xp }: Entry, curve: string | undefined): Progress | undefined {
  if (!CURVE_NAMES.includes(curve as CurveName)) return undefined;
  const threshold = (n: number) => (n > 0 ? xpForLevel(curve as CurveName, n) : 0);
  const from = threshold(level);
  const to = threshold(level + 1);
  // Another level than that of the curve is an explicit one.
  if (xp < from || xp >= to || to > MAX_XP) return undefined;
  return { share: (xp - from) / (to - from), left: to - xp, nextLevel: level + 1 };
}
