import { cutText, MAX_USERNAME_BYTES } from '../text-bounds.ts';
import { MAX_XP } from './curves.ts';

/**
 * The profile of a member that has no stored profile. The parts are the parts of a value of gr:{G}:members: "LEVEL STREAK CLAIM NAME"
 * (docs/redis-keys.md).
 */
const NO_PROFILE = { level: '-', streak: '0', claim: '-', username: '' };
const WHOLE = /^\d+$/;
/** Milliseconds since 1970. claim.lua stores the minutes from UTC of its day with them. */
const TIME = /^(-?\d+)(?:[+-]\d*)?$/;

/** Splits a profile. A text without three parts before the name, or without a readable part, counts as no profile, as in lib-profile.lua. */
export function splitProfile(value: string | null): Readonly<typeof NO_PROFILE> {
  if (value === null) return NO_PROFILE;
  const first = value.indexOf(' ');
  const second = first < 0 ? -1 : value.indexOf(' ', first + 1);
  if (second < 0) return NO_PROFILE;
  const third = value.indexOf(' ', second + 1);
  const end = third < 0 ? value.length : third;
  const parts = {
    level: value.slice(0, first),
    streak: value.slice(first + 1, second),
    claim: value.slice(second + 1, end),
    username: value.slice(end + 1),
  };
  const isReadable =
    parts.level === '-' || WHOLE.test(parts.level) || WHOLE.test(parts.streak) || TIME.test(parts.claim);
  return isReadable ? parts : NO_PROFILE;
}

/**
 * Returns the name that a response shows: the user id for a member without a name. A name above its bound, which another program has stored, is cut.
 */
export function shownName(username: string, userId: string): string {
  return cutText(username, MAX_USERNAME_BYTES) || userId;
}

/** Returns whether a profile has the form that the scripts write. */
export function isWellFormed(value: string): boolean {
  return /^(-|\d{1,16}) \d{1,16} (-|-?\d{1,16}([+-]\d{1,4})?)( .+)?$/s.test(value);
}

/** Parses an explicit level; undefined for a text that is no level. */
export function explicitLevel(text: string): number | undefined {
  return WHOLE.test(text) ? Math.min(Number(text), MAX_XP) : undefined;
}

/** Parses the time of a claim into ISO 8601 in UTC; null for a text that is no time. */
export function claimTime(text: string): string | null {
  const time = new Date(Number(TIME.exec(text)?.[1]));
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}
