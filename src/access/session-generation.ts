import type { RedisClient } from '../store/client.ts';
import type { SessionKeys } from '../store/keys.ts';
import { MAX_INVITE_TTL_S, newToken } from './invites.ts';

/**
 * Returns the generation that new sessions of a guild, or of the operator, carry, and begins one if there is none. It is kept for a day
 * after each call, as at a sign-in: no invite and no session lives longer. Three round trips.
 * @param key the Redis key of the guild's or the operator's sessions.
 * @returns its text, and when all sessions were ended last, in microseconds since the epoch by Redis's clock; 0 = not in the last day.
 * @throws StoreUnavailableError
 */
export async function sessionGeneration(client: RedisClient, key: string) {
  await client.set(key, `0 ${newToken()}`, 'EX', MAX_INVITE_TTL_S, 'NX');
  await client.expire(key, MAX_INVITE_TTL_S);
  const text = (await client.get(key)) ?? '';
  return { text, endedAt: Number(text.split(' ')[0]) };
}

/**
 * Ends all sessions that carry the generation of a guild or of the operator, empties their list, and ends the invites that were made
 * before. Two round trips.
 * @throws StoreUnavailableError
 */
export async function endSessions(client: RedisClient, { sessions, open }: SessionKeys): Promise<void> {
  const [seconds, micros] = (await client.time()).map(Number) as [number, number];
  const generation = `${seconds * 1_000_000 + micros} ${newToken()}`;
  try {
    // One command ends sessions and invites: a kill cannot come between. The list is emptied before it, so that later sessions stay listed.
    await Promise.all([client.del(open), client.set(sessions, generation, 'EX', MAX_INVITE_TTL_S)]);
  } catch (error) {
    // A full Redis refuses that, and still takes this, which ends the sessions.
    await client.del(sessions);
    throw error;
  }
}
