import { MAX_USERNAME_BYTES } from '../core/bounds.ts';
import { shownJson } from '../core/errors.ts';
import { FUTURE_CLAIM, isFutureClaim } from '../core/members/records.ts';
import { MAX_XP } from '../core/ranking/curves.ts';
import { HIDE_REASONS, type HideReason, ID_PATTERN, reasonsIn } from '../core/ranking/model.ts';

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

/** The field names of a format. A field without a name is missing in the format. */
export type FieldNames = { readonly [Field in keyof SeedRow]: string };

/** The field names of the project's own files. */
export const OWN_NAMES = {
  userId: 'user_id',
  xp: 'xp',
  username: 'username',
  level: 'level',
  dailyStreak: 'daily_streak',
  lastDailyClaim: 'last_daily_claim',
  explicitLevel: 'explicit_level',
  hidden: 'hidden',
  hiddenReasons: 'hidden_reasons',
} as const satisfies FieldNames;

const XP_RULE = `a whole number from 0 to ${MAX_XP}`;
const TIME = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?)?$/;

/**
 * Checks one member's fields. Numbers may be text, so that the digits of large ones can be checked exactly.
 * @param now milliseconds since 1970, for times that cannot have been yet.
 * @returns the member, or the reason for the refusal, with the field's name in the file.
 */
export function checkRow(
  fields: Readonly<Record<string, unknown>>,
  names: FieldNames,
  now = Date.now(),
): SeedRow | string {
  const userId = fields[names.userId];
  if (isAbsent(userId)) return `${names.userId} is missing`;
  if (typeof userId === 'number' && !Number.isSafeInteger(userId)) {
    return `${names.userId} is a number that JSON readers round; write it in quotes`;
  }
  const id = String(userId);
  if (!ID_PATTERN.test(id)) return `${names.userId} ${quote(userId)} is not 1 to 64 of A-Z a-z 0-9 _ - .`;

  if (isAbsent(fields[names.xp])) return `${names.xp} is missing`;
  const xp = wholeNumber(fields[names.xp]);
  if (xp === undefined) return `${names.xp} ${quote(fields[names.xp])} is not ${XP_RULE}`;

  const row: { -readonly [K in keyof SeedRow]: SeedRow[K] } = { userId: id, xp };
  for (const field of ['level', 'dailyStreak'] as const) {
    const value = names[field] && fields[names[field]];
    if (value === undefined) continue;
    const number = isAbsent(value) ? null : wholeNumber(value);
    if (number === undefined) return `${names[field]} ${quote(value)} is not ${XP_RULE}`;
    row[field] = number;
  }
  const username = names.username && fields[names.username];
  if (username !== undefined) {
    if (isAbsent(username)) row.username = null;
    else if (typeof username === 'string' || typeof username === 'number') row.username = String(username);
    else return `${names.username} ${quote(username)} is not text`;
    if (Buffer.byteLength(row.username ?? '') > MAX_USERNAME_BYTES) {
      return `${names.username} ${quote(username)} is longer than ${MAX_USERNAME_BYTES} bytes`;
    }
  }
  const claim = names.lastDailyClaim && fields[names.lastDailyClaim];
  if (claim !== undefined) {
    const time = isAbsent(claim) ? null : utcTime(claim);
    if (time === undefined) {
      return `${names.lastDailyClaim} ${quote(claim)} is not a time such as 2026-01-31T18:30:00Z`;
    }
    if (time !== null && isFutureClaim(time, now)) return `${names.lastDailyClaim} ${quote(claim)} ${FUTURE_CLAIM}`;
    row.lastDailyClaim = time;
  }
  for (const field of ['explicitLevel', 'hidden'] as const) {
    const value = names[field] && fields[names[field]];
    if (isAbsent(value)) continue;
    if (!/^(true|false)$/.test(String(value))) return `${names[field]} ${quote(value)} is not true or false`;
    row[field] = String(value) === 'true';
  }
  const reasons = names.hiddenReasons && fields[names.hiddenReasons];
  if (isAbsent(reasons)) return row;
  const words = String(reasons).split(' ');
  if (!words.every((word) => (HIDE_REASONS as readonly string[]).includes(word)))
    return `${names.hiddenReasons} ${quote(reasons)} is not one or more of ${HIDE_REASONS.join(', ')}, with spaces between`;
  if (row.hidden === false) return `${names.hiddenReasons} is ${quote(reasons)}, but ${names.hidden} is false`;
  return { ...row, hidden: true, hiddenReasons: reasonsIn(String(reasons)) };
}

/** Returns a value from a file as text that is safe and short enough for a line on a terminal. */
function quote(value: unknown): string {
  const text = shownJson(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** Whether a JSON value is an object, and not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function wholeNumber(value: unknown): number | undefined {
  if (typeof value === 'string' && !/^\d{1,32}$/.test(value)) return undefined;
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const number = Number(value);
  // An integer above 2^53-1 becomes a double above it too, so nothing is rounded into the range.
  return Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

/** Parses a time; one without a zone is in UTC. @returns ISO 8601 in UTC, or undefined when there is no such time. */
export function utcTime(value: unknown): string | undefined {
  const match = typeof value === 'string' ? TIME.exec(value) : null;
  if (!match) return undefined;
  const [, day, clock = '00:00', zone = 'Z'] = match;
  // Date turns 30 February into 2 March. A day that does not come back the same does not exist.
  const midnight = new Date(`${day}T00:00:00Z`);
  const time = new Date(`${day}T${clock}${zone}`);
  if (Number.isNaN(time.getTime()) || midnight.toISOString().slice(0, 10) !== day) return undefined;
  return time.toISOString();
}
