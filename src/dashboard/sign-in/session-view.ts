import { hashToken } from '../../core/access/invites.ts';
import { idOf } from './session-records.ts';
import type { FoundSession, Session } from './session-types.ts';

/** How long the word of Discord is good, in milliseconds. */
const CONFIRMED_MS = 3_600_000;

/** Returns a session as the pages see it. @param now milliseconds since the epoch. */
export function viewOf(token: string, { stored, grants }: FoundSession, now: number): Session {
  const age = now - stored.checkedAt;
  // A time in the future comes from a clock that was ahead.
  const isConfirmed = age < CONFIRMED_MS && age > -CONFIRMED_MS;
  const confirmed = grants.filter(({ source }) => source === 'link' || isConfirmed);
  return {
    id: idOf(hashToken(token)),
    formToken: hashToken(`form ${token}`),
    userId: stored.userId,
    name: stored.name,
    isByDiscord: grants.some(({ source }) => source === 'discord'),
    isOperator: confirmed.some(({ guildId }) => guildId === null),
    guildIds: confirmed.flatMap(({ guildId }) => guildId ?? []),
    unconfirmed: grants.filter((grant) => !confirmed.includes(grant)).map(({ guildId }) => guildId),
  };
}

/** Returns whether two user ids can be those of one person: a link can leave out for whom it is. */
export function isOnePerson(one: string, other: string): boolean {
  return one === '' || other === '' || one === other;
}
