import { InvalidInputError, shownJson } from '../core/errors.ts';
import * as curves from '../core/ranking/curves.ts';
import { CURVE_NAMES, type Curve, type CurveName, type LevelProgress, MAX_XP } from '../core/ranking/curves.ts';

/** The entry `guildrank-kit/curves`, for browsers too: the levels of XP on a curve. It computes, and does no I/O. */

const MAX_LEVEL = 1_000_000_000;

/**
 * Returns the total XP at which a level begins.
 * @param level a whole number from 1.
 * @throws InvalidInputError for a curve that there is not, and for another level.
 */
export function xpForLevel(curve: CurveName | Curve, level: number): number {
  checkCurve(curve);
  checkWhole('level', level, 1, MAX_LEVEL);
  return curves.xpForLevel(curve, level);
}

/**
 * Returns the level of a total of XP; 0 below the first level. O(1).
 * @param xp a whole number, 0 .. 2^53-1.
 * @throws InvalidInputError for a curve that there is not, and for another XP.
 */
export function levelForXp(curve: CurveName | Curve, xp: number): number {
  checkCurve(curve);
  checkWhole('xp', xp, 0, MAX_XP);
  return curves.levelForXp(curve, xp);
}

/** Returns how far a total of XP is in its level. @throws as {@link levelForXp}. */
export function progress(curve: CurveName | Curve, xp: number): LevelProgress {
  checkCurve(curve);
  checkWhole('xp', xp, 0, MAX_XP);
  return curves.progress(curve, xp);
}

/**
 * Returns the curve of a text as the config of a guild has it: a name, or `custom=` with its numbers.
 * @returns undefined when the numbers give no levels; an unknown or empty name means the default curve.
 * @throws InvalidInputError for a value that is no text.
 */
export function parseCurve(text: string): Curve | undefined {
  if (typeof text !== 'string') throw new InvalidInputError(`A curve is a text, not ${shownJson(text)}`);
  return curves.parseCurve(text);
}

/** @throws InvalidInputError unless the value is the name of a curve, or has numbers that give levels. */
function checkCurve(curve: unknown): void {
  if (typeof curve === 'object' && curve !== null) {
    const { a, b, c, d, q, m, max = 1 } = curve as Curve;
    if ([a, b, c, d, q, m, max].every(Number.isSafeInteger) && givesLevels(curve as Curve)) return;
  } else if (CURVE_NAMES.includes(curve as CurveName)) return;
  throw new InvalidInputError(
    `The curve must be one of ${CURVE_NAMES.join(', ')}, or have the numbers that reader.stats gives, not ${shownJson(curve)}`,
  );
}

/** Returns whether a curve with whole numbers is one of {@link CURVE_NAMES}, or a curve that a guild may set. */
function givesLevels(curve: Curve): boolean {
  const textOf = ({ a, b, c, d, q, m, max }: Curve) => [a, b, c, d, q, m, max].join();
  return (
    curves.isSound(curve) || CURVE_NAMES.some((name) => textOf(curves.parseCurve(name) as Curve) === textOf(curve))
  );
}

function checkWhole(name: string, value: unknown, min: number, max: number): void {
  if (Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max) return;
  throw new InvalidInputError(`${name} must be a whole number from ${min} to ${max}, not ${shownJson(value)}`);
}

export { CURVE_NAMES, type Curve, type CurveName, InvalidInputError, type LevelProgress, MAX_XP };
