import type { Grant } from '../access/invites.ts';
import { findInvite, hashToken, newToken, takeInvite } from '../access/invites.ts';
import { endSessions, sessionGeneration } from '../access/session-generation.ts';
import type { RedisClient } from '../store/client.ts';
import type { RedisKeys } from '../store/keys.ts';

/** How long a session lives from its sign-in, in seconds. */
export const SESSION_TTL_S = 12 * 3600;

/** A person who is signed in. */
export interface Session extends Grant {
  /** Begin of the hash of its token: it tells sessions apart in the audit log. */
  readonly id: string;
  /** The text that every form must carry. It follows from the token of the session, and the token does not follow from it. */
  readonly formToken: string;
}

/** What is stored of a session, beside the hash of its token in the name of the Redis key. */
interface Stored extends Grant {
  /** Text of the generation at the sign-in. */
  readonly generation: string;
}

/** Opens, finds and ends sessions. Every method can throw StoreUnavailableError. */
export class Sessions {
  constructor(
    private readonly client: RedisClient,
    private readonly redisKeys: RedisKeys,
  ) {}

  /**
   * Uses an invite up and opens a session with a new token. The invite is taken last, so that a failure before leaves it good.
   * @returns null when the invite is unknown, used or over, or all sessions were ended since it was made.
   */
  async open(inviteToken: string): Promise<{ readonly token: string; readonly session: Session } | null> {
    const invite = await findInvite(this.client, this.redisKeys, inviteToken);
    if (!invite) return null;
    const { text: generation, endedAt } = await sessionGeneration(this.client, this.generationKey(invite));
    const { madeAt, ...grant } = invite;
    if (madeAt <= endedAt) return null;
    const token = newToken();
    const key = this.redisKeys.session(hashToken(token));
    const stored: Stored = { ...grant, generation };
    await this.client.set(key, JSON.stringify(stored), 'EX', SESSION_TTL_S);
    if (await takeInvite(this.client, this.redisKeys, inviteToken, grant)) {
      return { token, session: sessionOf(token, grant) };
    }
    await this.close(token);
    return null;
  }

  /** Returns the session of a token, or null if it is unknown, over or ended. Two round trips. */
  async find(token: string): Promise<Session | null> {
    const text = await this.client.get(this.redisKeys.session(hashToken(token)));
    if (text === null) return null;
    const { generation, guildId, userId } = JSON.parse(text) as Stored;
    const current = await this.client.get(this.generationKey({ guildId }));
    return current === generation ? sessionOf(token, { guildId, userId }) : null;
  }

  /** Ends one session. */
  async close(token: string): Promise<void> {
    await this.client.del(this.redisKeys.session(hashToken(token)));
  }

  /** Ends all sessions of the guild, or of the operator, and the invites that were made before. */
  closeAll(of: Pick<Grant, 'guildId'>): Promise<void> {
    return endSessions(this.client, this.generationKey(of));
  }

  private generationKey({ guildId }: Pick<Grant, 'guildId'>): string {
    return guildId === null ? this.redisKeys.operatorSessions : this.redisKeys.guild(guildId).sessions;
  }
}

function sessionOf(token: string, { guildId, userId }: Grant): Session {
  return { guildId, userId, id: hashToken(token).slice(0, 8), formToken: hashToken(`form ${token}`) };
}
