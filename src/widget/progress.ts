import { CURVE_NAMES, type CurveName, MAX_XP, xpForLevel } from '../core/ranking/curves.ts';
import type { EntryData } from './api-data.ts';

/** The way from one level to the next. */
export interface NextLevelProgress {
  /** Share of the way, 0 to 1. */
  readonly share: number;
  /** XP that is left. */
  readonly left: number;
  readonly nextLevel: number;
}

/** Returns the progress of a member; undefined for an explicit level, an unknown curve and the last level. */
export function progressToNextLevel(entry: EntryData, curve: string | undefined): NextLevelProgress | undefined {
  const { level, xp } = entry;
  const [from, to] = boundariesOf(entry, curve);
  // A level that differs from the level by the curve is an explicit level.
  if (from === null || to === null || xp < from || xp >= to || to > MAX_XP) return undefined;
  return { share: (xp - from) / (to - from), left: to - xp, nextLevel: level + 1 };
}

/** Returns the XP at which the level of a member and the next level begin, from the data or else by the curve. */
function boundariesOf({ level, level_xp, next_level_xp }: EntryData, curve: string | undefined) {
  if (level_xp !== undefined) return [level_xp, next_level_xp ?? null] as const;
  if (!CURVE_NAMES.includes(curve as CurveName)) return [null, null] as const;
  const threshold = (n: number) => (n > 0 ? xpForLevel(curve as CurveName, n) : 0);
  return [threshold(level), threshold(level + 1)] as const;
}
