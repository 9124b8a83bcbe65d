import { digits } from '../count.ts';
import { CURVE_NAMES, type Curve, type CurveName, levelForXp } from '../leaderboard/curves.ts';
import type { XpRecord } from '../leaderboard/writer.ts';
import type { SeedRow } from './rows.ts';

export const LEVEL_CHOICES = ['curve', 'file'] as const;

/**
 * What becomes of the levels of a file that the curve does not give: `curve` leaves them out, so that they follow XP;
 * `file` stores them as explicit levels, which XP does not move.
 */
export type LevelChoice = (typeof LEVEL_CHOICES)[number];

/** Compares the levels of a file with those that a curve gives for the XP. */
export class LevelCheck {
  /** Rows with a level, unless they say themselves whether it is explicit. */
  compared = 0;
  /** Those with another level than the curve gives. */
  differing = 0;
  private readonly fits = new Map<CurveName, number>();

  constructor(
    private readonly curve: CurveName | Curve,
    private readonly curveName: string,
  ) {}

  add({ xp, level, explicitLevel }: SeedRow): void {
    if (level === undefined || level === null || explicitLevel !== undefined) return;
    this.compared++;
    if (level === levelForXp(this.curve, xp)) return;
    this.differing++;
    for (const name of CURVE_NAMES) {
      if (level === levelForXp(name, xp)) this.fits.set(name, (this.fits.get(name) ?? 0) + 1);
    }
  }

  /** Returns the reason to load nothing before a person has chosen, with the curve that gives most of these levels, if one gives over half. */
  refusal(): string {
    const [best] = [...this.fits].sort(([, a], [, b]) => b - a);
    const found = best && best[1] * 2 > this.differing ? best : undefined;
    const fit = found ? `; ${found[0]} gives ${digits(found[1])} of them: add --curve ${found[0]}, or` : ':';
    return `${this.figures()}${fit} choose with --levels whether they follow XP (curve) or stay as they are (file)`;
  }

  /** Returns a line about what became of the differing levels. */
  notice(choice: LevelChoice): string {
    return choice === 'curve'
      ? `${this.figures()}: they follow XP`
      : `${this.figures()}: they are explicit, and XP does not move them`;
  }

  private figures(): string {
    return `levels that the curve ${this.curveName} does not give: ${digits(this.differing)} of ${digits(this.compared)}`;
  }
}

/**
 * Returns the write that stores a row. Unless the row or the person says that its level is explicit, it is not stored, because a stored
 * level would not move when the bot adds XP later. A level that the curve gives anyway is stored for the row alone.
 */
export function recordOf(
  { userId, xp, hidden, level, explicitLevel, ...profile }: SeedRow,
  curve: CurveName | Curve,
  levels: LevelChoice = 'curve',
) {
  const isExplicit = explicitLevel ?? (levels === 'file' && level !== levelForXp(curve, xp));
  const stored = level === undefined ? {} : { level: isExplicit ? level : null };
  return { userId, set: xp, ...(hidden && { hidden }), profile: { ...profile, ...stored } } satisfies XpRecord;
}
