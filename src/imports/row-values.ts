import { shownJson } from '../core/errors.ts';
import { MAX_XP } from '../core/ranking/curves.ts';
import { ID_PATTERN } from '../core/ranking/model.ts';
import { isDecimalId } from './id-evidence.ts';
import { type NumberStyle, readNumber } from './numbers.ts';

/** How the numbers of a file are read. */
export interface NumberReading {
  readonly numbers: NumberStyle;
  /** Whether fractions of XP are cut off, as the bot that wrote the file does for its levels. Otherwise they are bad rows. */
  readonly cutsFractions: boolean;
}

const XP_RULE = `a whole number from 0 to ${MAX_XP}`;
/** What spreadsheets and people put around an id to keep its digits: `="…"`, `'…`, and a mention. */
const WRAPPED_ID = /^(?:="([^"]+)"|'(.+)|<@!?(\d+)>)$/;
/** Texts of an empty cell in dumps of databases and of pandas. No name is one of them by this. */
export const NO_VALUE: ReadonlySet<unknown> = new Set([
  '',
  null,
  undefined,
  'NULL',
  'null',
  '\\N',
  'NaN',
  'nan',
  'None',
]);
/** The truth values of spreadsheets, in the languages that translate them. */
const TRUE_WORDS = 'true 1 yes wahr vrai verdadero verdadeiro vero waar prawda sant истина'.split(' ');
const FALSE_WORDS = 'false 0 no falsch faux falso onwaar fałsz falskt ложь'.split(' ');

/** Reads a user id. @returns it, or the reason why it is none. @param name of its field, for the reason. */
export function readId(value: unknown, name: string): string | { readonly reason: string } {
  if (value === undefined || value === null || value === '') return { reason: `${name} is missing` };
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    return { reason: `${name} is a number that JSON readers round; write it in quotes` };
  const text = String(value);
  if (isDecimalId(text))
    return { reason: `${name} ${quote(text)} is a number that a spreadsheet has rounded: export the ids as text` };
  if (ID_PATTERN.test(text)) return text;
  const match = WRAPPED_ID.exec(text);
  const id = match?.[1] ?? match?.[2] ?? match?.[3] ?? '';
  return ID_PATTERN.test(id) ? id : { reason: `${name} ${quote(value)} is not 1 to 64 of A-Z a-z 0-9 _ - .` };
}

/** Reads a whole number. @returns it, or the reason why it is none. @param name of its field, for the reason. */
export function readWhole(
  value: unknown,
  name: string | undefined,
  { numbers, cutsFractions }: NumberReading,
): number | string {
  const number = readNumber(value, numbers);
  if (number === 'ambiguous') {
    const digits = String(value).replace(/\D/g, '');
    const [whole] = String(value).split(/[.,]/);
    return `${name} ${quote(value)} can be ${whole} or ${digits}: write it without a separator`;
  }
  if (!number || (number.hasFraction && !cutsFractions)) return `${name} ${quote(value)} is not ${XP_RULE}`;
  return number.whole;
}

/** Reads a truth value. @returns undefined for another word. */
export function readTruth(value: unknown): boolean | undefined {
  const word = String(value).toLowerCase();
  if (TRUE_WORDS.includes(word)) return true;
  return FALSE_WORDS.includes(word) ? false : undefined;
}

/** Returns a value from a file as text that is safe and short enough for a line on a terminal. */
export function quote(value: unknown): string {
  const text = shownJson(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
