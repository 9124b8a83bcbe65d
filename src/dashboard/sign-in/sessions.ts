import { findInvite, hashToken, type Invite, newToken, takeInvite } from '../../core/access/invites.ts';
import {
  CLOCKS_DIFFER_US,
  endPersonSessions,
  endSessions,
  sessionGeneration,
} from '../../core/access/session-generation.ts';
import type { ClientStore } from '../../core/store/store.ts';
import { inTurn } from '../one-at-a-time.ts';
import { Refusal } from '../refusal.ts';
import {
  endListedSession,
  enlistSession,
  findSession,
  idOf,
  type ListedSession,
  listSessions,
  SESSION_TTL_S,
  unlistSession,
} from './session-records.ts';
import type { FoundSession, Grant, GrantSource, Session, StoredSession } from './session-types.ts';

/** Grants that a session has at most: 200 servers of Discord, and links. With them its record has about 50 kB. */
const MAX_GRANTS = 300;

/** A session that has just been opened. */
export interface Opened {
  readonly token: string;
  /** What it opens since this sign-in; null = as the operator. */
  readonly opens: readonly (string | null)[];
  readonly session: Session;
}

/** Is told of each server (null = as the operator) that a session is about to open, before it does. A failure opens none. */
export type Announce = (guildId: string | null, session: Session) => Promise<void>;

/** Who signs in, and what this person may open. */
interface Person {
  /** "" = nobody said who it is. */
  readonly userId: string;
  readonly guildIds: readonly (string | null)[];
  readonly source: GrantSource;
}

/**
 * Opens, renews and ends sessions. A session is of one person, and opens some servers or everything (the operator). Every method can throw
 * StoreUnavailableError.
 */
export class Sessions {
  private readonly openInTurn = inTurn();

  /**
   * @param now milliseconds since the epoch.
   * @param operators user ids of the people who are operators when they sign in with Discord; null = there is no sign-in with Discord.
   */
  constructor(
    private readonly store: ClientStore,
    private readonly now: () => number,
    private readonly operators: readonly string[] | null,
  ) {}

  /** Returns an invite that opens a session if its button is pressed now; null when it is unknown, used, over, or ended. */
  async findInvite(inviteToken: string): Promise<Invite | null> {
    const { redisKeys } = this.store;
    const invite = await findInvite(this.store, inviteToken);
    if (!invite) return null;
    const { guildId, userId, madeAt } = invite;
    const generations = await Promise.all([
      sessionGeneration(this.store, redisKeys.sessionsOf(guildId).sessions),
      ...(userId ? [sessionGeneration(this.store, redisKeys.personSessions(userId))] : []),
    ]);
    // An invite of a clock that was ahead would work until then.
    const isGood = generations.every(({ endedAt, now }) => madeAt > endedAt && madeAt <= now + CLOCKS_DIFFER_US);
    return isGood ? invite : null;
  }

  /**
   * Uses an invite up and opens a session with a new token. The invite is taken last, so that a failure before leaves it good.
   * @param earlier token of the session of the same browser: what it opens goes on in the new session, if both are of one person.
   * @returns null when the invite is unknown, used or over, or all sessions were ended since it was made.
   */
  openByInvite(inviteToken: string, earlier: string | undefined, announce: Announce): Promise<Opened | null> {
    // Of two calls at once, the second finds no invite, and is announced nowhere.
    return this.openInTurn(hashToken(inviteToken), async () => {
      const invite = await this.findInvite(inviteToken);
      if (!invite) return null;
      const { guildId, userId } = invite;
      const opened = await this.open({ userId, guildIds: [guildId], source: 'link' }, earlier, announce);
      if (await takeInvite(this.store, inviteToken, invite)) return opened;
      await this.close(opened.token);
      return null;
    });
  }

  /** Returns the session of a token, or null if it is unknown, over or ended. Two round trips, O(n) for n servers. */
  async find(token: string): Promise<Session | null> {
    const found = await this.read(token);
    return found && this.sessionOf(token, found);
  }

  /** Returns the latest sessions that open a guild, or the pages of the operator (null), newest first: 100 at most. Three round trips. */
  list(guildId: string | null): Promise<ListedSession[]> {
    return listSessions(this.store, guildId);
  }

  /** Ends what the session with this id may do in a guild, or as the operator (null). @returns whether there was one. */
  endListed(guildId: string | null, id: string): Promise<boolean> {
    return endListedSession(this.store, guildId, id);
  }

  /** Ends one session. */
  async close(token: string): Promise<void> {
    const { client, redisKeys } = this.store;
    const sha = hashToken(token);
    const text = await client.getdel(redisKeys.session(sha));
    if (text === null) return;
    const { grants } = JSON.parse(text) as StoredSession;
    await Promise.all(grants.map(({ guildId }) => unlistSession(this.store, guildId, sha)));
  }

  /** Ends what all sessions may do in a guild, or as the operator (null), and the invites that were made before. */
  closeAll(guildId: string | null): Promise<void> {
    return endSessions(this.store, guildId);
  }

  /** Ends all sessions of the person of a session, and the invites for this person. Ends the session alone when nobody said who it is. */
  async closeAllOf(token: string, { userId }: Session): Promise<void> {
    if (userId) await endPersonSessions(this.store, userId);
    await this.close(token);
  }

  /** Opens a session with a new token. What the earlier session of the same person opens goes on in it, as long as it would have. */
  private async open(person: Person, earlier: string | undefined, announce: Announce): Promise<Opened> {
    const { client, redisKeys } = this.store;
    const before = earlier ? await this.read(earlier) : null;
    const isSame = before !== null && isOnePerson(before.stored.userId, person.userId);
    const kept = isSame ? before.grants.filter(({ guildId }) => !person.guildIds.includes(guildId)) : [];
    if (kept.length + person.guildIds.length > MAX_GRANTS) throw tooManyServers();
    const userId = person.userId || (isSame ? before.stored.userId : '');
    const given = await this.grantsOf(person.guildIds, person.source);
    const token = newToken();
    const sha = hashToken(token);
    const stored: StoredSession = {
      userId,
      generation: userId ? (await sessionGeneration(this.store, redisKeys.personSessions(userId))).text : '',
      checkedAt: before && isSame ? before.stored.checkedAt : 0,
      grants: [...kept.map(({ since: _, ...grant }) => grant), ...given],
    };
    await client.set(redisKeys.session(sha), JSON.stringify(stored), 'EX', SESSION_TTL_S);
    const now = this.now();
    const grants = [...kept, ...given.map((grant) => ({ ...grant, since: now }))];
    await Promise.all(grants.map(({ guildId, since }) => enlistSession(this.store, guildId, sha, since, now)));
    const session = this.sessionOf(token, { stored, grants });
    await Promise.all(given.map(({ guildId }) => announce(guildId, session)));
    return { token, session, opens: person.guildIds };
  }

  /** Returns grants of these servers with their present generations. */
  private grantsOf(guildIds: readonly (string | null)[], source: GrantSource): Promise<Grant[]> {
    return Promise.all(
      guildIds.map(async (guildId) => {
        const { text } = await sessionGeneration(this.store, this.store.redisKeys.sessionsOf(guildId).sessions);
        return { guildId, source, generation: text };
      }),
    );
  }

  private async read(token: string): Promise<FoundSession | null> {
    const found = await findSession(this.store, hashToken(token), this.now());
    const grants = found?.grants.filter((grant) => this.isStillGiven(grant, found.stored.userId)) ?? [];
    return found && grants.length > 0 ? { ...found, grants } : null;
  }

  /** Returns whether the settings still allow a grant: a link stays good, but the operators of the settings can become others. */
  private isStillGiven({ source, guildId }: Grant, userId: string): boolean {
    if (source === 'link') return true;
    return this.operators !== null && (guildId !== null || this.operators.includes(userId));
  }

  private sessionOf(token: string, { stored, grants }: FoundSession): Session {
    return {
      id: idOf(hashToken(token)),
      formToken: hashToken(`form ${token}`),
      userId: stored.userId,
      isOperator: grants.some(({ guildId }) => guildId === null),
      guildIds: grants.flatMap(({ guildId }) => guildId ?? []),
    };
  }
}

/** Returns whether two user ids can be those of one person: a link can leave out for whom it is. */
export function isOnePerson(one: string, other: string): boolean {
  return one === '' || other === '' || one === other;
}

function tooManyServers(): Refusal {
  const message = `A sign-in opens ${MAX_GRANTS} servers at most. Sign out in this browser, and then sign in again.`;
  return new Refusal(409, 'Too many servers', message);
}
