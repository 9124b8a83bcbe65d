import { FUTURE_CLAIM, isFutureClaim } from '../core/members/xp-record.ts';
import { HIDE_REASONS, type HideReason, reasonsIn } from '../core/ranking/model.ts';
import { isPictureHash } from '../core/ranking/picture-hash.ts';
import { MAX_USERNAME_BYTES } from '../core/text-bounds.ts';
import { type NameReading, readName } from './database-text.ts';
import type { FieldNames, ImportField } from './fields.ts';
import { isSnowflake } from './found-field.ts';
import { NO_VALUE, type NumberReading, quote, readId, readTruth, readWhole } from './row-values.ts';
import { type DateOrder, readTime } from './times.ts';

/** One checked member of a file. A field that is left out is not in the file; null = the field is empty. */
export interface ImportRow {
  readonly userId: string;
  /** Total XP, 0 .. 2^53-1. */
  readonly xp: number;
  readonly username?: string | null;
  /** The level in the file. `fileRecordOf` decides whether to store it. */
  readonly level?: number | null;
  readonly dailyStreak?: number | null;
  readonly lastDailyClaim?: string | null;
  /** Discord's hash of the avatar. */
  readonly avatar?: string | null;
  /** Whether the file says that the level is explicit (true: store it; false: do not); if left out, a comparison with the curve decides. */
  readonly explicitLevel?: boolean;
  readonly hidden?: boolean;
  /** Why the member is hidden; if left out, a moderator hid it. */
  readonly hiddenReasons?: readonly HideReason[];
}

/** One row of a file: a member, or the reason why the row is refused. */
export interface RowEntry {
  /** Line of the file from 1, or number of the element from 1. */
  readonly at: number;
  readonly row: ImportRow | string;
  /** The content of a refused row, so that a person can tell whose row it is. */
  readonly content?: RowContent;
  /** Why the avatar of the member cannot be read. The member is imported without an avatar. */
  readonly avatarProblem?: string;
}

/** The content of a refused row. Each text has at most about 200 characters, and is "" if the row lacks the value. */
export interface RowContent {
  readonly userId: string;
  readonly username: string;
  /** The text of the row, if its fields could not be read. */
  readonly text: string;
}

/** The values of a row as the file has them, by field. */
export type RawRow = { readonly [Field in ImportField]?: unknown };

/** How the values of a file are read. */
export interface RowReading extends NumberReading {
  /** The names of the fields in the file, for messages. */
  readonly names: FieldNames;
  readonly ofNames: NameReading;
  readonly dates: DateOrder | undefined;
  /** Whether each id must be an id of Discord, because most ids of the file are. Any other id is a total or a name, and so a bad row. */
  readonly hasSnowflakes: boolean;
  /** Whether a row without XP is a member with 0 XP, because the bot leaves out 0. Otherwise the row is bad. */
  readonly leavesOutZero: boolean;
}

/** The address of an avatar, which some bots write instead of its hash. */
const AVATAR_ADDRESS = /^https:\/\/cdn\.discordapp\.com\/avatars\/\d+\/(\w+)\.\w+(?:\?|$)/;
/** The address of a picture that Discord shows for a user without an avatar. */
const DEFAULT_AVATAR = /^https:\/\/cdn\.discordapp\.com\/embed\/avatars\/\d+\.\w+(?:\?|$)/;
const AVATAR_RULE = `Discord's hash of an avatar, which is 32 hex digits, with "a_" before the hash of an animated avatar`;

/**
 * Checks the values of one row. Numbers may be text, so that the digits of large ones can be checked exactly.
 * @param now milliseconds since 1970, to recognise a time in the future.
 * @returns the member, or the reason for the refusal, with the field's name in the file.
 */
export function checkRow(raw: RawRow, reading: RowReading, now = Date.now()): ImportRow | string {
  const { names, numbers } = reading;
  const id = readId(raw.userId, names.userId ?? 'the id');
  if (typeof id === 'object') return id.reason;
  if (reading.hasSnowflakes && !isSnowflake(id))
    return `${names.userId ?? 'the id'} ${quote(raw.userId)} is no id of Discord, as the others are`;
  const rawXp = raw.xp === undefined && reading.leavesOutZero ? 0 : raw.xp;
  if (NO_VALUE.has(rawXp)) return `${names.xp} is missing`;
  const xp = readWhole(rawXp, names.xp, reading);
  if (typeof xp === 'string') return xp;

  const row: { -readonly [K in keyof ImportRow]: ImportRow[K] } = { userId: id, xp };
  for (const field of ['level', 'dailyStreak'] as const) {
    const value = raw[field];
    if (value === undefined) continue;
    const number = NO_VALUE.has(value) ? null : readWhole(value, names[field], { numbers, cutsFractions: false });
    if (typeof number === 'string') return number;
    row[field] = number;
  }
  const { username } = raw;
  if (username !== undefined) {
    if (username === null) row.username = null;
    else if (typeof username === 'string' || typeof username === 'number')
      row.username = readName(String(username), reading.ofNames);
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
  const avatar = readAvatar(raw.avatar);
  if (avatar !== undefined) row.avatar = avatar;
  for (const field of ['explicitLevel', 'hidden'] as const) {
    const value = raw[field];
    if (NO_VALUE.has(value)) continue;
    const truth = readTruth(value);
    if (truth === undefined) return `${names[field]} ${quote(value)} is not true or false`;
    row[field] = truth;
  }
  return withReasons(row, raw.hiddenReasons, reading);
}

/** Returns the hash of an avatar; null for a member without an avatar; undefined for a file without avatars, and for a value that cannot be read. */
function readAvatar(value: unknown): string | null | undefined {
  if (value === undefined) return undefined;
  if (NO_VALUE.has(value) || DEFAULT_AVATAR.test(String(value))) return null;
  const hash = AVATAR_ADDRESS.exec(String(value))?.[1] ?? value;
  return isPictureHash(hash) ? hash : undefined;
}

/** Returns why the avatar of a row cannot be read, for a person; undefined if it can be read, or if there is no avatar. */
export function avatarProblemOf({ avatar }: RawRow, { names }: RowReading): string | undefined {
  if (avatar === undefined || readAvatar(avatar) !== undefined) return undefined;
  return `${names.avatar} ${quote(avatar)} is not ${AVATAR_RULE}, so the member is imported without an avatar`;
}

/** Returns a row with its reasons for hiding, or the reason why the row is refused. */
function withReasons(row: ImportRow, reasons: unknown, { names }: RowReading): ImportRow | string {
  if (NO_VALUE.has(reasons)) return row;
  const words = String(reasons).trim().split(/\s+/);
  if (!words.every((word) => (HIDE_REASONS as readonly string[]).includes(word)))
    return `${names.hiddenReasons} ${quote(reasons)} is not one or more of ${HIDE_REASONS.join(', ')}, with spaces between`;
  if (row.hidden === false) return `${names.hiddenReasons} is ${quote(reasons)}, but ${names.hidden} is false`;
  return { ...row, hidden: true, hiddenReasons: reasonsIn(words.join(' ')) };
}
