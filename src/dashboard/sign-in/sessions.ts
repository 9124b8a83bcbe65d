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

/** How long the word of Discord is good, in milliseconds. */
const CONFIRMED_MS = 3_600_000;

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

  /** Opens a session of a person whom Discord has named, with a new token. @param guildIds what Discord lets this person open. */
  openByDiscord(
    userId: string,
    guildIds: readonly (string | null)[],
    earlier: string | undefined,
    announce: Announce,
  ): Promise<Opened> {
    return this.open({ userId, guildIds, source: 'discord' }, earlier, announce);
  }

  /**
   * Takes over what Discord says of the person of a session now. What it confirms goes on, except where it was ended since; what it no longer
   * names ends, and so does a session that opens nothing more.
   * @param guildIds what Discord lets this person open.
   * @returns whether the session goes on.
   */
  async confirm(token: string, guildIds: readonly (string | null)[], announce: Announce): Promise<boolean> {
    const { client, redisKeys } = this.store;
    const sha = hashToken(token);
    const found = await this.read(token);
    if (!found) return false;
    const { stored } = found;
    const kept = stored.grants.filter(({ source, guildId }) => source === 'link' || guildIds.includes(guildId));
    const ended = stored.grants.filter((grant) => !kept.includes(grant));
    const added = guildIds.filter((guildId) => !stored.grants.some((grant) => grant.guildId === guildId));
    if (kept.length + added.length > MAX_GRANTS) throw tooManyServers();
    const given = await this.grantsOf(added, 'discord');
    const now = this.now();
    const next: StoredSession = { ...stored, checkedAt: now, grants: [...kept, ...given] };
    const session = this.sessionOf(token, { stored: next, grants: found.grants });
    await Promise.all(added.map((guildId) => announce(guildId, session)));
    // A session that was ended meanwhile stays ended.
    const isStored = await client.set(redisKeys.session(sha), JSON.stringify(next), 'KEEPTTL', 'XX');
    if (isStored === null) return false;
    await Promise.all([
      ...ended.map(({ guildId }) => unlistSession(this.store, guildId, sha)),
      ...added.map((guildId) => enlistSession(this.store, guildId, sha, now, now)),
    ]);
    if (await this.read(token)) return true;
    await this.close(token);
    return false;
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
    const kept = isSame ? before.grants.filter((grant) => !isReplaced(grant, person)) : [];
    if (kept.length + person.guildIds.length > MAX_GRANTS) throw tooManyServers();
    const { userId: userIdBefore, checkedAt } = isSame ? before.stored : { userId: '', checkedAt: 0 };
    const userId = person.userId || userIdBefore;
    const now = this.now();
    const given = await this.grantsOf(person.guildIds, person.source);
    const token = newToken();
    const sha = hashToken(token);
    const stored: StoredSession = {
      userId,
      generation: userId ? (await sessionGeneration(this.store, redisKeys.personSessions(userId))).text : '',
      checkedAt: person.source === 'discord' ? now : checkedAt,
      grants: [...kept.map(({ since: _, ...grant }) => grant), ...given],
    };
    await client.set(redisKeys.session(sha), JSON.stringify(stored), 'EX', SESSION_TTL_S);
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
    const age = this.now() - stored.checkedAt;
    // A time in the future comes from a clock that was ahead.
    const isConfirmed = age < CONFIRMED_MS && age > -CONFIRMED_MS;
    const confirmed = grants.filter(({ source }) => source === 'link' || isConfirmed);
    return {
      id: idOf(hashToken(token)),
      formToken: hashToken(`form ${token}`),
      userId: stored.userId,
      isByDiscord: grants.some(({ source }) => source === 'discord'),
      isOperator: confirmed.some(({ guildId }) => guildId === null),
      guildIds: confirmed.flatMap(({ guildId }) => guildId ?? []),
      unconfirmed: grants.filter((grant) => !confirmed.includes(grant)).map(({ guildId }) => guildId),
    };
  }
}

/** Returns whether a sign-in takes the place of a grant: it opens the same server, or Discord no longer names the server. */
function isReplaced({ guildId, source }: Grant, person: Person): boolean {
  return person.guildIds.includes(guildId) || (person.source === 'discord' && source === 'discord');
}

/** Returns whether two user ids can be those of one person: a link can leave out for whom it is. */
export function isOnePerson(one: string, other: string): boolean {
  return one === '' || other === '' || one === other;
}

function tooManyServers(): Refusal {
  const message = `A sign-in opens ${MAX_GRANTS} servers at most. Sign out in this browser, and then sign in again.`;
  return new Refusal(409, 'Too many servers', message);
}
