import { CURVE_NAMES, type CurveName, parseCurve, xpForLevel } from '../../core/ranking/curves.ts';

/** The bots whose levels the curves count. */
const BOTS: Readonly<Record<CurveName, string>> = {
  standard: 'MEE6',
  amari: 'Amari',
  lurkr: 'Lurkr',
  polaris: 'Polaris',
  arcane: 'Arcane',
};

/** Levels by which a person compares curves. */
export const COMPARED_LEVELS = [10, 50] as const;

/** The named curves as choices of a form, each with its bot. */
export const CURVE_CHOICES: readonly (readonly [value: CurveName, label: string])[] = CURVE_NAMES.map((name) => [
  name,
  `${name}, as in ${BOTS[name]}`,
]);

/** A curve as a person compares it with others. */
export interface ComparedCurve {
  readonly name: string;
  /** A description of the levels of the curve. */
  readonly what: string;
  /** The XP of each of {@link COMPARED_LEVELS}; null = the curve has no such level, or no numbers yet. */
  readonly xp: readonly (number | null)[];
}

/**
 * Returns all curves for a comparison.
 * @param custom the six or seven numbers of the custom curve of the guild; null = the guild has no custom curve.
 */
export function comparedCurves(custom: string | null): ComparedCurve[] {
  const named = CURVE_NAMES.map((name) => ({ name, what: `the levels of ${BOTS[name]}`, xp: xpOf(name) }));
  const own = custom === null ? COMPARED_LEVELS.map(() => null) : xpOf(`custom=${custom}`);
  return [...named, { name: 'custom', what: 'a formula with numbers of your own', xp: own }];
}

function xpOf(text: string): (number | null)[] {
  const curve = parseCurve(text);
  return COMPARED_LEVELS.map((level) => (curve && level <= (curve.max ?? level) ? xpForLevel(curve, level) : null));
}
