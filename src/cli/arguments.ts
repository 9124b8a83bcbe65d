import { InvalidArgumentError } from 'commander';
import { KEY_NAME_PATTERN } from '../access/api-keys.ts';
import { parseOrigins } from '../access/origins.ts';
import { InvalidInputError } from '../errors.ts';
import { CURVE_NAMES, type CurveText, parseCurve } from '../leaderboard/curves.ts';
import { ID_PATTERN } from '../leaderboard/model.ts';
import { parseDuration } from './duration.ts';

/** Argument parsers for commander. Each returns the value, or throws InvalidArgumentError with the rule that the text breaks. */

export function parseId(text: string): string {
  if (!ID_PATTERN.test(text)) throw new InvalidArgumentError('It must be 1 to 64 of A-Z a-z 0-9 _ - .');
  return text;
}

export function parseKeyName(text: string): string {
  if (!KEY_NAME_PATTERN.test(text)) {
    throw new InvalidArgumentError('It must be 1 to 64 characters, without line breaks or control characters.');
  }
  return text;
}

/** Parses the lifetime of a key, in milliseconds. */
export function parseLifetime(text: string): number {
  const ms = parseDuration(text);
  if (ms === 0)
    throw new InvalidArgumentError('A key must live for a while: give at least 1m, or leave --expires out.');
  return ms;
}

export function parseOriginList(text: string): string[] {
  let origins: string[];
  try {
    origins = parseOrigins(text);
  } catch (error) {
    if (error instanceof InvalidInputError) throw new InvalidArgumentError(error.message);
    throw error;
  }
  // A key without origins works everywhere. Nobody means that by --origins ''.
  if (origins.length === 0) throw new InvalidArgumentError('Name at least one origin, or leave --origins out.');
  return origins;
}

export function parseMultiplier(text: string): number {
  const n = /^\d{1,4}(\.\d{1,10})?$/.test(text) ? Number(text) : Number.NaN;
  if (!(n <= 1000)) throw new InvalidArgumentError('It must be a number from 0 to 1000, such as 1.5.');
  return n;
}

/** Parses a curve: a name of the table, or the coefficients of one of its own. */
export function parseCurveText(text: string): CurveText {
  const isCustom = text.startsWith('custom=');
  if (isCustom ? !parseCurve(text) : !(CURVE_NAMES as readonly string[]).includes(text)) {
    throw new InvalidArgumentError(
      isCustom
        ? 'The six must be whole numbers, for (a n^3 + b n^2 + c n + d) / q rounded to m. See docs/data-model.md for their bounds.'
        : `Allowed choices are ${CURVE_NAMES.join(', ')}, or custom=a,b,c,d,q,m.`,
    );
  }
  return text as CurveText;
}

/** Parses a number of members to generate. */
export function parseMemberCount(text: string): number {
  if (!/^[1-9]\d{0,7}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 to 99999999.');
  return Number(text);
}
