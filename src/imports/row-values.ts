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

/** A number as a page shortens it, such as 4.7k, or as a spreadsheet writes a long number, such as 1.5E+06. */
const ROUNDED = /^\d+(?:[.,]\d+)?(?: ?[km]|E\+\d+)$/i;
const XP_RULE = `a whole number from 0 to ${MAX_XP}`;
/** What spreadsheets and people put around an id: `="…"`, `'…` and `'…'` to keep its digits, a mention, and the address of a profile. */
const WRAPPED_ID = /^(?:="([^"]+)"|'(.+?)'?|<@!?(\d+)>|https:\/\/discord(?:app)?\.com\/users\/(\d+)\/?)$/;
/** An id of Discord with separators between its groups of three digits, as a spreadsheet shows it. */
const GROUPED_ID = /^\d{1,3}(?:[,.' \u00A0\u2009\u202F]\d{3}){4,6}$/;
/** Invisible characters: characters without a width, spaces other than " ", and marks of the direction of text. */
const UNSEEN = /[^\S ]|\p{Cf}/gu;
/** Texts that databases and pandas write for an empty cell. In the field of the name they are names. */
export const NO_VALUE: ReadonlySet<unknown> = new Set([
  '',
  null,
  undefined,
  'NULL',
  'null',
  '\\N',
  'NaN',
  'nan',
  'NaT',
  '<NA>',
  '#N/A',
  'None',
]);
/** The truth values of databases, of spreadsheets in the languages that translate them, and of people. */
const TRUE_WORDS = new Set([
  'true',
  't',
  '1',
  'yes',
  'y',
  'on',
  'x',
  'wahr',
  'ja',
  'vrai',
  'oui',
  'verdadero',
  'sí',
  'si',
  'verdadeiro',
  'sim',
  'vero',
  'waar',
  'prawda',
  'tak',
  'sant',
  'истина',
  'да',
]);
const FALSE_WORDS = new Set([
  'false',
  'f',
  '0',
  'no',
  'n',
  'off',
  'falsch',
  'nein',
  'faux',
  'non',
  'falso',
  'não',
  'onwaar',
  'nee',
  'fałsz',
  'nie',
  'falskt',
  'nej',
  'ложь',
  'нет',
]);

/** Reads a user id. @returns the user id, or the reason why the value is none. @param name of its field, for the reason. */
export function readId(value: unknown, name: string): string | { readonly reason: string } {
  if (NO_VALUE.has(value)) return { reason: `${name} is missing` };
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    return { reason: `${name} is a number that JSON readers round; write it in quotes` };
  const text = String(value);
  if (isDecimalId(text))
    return { reason: `${name} ${quote(text)} is a number that a spreadsheet has rounded: export the ids as text` };
  if (ID_PATTERN.test(text) && !GROUPED_ID.test(text)) return text;
  const id = unwrappedId(text);
  if (id !== undefined && ID_PATTERN.test(id)) return id;
  const shown = typeof value === 'string' ? quoteId(value) : quote(value);
  return { reason: `${name} ${shown} is not 1 to 64 of A-Z a-z 0-9 _ - .` };
}

/** Returns an id without the characters that a spreadsheet or a person has put around it or between its digits; undefined for any other text. */
export function unwrappedId(text: string): string | undefined {
  if (GROUPED_ID.test(text)) return text.replace(/\D/g, '');
  const match = WRAPPED_ID.exec(text);
  return match?.slice(1).find((id) => id !== undefined);
}

/** Reads a whole number. @returns the number, or the reason why the value is none. @param name of its field, for the reason. */
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
  if (ROUNDED.test(String(value))) return `${name} ${quote(value)} is rounded: write it with all of its digits`;
  if (!number || (number.hasFraction && !cutsFractions)) return `${name} ${quote(value)} is not ${XP_RULE}`;
  return number.whole;
}

/** Reads a truth value. @returns undefined for another word. */
export function readTruth(value: unknown): boolean | undefined {
  const word = String(value).toLowerCase();
  if (TRUE_WORDS.has(word)) return true;
  return FALSE_WORDS.has(word) ? false : undefined;
}

/** Returns an id in quotes, in which an invisible character is written such as `U+200B`. */
function quoteId(text: string): string {
  const code = (char: string) => `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  return quote(text.replace(UNSEEN, code));
}

/** Returns a value from a file as text that is safe and short enough for a line on a terminal. */
export function quote(value: unknown): string {
  const text = shownJson(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
