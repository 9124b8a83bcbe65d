import type { ClientStore } from '../store/store.ts';
import { MAX_INVITE_TTL_S, newToken } from './invites.ts';

/**
 * Returns the generation that new sessions of a guild, or of the operator, carry, and begins one if there is none. It is kept for a day
 * after each call, as at a sign-in: no invite and no session lives longer. Three round trips.
 * @param guildId null = the operator.
 * @returns its text, and when all sessions were ended last, in microseconds since the epoch by Redis's clock; 0 = not in the last day.
 * @throws StoreUnavailableError
 */
export async function sessionGeneration({ client, redisKeys }: ClientStore, guildId: string | null) {
  const { sessions: key } = redisKeys.sessionsOf(guildId);
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
export async function endSessions({ client, redisKeys }: ClientStore, guildId: string | null): Promise<void> {
  const { sessions, open } = redisKeys.sessionsOf(guildId);
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
