/** The limits of one gain, for the writer and for the rules of a guild. Browsers load the rules, so this file imports nothing. */

/** XP of one gain, 0 .. 10^9: a number, or a range that gives a random number of it, both ends included. */
export type XpAmount = number | { readonly min: number; readonly max: number };

/** The most XP that one call gives, before the multiplier. */
export const MAX_GAIN = 1_000_000_000;
/** A year. */
export const MAX_COOLDOWN_MS = 31_536_000_000;
/** The most by which a factor multiplies a gain. */
export const MAX_FACTOR = 1000;

/** A factor, as an error describes it. */
export const FACTOR_RULE = `a number from 0 to ${MAX_FACTOR} with six decimals at most`;

/** Returns whether a value fits {@link FACTOR_RULE}. */
export function isFactor(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= MAX_FACTOR && Number(value.toFixed(6)) === value;
}
