import type { ClientStore } from '../../core/store/store.ts';
import type { FoundSession, StoredSession } from './session-types.ts';

/** Seconds for which a session opens a server after the sign-in to that server. */
export const SESSION_TTL_S = 12 * 3600;

/** Sessions that a list names: the latest. */
const LISTED = 100;

/** A session in the list of a guild, or of the operator. */
export interface ListedSession {
  readonly id: string;
  readonly userId: string;
  /** The name of the person, as in {@link StoredSession}. */
  readonly name: string;
  /** Time of its sign-in there, ISO 8601 in UTC. */
  readonly since: string;
}

/** Returns the part of a hash that names its session. */
export function sessionIdOf(sha: string): string {
  return sha.slice(0, 8);
}

/**
 * Returns the session whose token has this hash, with the grants that work; null if the session is unknown or over, or all sessions of its person
 * were ended. Two round trips, O(n) for n grants. @throws StoreUnavailableError
 */
export async function findSession(
  { client, redisKeys }: ClientStore,
  sha: string,
  now: number,
): Promise<FoundSession | null> {
  const [text, ttl] = await Promise.all([client.get(redisKeys.session(sha)), client.ttl(redisKeys.session(sha))]);
  // If a session has more time left than a new session gets, a clock that was ahead has opened it.
  if (text === null || ttl > SESSION_TTL_S) return null;
  const stored = JSON.parse(text) as StoredSession;
  const [generation, ...found] = await Promise.all([
    stored.userId ? client.get(redisKeys.personSessions(stored.userId)) : '',
    ...stored.grants.map(async (grant) => {
      const { sessions, open } = redisKeys.sessionsOf(grant.guildId);
      const [current, since] = await Promise.all([client.get(sessions), client.zscore(open, sha)]);
      const isGood = current === grant.generation && since !== null && Number(since) + SESSION_TTL_S * 1000 > now;
      return isGood ? [{ ...grant, since: Number(since) }] : [];
    }),
  ]);
  return generation === stored.generation ? { stored, grants: found.flat() } : null;
}

/**
 * Adds a session to the list of a guild, or of the operator (null), and removes sessions that are over from the list. One round trip.
 * @throws StoreUnavailableError
 */
export async function enlistSession(
  { client, redisKeys }: ClientStore,
  guildId: string | null,
  sha: string,
  since: number,
  now: number,
): Promise<void> {
  const { open } = redisKeys.sessionsOf(guildId);
  await Promise.all([
    client.zadd(open, since, sha),
    client.zremrangebyscore(open, '-inf', now - SESSION_TTL_S * 1000),
    client.expire(open, SESSION_TTL_S),
  ]);
}

/**
 * Removes a session from the list of a guild, or of the operator (null). The session no longer opens that guild.
 * @returns whether the list had the session.
 * @throws StoreUnavailableError
 */
export async function unlistSession(
  { client, redisKeys }: ClientStore,
  guildId: string | null,
  sha: string,
): Promise<boolean> {
  return (await client.zrem(redisKeys.sessionsOf(guildId).open, sha)) === 1;
}

/**
 * Returns the latest sessions that open a guild, or the operator's pages (null), newest first: 100 at most. Three round trips.
 * @throws StoreUnavailableError
 */
export async function listSessions({ client, redisKeys }: ClientStore, guildId: string | null) {
  const { sessions, open } = redisKeys.sessionsOf(guildId);
  const [scored, current] = await Promise.all([
    client.zrevrange(open, 0, LISTED - 1, 'WITHSCORES'),
    client.get(sessions),
  ]);
  const found = scored.flatMap((sha, i) => (i % 2 === 0 ? [{ sha, at: Number(scored[i + 1]) }] : []));
  const listed = await Promise.all(
    found.map(async ({ sha, at }): Promise<ListedSession[]> => {
      const stored = JSON.parse((await client.get(redisKeys.session(sha))) ?? 'null') as StoredSession | null;
      // Leaves out sessions that are over, and sessions that were opened while all sessions were ended.
      const isOpen = stored?.grants.some((grant) => grant.guildId === guildId && grant.generation === current);
      if (!stored || !isOpen) return [];
      const { userId, name } = stored;
      const ofPerson = userId && (await client.get(redisKeys.personSessions(userId)));
      return ofPerson === stored.generation
        ? [{ id: sessionIdOf(sha), userId, name, since: new Date(at).toISOString() }]
        : [];
    }),
  );
  return listed.flat();
}

/** Ends what the session with this id may do in a guild, or as the operator (null). The session still opens its other servers. @returns whether the session was there. @throws StoreUnavailableError */
export async function endListedSession(store: ClientStore, guildId: string | null, id: string): Promise<boolean> {
  const shas = await store.client.zrange(store.redisKeys.sessionsOf(guildId).open, 0, -1);
  const own = shas.filter((sha) => sessionIdOf(sha) === id);
  const ended = await Promise.all(own.map((sha) => unlistSession(store, guildId, sha)));
  return ended.includes(true);
}
