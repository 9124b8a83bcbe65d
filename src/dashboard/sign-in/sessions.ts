import { findInvite, type Grant, hashToken, newToken, takeInvite } from '../../core/access/invites.ts';
import { CLOCKS_DIFFER_US, endSessions, sessionGeneration } from '../../core/access/session-generation.ts';
import type { ClientStore } from '../../core/store/store.ts';
import { inTurn } from '../one-at-a-time.ts';

/** How long a session lives from its sign-in, in seconds. */
export const SESSION_TTL_S = 12 * 3600;

/** Sessions that a list names: the latest. */
const LISTED = 100;

/** A person who is signed in. */
export interface Session extends Grant {
  /** Begin of the hash of its token: it tells sessions apart in the audit log and in lists. */
  readonly id: string;
  /** The text that every form must carry. It follows from the token of the session, and the token does not follow from it. */
  readonly formToken: string;
}

/** A session in the list of its guild, or of the operator. */
interface ListedSession extends Pick<Session, 'id' | 'userId'> {
  /** Time of its sign-in, ISO 8601 in UTC. */
  readonly since: string;
}

/** What is stored of a session, beside the hash of its token in the name of the Redis key. */
interface Stored extends Grant {
  /** Text of the generation at the sign-in. */
  readonly generation: string;
}

/** Opens, finds, lists and ends sessions, of a guild or of the operator (null). Every method can throw StoreUnavailableError. */
export class Sessions {
  private readonly openInTurn = inTurn();

  /** @param now milliseconds since the epoch. */
  constructor(
    private readonly store: ClientStore,
    private readonly now: () => number,
  ) {}

  /**
   * Uses an invite up and opens a session with a new token. The invite is taken last, so that a failure before leaves it good.
   * @param announce told of the session before it opens. A failure opens none.
   * @returns null when the invite is unknown, used or over, or all sessions were ended since it was made.
   */
  open(
    inviteToken: string,
    announce: (session: Session) => Promise<void>,
  ): Promise<{ readonly token: string; readonly session: Session } | null> {
    // Of two calls at once, the second finds no invite, and is announced nowhere.
    return this.openInTurn(hashToken(inviteToken), () => this.openFirst(inviteToken, announce));
  }

  private async openFirst(
    inviteToken: string,
    announce: (session: Session) => Promise<void>,
  ): Promise<{ readonly token: string; readonly session: Session } | null> {
    const { client, redisKeys } = this.store;
    const invite = await findInvite(this.store, inviteToken);
    if (!invite) return null;
    const { text: generation, endedAt, now } = await sessionGeneration(this.store, invite.guildId);
    const { madeAt, ...grant } = invite;
    // An invite of a clock that was ahead would work until then.
    if (madeAt <= endedAt || madeAt > now + CLOCKS_DIFFER_US) return null;
    const token = newToken();
    const sha = hashToken(token);
    const stored: Stored = { ...grant, generation };
    await client.set(redisKeys.session(sha), JSON.stringify(stored), 'EX', SESSION_TTL_S);
    await this.enlist(grant.guildId, sha);
    const session = sessionOf(sha, token, grant);
    await announce(session);
    if (await takeInvite(this.store, inviteToken, grant)) return { token, session };
    await this.end(sha);
    return null;
  }

  /** Returns the session of a token, or null if it is unknown, over or ended. Two round trips. */
  async find(token: string): Promise<Session | null> {
    const { client, redisKeys } = this.store;
    const sha = hashToken(token);
    const [text, ttl] = await Promise.all([client.get(redisKeys.session(sha)), client.ttl(redisKeys.session(sha))]);
    // A session with more time left than any gets was opened by a clock that was ahead.
    if (text === null || ttl > SESSION_TTL_S) return null;
    const { generation, guildId, userId } = JSON.parse(text) as Stored;
    const current = await client.get(redisKeys.sessionsOf(guildId).sessions);
    return current === generation ? sessionOf(sha, token, { guildId, userId }) : null;
  }

  /** Returns the latest sessions, newest first: 100 at most. Two round trips, O(n) for n of them. */
  async list(guildId: string | null): Promise<ListedSession[]> {
    const { client, redisKeys } = this.store;
    const { sessions, open } = redisKeys.sessionsOf(guildId);
    const [scored, current] = await Promise.all([
      client.zrevrange(open, 0, LISTED - 1, 'WITHSCORES'),
      client.get(sessions),
    ]);
    const found = scored.flatMap((sha, i) => (i % 2 === 0 ? [{ sha, at: Number(scored[i + 1]) }] : []));
    const texts = await Promise.all(found.map(({ sha }) => client.get(redisKeys.session(sha))));
    return found.flatMap(({ sha, at }, i) => {
      const stored = JSON.parse(texts[i] ?? 'null') as Stored | null;
      // One that ran out, or that opened while all were ended, has no place in the list.
      if (stored === null || stored.generation !== current) return [];
      return [{ id: idOf(sha), userId: stored.userId, since: new Date(at).toISOString() }];
    });
  }

  /** Ends one session. */
  async close(token: string): Promise<void> {
    await this.end(hashToken(token));
  }

  /** Ends the session that has this id. @returns whether there was one. */
  async closeById(guildId: string | null, id: string): Promise<boolean> {
    const { client, redisKeys } = this.store;
    const shas = await client.zrange(redisKeys.sessionsOf(guildId).open, 0, -1);
    const ended = await Promise.all(shas.filter((sha) => idOf(sha) === id).map((sha) => this.end(sha)));
    return ended.includes(true);
  }

  /** Ends all sessions, and the invites that were made before. */
  closeAll(guildId: string | null): Promise<void> {
    return endSessions(this.store, guildId);
  }

  /** Adds a session to its list, and takes those off that have run out. */
  private async enlist(guildId: string | null, sha: string): Promise<void> {
    const { client, redisKeys } = this.store;
    const { open } = redisKeys.sessionsOf(guildId);
    const now = this.now();
    await Promise.all([
      client.zadd(open, now, sha),
      client.zremrangebyscore(open, '-inf', now - SESSION_TTL_S * 1000),
      client.expire(open, SESSION_TTL_S),
    ]);
  }

  /** Ends the session whose token has this hash. @returns whether there was one. */
  private async end(sha: string): Promise<boolean> {
    const { client, redisKeys } = this.store;
    const text = await client.getdel(redisKeys.session(sha));
    if (text === null) return false;
    const { guildId } = JSON.parse(text) as Stored;
    await client.zrem(redisKeys.sessionsOf(guildId).open, sha);
    return true;
  }
}

function sessionOf(sha: string, token: string, { guildId, userId }: Grant): Session {
  return { guildId, userId, id: idOf(sha), formToken: hashToken(`form ${token}`) };
}

function idOf(sha: string): string {
  return sha.slice(0, 8);
}
