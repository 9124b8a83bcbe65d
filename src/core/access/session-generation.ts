import { redisTime } from '../store/clock.ts';
import type { ClientStore } from '../store/store.ts';
import { MAX_INVITE_TTL_S, newToken } from './invites.ts';

/** By how much the clocks of two servers of a Redis may differ, in microseconds. A time further ahead comes from a wrong clock. */
export const CLOCKS_DIFFER_US = 60_000_000;

/**
 * Returns the generation that new sessions carry, and begins a generation if there is none. Each call, such as at a sign-in, makes Redis keep the
 * generation for another day, because no invite and no session lives longer. Three round trips.
 * @param key of the generation of a guild, of the operator or of a person.
 * @returns the text of the generation; the time when all sessions were last ended, 0 = not in the last day; and the time now. Times are microseconds
 * since the epoch by Redis's clock.
 * @throws StoreUnavailableError
 */
export async function sessionGeneration({ client }: Pick<ClientStore, 'client'>, key: string) {
  await client.set(key, `0 ${newToken()}`, 'EX', MAX_INVITE_TTL_S, 'NX');
  await client.expire(key, MAX_INVITE_TTL_S);
  const [stored, now] = await Promise.all([client.get(key), redisTime(client)]);
  const text = stored ?? '';
  const endedAt = Number(text.split(' ')[0]);
  if (endedAt <= now + CLOCKS_DIFFER_US) return { text, endedAt, now };
  // Redis's clock was ahead when the sessions were ended. Until that time no invite could be newer, so the sessions end now instead.
  const renewed = `${now} ${newToken()}`;
  await client.set(key, renewed, 'EX', MAX_INVITE_TTL_S);
  return { text: renewed, endedAt: now, now };
}

/**
 * Ends what all sessions may do in a guild, or as the operator (null), empties their list, and ends the invites that were made before. Three
 * round trips.
 * @throws StoreUnavailableError
 */
export async function endSessions({ client, redisKeys }: ClientStore, guildId: string | null): Promise<void> {
  const { sessions, open } = redisKeys.sessionsOf(guildId);
  await endGeneration(client, sessions);
  await client.del(open);
}

/** Ends all sessions of a person, and the invites that were made for this person before. Two round trips. @throws StoreUnavailableError */
export async function endPersonSessions({ client, redisKeys }: ClientStore, userId: string): Promise<void> {
  await endGeneration(client, redisKeys.personSessions(userId));
}

/** Begins another generation. A single command ends sessions and invites, so a kill cannot come between. */
async function endGeneration(client: ClientStore['client'], key: string): Promise<void> {
  const generation = `${await redisTime(client)} ${newToken()}`;
  try {
    await client.set(key, generation, 'EX', MAX_INVITE_TTL_S);
  } catch (error) {
    // A full Redis refuses to store, but still takes this command, which ends the sessions.
    await client.del(key);
    throw error;
  }
}
