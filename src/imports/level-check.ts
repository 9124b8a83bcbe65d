import { digits } from '../core/format-numbers.ts';
import type { FileRecord } from '../core/members/xp-record.ts';
import {
  CURVE_NAMES,
  type Curve,
  type CurveName,
  type CurveText,
  curveNameOf,
  DEFAULT_CURVE,
  levelForXp,
  parseCurve,
} from '../core/ranking/curves.ts';
import type { Advice } from './advice.ts';
import { Problems } from './problems.ts';
import { type Reading, readMembers } from './read-members.ts';
import type { ImportRow } from './rows.ts';

/** The choices of a person about levels that differ from the curve. */
export const LEVEL_CHOICES = ['curve', 'file'] as const;

/**
 * What to do with levels of a file that differ from the curve: `curve` does not store them, so that the levels follow XP; `file` stores them
 * as explicit levels, which XP does not change.
 */
export type LevelChoice = (typeof LEVEL_CHOICES)[number];

/** Compares the levels of a file with the levels that a curve gives for the XP. */
export class LevelCheck {
  /** Rows with a level that do not say whether the level is explicit. */
  compared = 0;
  /** Compared rows whose level differs from the level that the curve gives. */
  differing = 0;
  /** Compared rows with less XP than their level needs. */
  private below = 0;
  /** For each curve, the number of compared rows whose level it gives. */
  private readonly given = new Map<CurveName, number>();

  /**
   * The curve to compare with: the default curve if the numbers of the given curve are invalid, in which case the scripts refuse the guild anyway.
   */
  readonly curve: Curve | CurveName;

  constructor(private readonly text: CurveText) {
    this.curve = parseCurve(text) ?? DEFAULT_CURVE;
  }

  /** Compares a row. */
  add({ xp, level, explicitLevel }: ImportRow): void {
    if (level === undefined || level === null || explicitLevel !== undefined) return;
    this.compared++;
    const given = levelForXp(this.curve, xp);
    if (level !== given) this.differing++;
    if (level > given) this.below++;
    for (const name of CURVE_NAMES) {
      if (level === levelForXp(name, xp)) this.given.set(name, (this.given.get(name) ?? 0) + 1);
    }
  }

  /**
   * Returns why nothing is imported until a person chooses what to do with the levels. Names the curve that gives the most levels, if it gives more
   * than half.
   */
  refusal(advice: Advice): string {
    const [best] = [...this.given].sort(([, a], [, b]) => b - a);
    const isBetter = best && best[1] > this.compared - this.differing && best[1] * 2 > this.compared;
    const fit = isBetter ? `, and ${digits(best[1])} fit the curve ${best[0]}` : '';
    const isProgress = !isBetter && this.below > 0 && this.below === this.differing;
    const progress = isProgress
      ? '. Their XP is less than their levels need: it can be the progress within the level, and not the total'
      : '';
    return `${this.figures()}${fit}${progress}: ${advice.chooseLevels(isBetter ? best[0] : undefined)}`;
  }

  /** Returns a line that says what was done with the differing levels. */
  notice(choice: LevelChoice): string {
    return choice === 'curve'
      ? `${this.figures()}: these members get the level of their XP`
      : `${this.figures()}: these levels are stored as explicit levels, and XP does not move them`;
  }

  private figures(): string {
    const curve = `fit the curve ${curveNameOf(this.text)}`;
    if (this.compared === 1) return `the level in the file does not ${curve}`;
    return `${digits(this.differing)} of ${digits(this.compared)} levels in the file ${this.differing === 1 ? 'does' : 'do'} not ${curve}`;
  }
}

/**
 * Compares all levels of the inputs. An input that cannot be read ends the comparison without an error, because the import that follows reports the
 * error.
 */
export async function compareLevels({ inputs, progress, signal }: Reading, check: LevelCheck): Promise<void> {
  const silent = {
    inputs,
    strict: false,
    problems: new Problems(),
    progress: { ...progress, update: () => {} },
    signal,
  };
  try {
    await readMembers(silent, (row) => {
      check.add(row);
      return undefined;
    });
  } catch {
    // The import that follows finds the same error, and reports it.
  }
}

/**
 * Returns the write that stores a row. A level is stored only if the row or the person says that it is explicit, because a stored level does not
 * change when the bot adds XP later. A level that the curve gives anyway is stored only if the row says so.
 */
export function fileRecordOf(
  { userId, xp, hidden, hiddenReasons, level, explicitLevel, ...profile }: ImportRow,
  curve: CurveName | Curve,
  levels: LevelChoice = 'curve',
) {
  const isExplicit = explicitLevel ?? (levels === 'file' && level !== levelForXp(curve, xp));
  const stored = level === undefined ? {} : { level: isExplicit ? level : null };
  const place = { ...(hidden && { hidden }), ...(hiddenReasons && { hiddenReasons }) };
  return { userId, set: xp, ...place, ...profile, ...stored } satisfies FileRecord;
}
