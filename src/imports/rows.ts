import { MAX_USERNAME_BYTES } from '../core/bounds.ts';
import { shownJson } from '../core/errors.ts';
import { FUTURE_CLAIM, isFutureClaim } from '../core/members/records.ts';
import { MAX_XP } from '../core/ranking/curves.ts';
import { HIDE_REASONS, type HideReason, ID_PATTERN, reasonsIn } from '../core/ranking/model.ts';
import { isPictureHash } from '../core/ranking/picture-hash.ts';
import { type FieldNames, type ImportField, OWN_NAMES } from './fields.ts';
import { type NumberStyle, PLAIN_STYLE, readNumber } from './numbers.ts';
import { type DateOrder, readTime } from './times.ts';

/** One member of a file, checked. A field left out = the file has no such field; null = it is empty. */
export interface SeedRow {
  readonly userId: string;
  /** Total XP, 0 .. 2^53-1. */
  readonly xp: number;
  readonly username?: string | null;
  /** The level in the file; recordOf decides whether to store it. */
  readonly level?: number | null;
  readonly dailyStreak?: number | null;
  readonly lastDailyClaim?: string | null;
  /** Discord's hash of the avatar. */
  readonly avatar?: string | null;
  /** Whether the level is an explicit one, to store or to leave out whatever the curve gives; left out = decided by the curve. */
  readonly explicitLevel?: boolean;
  readonly hidden?: boolean;
  /** Why it is hidden; left out = by a moderator. */
  readonly hiddenReasons?: readonly HideReason[];
}

/** One place of a file: a member, or the reason why it is none. */
export interface Entry {
  /** Line of the file from 1, or number of the element from 1. */
  readonly at: number;
  readonly row: SeedRow | string;
}

/** The values of a row as the file has them, by field. */
export type RawRow = { readonly [Field in ImportField]?: unknown };

/** How the values of a file are read. */
export interface RowReading {
  /** The names of the fields in the file, for messages. */
  readonly names: FieldNames;
  readonly numbers: NumberStyle;
  readonly dates: DateOrder | undefined;
  /** Whether fractions of XP are cut off, as the bot that wrote the file does for its levels. Otherwise they are bad rows. */
  readonly cutsFractions: boolean;
}

/** The reading of the project's own files. */
export const OWN_READING: RowReading = {
  names: OWN_NAMES,
  numbers: PLAIN_STYLE,
  dates: undefined,
  cutsFractions: false,
};

const XP_RULE = `a whole number from 0 to ${MAX_XP}`;
/** What spreadsheets and people put around an id to keep its digits: `="…"`, `'…`, and a mention. */
const WRAPPED_ID = /^(?:="([^"]+)"|'(.+)|<@!?(\d+)>)$/;
/** A long id that a program has written as a decimal number. */
const DECIMAL_ID = /^\d{15,20}[.,]0*$|^\d(?:[.,]\d+)?e\+?1[4-9]$/i;
/** The address of an avatar, which some bots write instead of its hash. */
const AVATAR_ADDRESS = /^https:\/\/cdn\.discordapp\.com\/avatars\/\d+\/(\w+)\.\w+(?:\?|$)/;
const AVATAR_RULE = `Discord's hash of an avatar, which is 32 hex digits, with "a_" before those of an animated avatar`;
/** Texts of an empty cell in dumps of databases and of pandas. No name is one of them by this. */
const NO_VALUE: ReadonlySet<unknown> = new Set(['', null, undefined, 'NULL', 'null', '\\N', 'NaN', 'nan', 'None']);
/** The truth values of spreadsheets, in the languages that translate them. */
const TRUE_WORDS = 'true 1 yes wahr vrai verdadero verdadeiro vero waar prawda sant истина'.split(' ');
const FALSE_WORDS = 'false 0 no falsch faux falso onwaar fałsz falskt ложь'.split(' ');

/**
 * Checks the values of one row. Numbers may be text, so that the digits of large ones can be checked exactly.
 * @param now milliseconds since 1970, for times that cannot have been yet.
 * @returns the member, or the reason for the refusal, with the field's name in the file.
 */
export function checkRow(raw: RawRow, reading: RowReading, now = Date.now()): SeedRow | string {
  const { names, numbers } = reading;
  const id = readId(raw.userId, names.userId ?? 'the id');
  if (typeof id === 'object') return id.reason;
  if (NO_VALUE.has(raw.xp)) return `${names.xp} is missing`;
  const xp = readWhole(raw.xp, names.xp, reading);
  if (typeof xp === 'string') return xp;

  const row: { -readonly [K in keyof SeedRow]: SeedRow[K] } = { userId: id, xp };
  for (const field of ['level', 'dailyStreak'] as const) {
    const value = raw[field];
    if (value === undefined) continue;
    const number = NO_VALUE.has(value) ? null : readWhole(value, names[field], { numbers, cutsFractions: false });
    if (typeof number === 'string') return number;
    row[field] = number;
  }
  const { username } = raw;
  if (username !== undefined) {
    if (username === null || username === '') row.username = null;
    else if (typeof username === 'string' || typeof username === 'number') row.username = String(username);
    else return `${names.username} ${quote(username)} is not text`;
    if (Buffer.byteLength(row.username ?? '') > MAX_USERNAME_BYTES) {
      return `${names.username} ${quote(username)} is longer than ${MAX_USERNAME_BYTES} bytes`;
    }
  }
  const claim = raw.lastDailyClaim;
  if (claim !== undefined) {
    const time = NO_VALUE.has(claim) ? null : readTime(claim, reading.dates);
    const name = `${names.lastDailyClaim} ${quote(claim)}`;
    if (time === undefined) return `${name} is not a time such as 2026-01-31T18:30:00Z`;
    if (time === 'ambiguous') return `${name} can be two days: write it as 2026-01-31T18:30:00Z`;
    if (time !== null && isFutureClaim(time, now)) return `${name} ${FUTURE_CLAIM}`;
    row.lastDailyClaim = time;
  }
  const { avatar } = raw;
  if (avatar !== undefined) {
    const hash = NO_VALUE.has(avatar) ? null : (AVATAR_ADDRESS.exec(String(avatar))?.[1] ?? avatar);
    if (hash !== null && !isPictureHash(hash)) return `${names.avatar} ${quote(avatar)} is not ${AVATAR_RULE}`;
    row.avatar = hash;
  }
  for (const field of ['explicitLevel', 'hidden'] as const) {
    const value = raw[field];
    if (NO_VALUE.has(value)) continue;
    const truth = readTruth(value);
    if (truth === undefined) return `${names[field]} ${quote(value)} is not true or false`;
    row[field] = truth;
  }
  return withReasons(row, raw.hiddenReasons, reading);
}

function withReasons(row: SeedRow, reasons: unknown, { names }: RowReading): SeedRow | string {
  if (NO_VALUE.has(reasons)) return row;
  const words = String(reasons).trim().split(/\s+/);
  if (!words.every((word) => (HIDE_REASONS as readonly string[]).includes(word)))
    return `${names.hiddenReasons} ${quote(reasons)} is not one or more of ${HIDE_REASONS.join(', ')}, with spaces between`;
  if (row.hidden === false) return `${names.hiddenReasons} is ${quote(reasons)}, but ${names.hidden} is false`;
  return { ...row, hidden: true, hiddenReasons: reasonsIn(words.join(' ')) };
}

/** Reads a user id. */
function readId(value: unknown, name: string): string | { readonly reason: string } {
  if (value === undefined || value === null || value === '') return { reason: `${name} is missing` };
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    return { reason: `${name} is a number that JSON readers round; write it in quotes` };
  const text = String(value);
  if (DECIMAL_ID.test(text))
    return { reason: `${name} ${quote(text)} is a number that a spreadsheet has rounded: export the ids as text` };
  if (ID_PATTERN.test(text)) return text;
  const match = WRAPPED_ID.exec(text);
  const id = match?.[1] ?? match?.[2] ?? match?.[3] ?? '';
  return ID_PATTERN.test(id) ? id : { reason: `${name} ${quote(value)} is not 1 to 64 of A-Z a-z 0-9 _ - .` };
}

/** Reads a whole number. @returns it, or the reason why it is none. */
function readWhole(
  value: unknown,
  name: string | undefined,
  { numbers, cutsFractions }: Pick<RowReading, 'numbers' | 'cutsFractions'>,
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

function readTruth(value: unknown): boolean | undefined {
  const word = String(value).toLowerCase();
  if (TRUE_WORDS.includes(word)) return true;
  return FALSE_WORDS.includes(word) ? false : undefined;
}

/** Returns a value from a file as text that is safe and short enough for a line on a terminal. */
export function quote(value: unknown): string {
  const text = shownJson(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
