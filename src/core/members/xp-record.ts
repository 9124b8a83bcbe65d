import { checkFields, checkList, checkText } from '../check-fields.ts';
import { InvalidInputError, RefusedError, shownText } from '../errors.ts';
import type { HideReason } from '../ranking/model.ts';
import { isPictureHash, PICTURE_HASH_RULE } from '../ranking/picture-hash.ts';

/** Fields of the profile to store with a member's XP. A field left out stays as it is; null removes it. */
export interface ProfileChange {
  /** Display name. An empty name removes it, as null does, and the API then shows the user id. */
  readonly username?: string | null;
  /** An explicit level. It replaces the level that is computed from XP, until it is removed. */
  readonly level?: number | null;
  /** Days in a row. */
  readonly dailyStreak?: number | null;
  /** ISO 8601, or a Date; at most a day from now. */
  readonly lastDailyClaim?: string | Date | null;
  /** Discord's hash of the avatar: 32 hex digits, with `a_` before the digits of an animated avatar. */
  readonly avatar?: string | null;
}

export const PROFILE_FIELDS: readonly (keyof ProfileChange)[] = [
  'username',
  'level',
  'dailyStreak',
  'lastDailyClaim',
  'avatar',
];

/**
 * A change of one member's XP, either `set` or `add`, and of the profile. XP is an integer 0 .. 2^53-1; an `add` may be negative. A user who is not a
 * member becomes a member.
 */
export type XpRecord = { readonly userId: string } & ProfileChange &
  (
    | {
        readonly set: number | bigint;
        readonly add?: never;
        /** Makes a user who is not a member yet a hidden member. A member stays where it is. */
        readonly hidden?: boolean;
      }
    | {
        readonly add: number | bigint;
        /**
         * An `add` below 0 takes as much XP as the member has, down to 0, and passes over a user who is not a member. Without `floor`, a call that
         * takes more XP than the member has is refused.
         */
        readonly floor?: 0;
        readonly set?: never;
        readonly hidden?: never;
      }
  );

/** A record of a file. It names the reasons why it hides the member, else "moderator" is meant. */
export type FileRecord = XpRecord & { readonly hiddenReasons?: readonly HideReason[] };

const RECORD_FIELDS = ['userId', 'set', 'add', 'floor', 'hidden', ...PROFILE_FIELDS];
/** The fields of a record of a file. */
export const FILE_FIELDS: readonly string[] = [...RECORD_FIELDS, 'hiddenReasons'];

/** Checks the form of records, and that no claim is in the future. Returns their user ids. @throws InvalidInputError which names the field. */
export function checkRecords(
  records: readonly XpRecord[],
  now: number,
  names: readonly string[] = RECORD_FIELDS,
): string[] {
  checkList(records, 'The records');
  return records.map((record, index) => {
    const path = pathIn('records', records, index);
    checkFields(record, 'a record', names, path);
    const problem = problemOf(record);
    if (problem) throw new InvalidInputError(`${path || 'The record'} ${problem}`);
    checkProfile(record, path, now);
    return record.userId;
  });
}

/** Returns which fields of a record do not go together. */
function problemOf(record: XpRecord): string | undefined {
  const { set, add, floor, hidden } = record as XpRecord & { readonly floor?: 0 };
  if (!('set' in record || 'add' in record)) return 'has no XP: give set or add';
  if (set !== undefined && add !== undefined) return 'has set and add: give one of them';
  if (hidden && set === undefined) return 'has hidden, which goes with set only';
  return floor !== undefined && set !== undefined ? 'has floor, which goes with add only' : undefined;
}

/** Checks name, claim and avatar of a profile; the claim is not in the future. @param path path of what has them; "" for the argument itself. @throws InvalidInputError */
export function checkProfile(
  { username = null, lastDailyClaim, avatar }: ProfileChange,
  path: string,
  now: number,
): void {
  const pathOf = (field: string) => `${path && `${path}.`}${field}`;
  if (username !== null) checkText(username, pathOf('username'));
  if (lastDailyClaim && isFutureClaim(lastDailyClaim, now))
    throw new InvalidInputError(`${pathOf('lastDailyClaim')} ${FUTURE_CLAIM}`);
  checkAvatar(avatar, pathOf('avatar'));
}

/** Checks an avatar that a call can give: a hash, null for none, or undefined. @throws InvalidInputError */
export function checkAvatar(avatar: unknown, path: string): void {
  if (avatar === undefined || avatar === null || isPictureHash(avatar)) return;
  throw new InvalidInputError(`${path} must be ${PICTURE_HASH_RULE}, not ${shownText(avatar)}`);
}

const DAY_MS = 86_400_000;
/** What is wrong with the time of a future claim, for a message, after the name of the field. */
export const FUTURE_CLAIM = 'is more than a day from now: no member can have claimed then';

/** Returns whether the time of a claim is in the future. A day covers clocks that differ, and times in another zone. */
export function isFutureClaim(time: string | Date, now: number): boolean {
  return new Date(time).getTime() > now + DAY_MS;
}

/** Returns the path of an entry in a list for messages; "" for the only entry. */
export function pathIn(name: string, list: readonly unknown[], index: number): string {
  return list.length > 1 ? `${name}[${index}]` : '';
}

/** A change of one member, as record.lua takes it. */
export interface MemberChangeText {
  readonly userId: string;
  /** Change of the XP. */
  readonly xp: string;
  /** Change of the profile. */
  readonly profile: string;
  /** Change of the avatar; "" leaves it as it is. */
  readonly avatar: string;
}

/** Returns records as record.lua takes them. @throws RefusedError for a value that record.lua cannot take. */
export function changesOf(records: readonly XpRecord[]): MemberChangeText[] {
  return records.map((record, index) => ({
    userId: record.userId,
    xp: xpChange(record, index),
    profile: profileChange(record, index),
    avatar: avatarChange(record.avatar),
  }));
}

/** Returns the change of the XP as record.lua takes it. */
function xpChange(record: XpRecord, index: number): string {
  const amount = record.set ?? record.add;
  // A number beyond 2^53 can be rounded. Its digits would not show that, so this check refuses it.
  if (typeof amount === 'number' ? !Number.isSafeInteger(amount) : typeof amount !== 'bigint')
    throw new RefusedError('xp', { index });
  if (record.set !== undefined) return record.hidden ? `hidden ${amount}` : String(amount);
  if (record.floor !== undefined && record.floor !== 0) throw new RefusedError('argument', { index });
  return record.floor === 0 && amount < 0 ? `take ${-amount}` : `add ${amount}`;
}

/** Returns the change of an avatar as award.lua and record.lua take it: "" leaves it as it is, "none" removes it. */
export function avatarChange(avatar: string | null | undefined): string {
  return avatar === undefined ? '' : (avatar ?? 'none');
}

/** Returns the change of a profile, but for its avatar, as record.lua takes it: "-" leaves a part as it is, "none" removes it. @throws RefusedError */
export function profileChange({ username, level, dailyStreak, lastDailyClaim }: ProfileChange, index: number): string {
  const parts = [wholeNumber(level, index), wholeNumber(dailyStreak, index), timeText(lastDailyClaim, index)].join(' ');
  if (username === undefined) return parts === '- - -' ? '' : parts;
  return [parts, username ?? ''].join(' ');
}

function wholeNumber(value: number | null | undefined, index: number): string {
  if (value === undefined) return '-';
  if (value === null) return 'none';
  if (!Number.isSafeInteger(value) || value < 0) throw new RefusedError('field', { index });
  return String(value);
}

function timeText(value: string | Date | null | undefined, index: number): string {
  if (value === undefined) return '-';
  if (value === null) return 'none';
  const ms = new Date(value).getTime();
  if (Number.isNaN(ms)) throw new RefusedError('field', { index });
  return String(ms);
}
