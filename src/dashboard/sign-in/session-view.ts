import { hashToken } from '../../core/access/invites.ts';
import { sessionIdOf } from './session-records.ts';
import type { FoundSession, Session } from './session-types.ts';

/** Milliseconds for which a confirmation by Discord is valid. */
const CONFIRMED_MS = 3_600_000;

/** Returns a session as the pages see it. @param now milliseconds since the epoch. */
export function viewOf(token: string, { stored, grants }: FoundSession, now: number): Session {
  const age = now - stored.checkedAt;
  // A time in the future was written by a clock that was ahead, and does not count.
  const isConfirmed = age < CONFIRMED_MS && age > -CONFIRMED_MS;
  const confirmed = grants.filter(({ source }) => source === 'link' || isConfirmed);
  return {
    id: sessionIdOf(hashToken(token)),
    formToken: hashToken(`form ${token}`),
    userId: stored.userId,
    name: stored.name,
    isByDiscord: grants.some(({ source }) => source === 'discord'),
    isOperator: confirmed.some(({ guildId }) => guildId === null),
    guildIds: confirmed.flatMap(({ guildId }) => guildId ?? []),
    unconfirmed: grants.filter((grant) => !confirmed.includes(grant)).map(({ guildId }) => guildId),
  };
}

/** Returns whether two user ids can belong to the same person. "" is the user id of a link that names no person. */
export function isOnePerson(one: string, other: string): boolean {
  return one === '' || other === '' || one === other;
}
