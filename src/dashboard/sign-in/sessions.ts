import { findInvite, hashToken, type Invite, newToken, takeInvite } from '../../core/access/invites.ts';
import {
  CLOCKS_DIFFER_US,
  endPersonSessions,
  endSessions,
  sessionGeneration,
} from '../../core/access/session-generation.ts';
import type { ClientStore } from '../../core/store/store.ts';
import { inTurn } from '../one-at-a-time.ts';
import { keptGrants, newGrants, type Person, requireRoom } from './new-grants.ts';
import {
  endListedSession,
  enlistSession,
  findSession,
  type ListedSession,
  listSessions,
  SESSION_TTL_S,
  unlistSession,
} from './session-records.ts';
import type { FoundSession, Grant, Session, StoredSession } from './session-types.ts';
import { isOnePerson, viewOf } from './session-view.ts';

/** A session that has just been opened. */
export interface Opened {
  readonly token: string;
  /** The servers that this sign-in has opened; null = the rights of the operator. */
  readonly opens: readonly (string | null)[];
  readonly session: Session;
}

/** The facts that Discord confirms about the person of a session. */
interface Confirmed {
  /** The servers that the person may open; null = the rights of the operator. */
  readonly guildIds: readonly (string | null)[];
  /** The name of the person; left out if Discord told nothing. */
  readonly name?: string;
}

/** Called with each server (null = as the operator) before a session opens it. If a call fails, the session opens no server. */
export type Announce = (guildId: string | null, session: Session) => Promise<void>;

/**
 * Opens, renews and ends sessions. A session belongs to one person, and opens some servers, or all servers for an operator. Every method can throw
 * StoreUnavailableError.
 */
export class Sessions {
  private readonly openInTurn = inTurn();

  /**
   * @param now milliseconds since the epoch.
   * @param operators user ids of the people who are operators when they sign in with Discord; null = nobody can sign in with Discord.
   */
  constructor(
    private readonly store: ClientStore,
    private readonly now: () => number,
    private readonly operators: readonly string[] | null,
  ) {}

  /** Returns an invite if it would open a session now; null when it is unknown, used or expired, or all sessions were ended since it was made. */
  async findInvite(inviteToken: string): Promise<Invite | null> {
    return (await this.usable(inviteToken))?.invite ?? null;
  }

  /**
   * Uses an invite up and opens a session with a new token. The invite is used up last, so that it still works after a failure.
   * @param earlier token of the session of the same browser. If both sessions belong to the same person, the new session keeps what the earlier
   *   session opens.
   * @returns null when the invite is unknown, used or expired, or all sessions were ended since it was made.
   */
  openByInvite(inviteToken: string, earlier: string | undefined, announce: Announce): Promise<Opened | null> {
    // If two calls race, the second call finds no invite, and does not call `announce`.
    return this.openInTurn(hashToken(inviteToken), async () => {
      const usable = await this.usable(inviteToken);
      if (!usable) return null;
      const { invite, generation, personGeneration } = usable;
      const grant: Grant = { guildId: invite.guildId, source: 'link', generation };
      const person: Person = {
        userId: invite.userId,
        name: '',
        generation: personGeneration,
        source: 'link',
        grants: [grant],
      };
      const opened = await this.open(person, earlier, announce);
      if (await takeInvite(this.store, inviteToken, invite)) return opened;
      await this.close(opened.token);
      return null;
    });
  }

  /** Opens a session of a person whom Discord has named, with a new token. @param guildIds the guilds that Discord lets this person open. */
  async openByDiscord(
    { userId, name }: Pick<Person, 'userId' | 'name'>,
    guildIds: readonly (string | null)[],
    earlier: string | undefined,
    announce: Announce,
  ): Promise<Opened> {
    const [{ text }, grants] = await Promise.all([
      sessionGeneration(this.store, this.store.redisKeys.personSessions(userId)),
      newGrants(this.store, guildIds, 'discord'),
    ]);
    return this.open({ userId, name, generation: text, source: 'discord', grants }, earlier, announce);
  }

  /**
   * Renews a session by what Discord says about its person now. Servers that Discord confirms stay open, unless their sessions were ended since.
   * Servers that Discord no longer names are closed. A session that opens nothing any more ends.
   * @returns whether the session goes on.
   */
  async confirm(token: string, { guildIds, name }: Confirmed, announce: Announce): Promise<boolean> {
    const { client, redisKeys } = this.store;
    const sha = hashToken(token);
    const found = await this.read(token);
    if (!found) return false;
    const { stored } = found;
    const kept = stored.grants.filter(({ source, guildId }) => source === 'link' || guildIds.includes(guildId));
    const ended = stored.grants.filter((grant) => !kept.includes(grant));
    const added = guildIds.filter((guildId) => !stored.grants.some((grant) => grant.guildId === guildId));
    requireRoom(kept.length + added.length);
    const given = await newGrants(this.store, added, 'discord');
    const now = this.now();
    const next: StoredSession = { ...stored, name: name ?? stored.name, checkedAt: now, grants: [...kept, ...given] };
    const session = viewOf(token, { stored: next, grants: found.grants }, now);
    await Promise.all(added.map((guildId) => announce(guildId, session)));
    // XX: a session that was ended in between stays ended.
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

  /** Returns the session of a token; null if the session is unknown, over or ended. Two round trips, O(n) for n servers. */
  async find(token: string): Promise<Session | null> {
    const found = await this.read(token);
    return found && viewOf(token, found, this.now());
  }

  /** Returns the latest sessions that open a guild, or the pages of the operator (null), newest first: 100 at most. Three round trips. */
  list(guildId: string | null): Promise<ListedSession[]> {
    return listSessions(this.store, guildId);
  }

  /** Ends what the session with this id may do in a guild, or as the operator (null). @returns whether there was such a session. */
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

  /** Ends all sessions of the person of a session, and the invites for this person. If the session names no person, ends only this session. */
  async closeAllOf(token: string, { userId }: Session): Promise<void> {
    if (userId) await endPersonSessions(this.store, userId);
    await this.close(token);
  }

  /**
   * Opens a session with a new token. Keeps the servers that the earlier session of the same person opens, for as long as that session would have
   * opened them.
   */
  private async open(person: Person, earlier: string | undefined, announce: Announce): Promise<Opened> {
    const { client, redisKeys } = this.store;
    const before = earlier ? await this.read(earlier) : null;
    const isSame = before !== null && isOnePerson(before.stored.userId, person.userId);
    const kept = isSame ? keptGrants(before, person) : [];
    const { source, grants: given } = person;
    requireRoom(kept.length + given.length);
    // Keeps the generation of the earlier session: if all sessions of the person are ended at this moment, the new session ends too.
    const same = isSame && before.stored.userId !== '' ? before.stored : person;
    const now = this.now();
    const checkedBefore = isSame ? before.stored.checkedAt : 0;
    const token = newToken();
    const sha = hashToken(token);
    const stored: StoredSession = {
      userId: same.userId,
      name: person.name || (isSame ? before.stored.name : ''),
      generation: same.generation,
      checkedAt: source === 'discord' ? now : checkedBefore,
      grants: [...kept.map(({ since: _, ...grant }) => grant), ...given],
    };
    await client.set(redisKeys.session(sha), JSON.stringify(stored), 'EX', SESSION_TTL_S);
    const grants = [...kept, ...given.map((grant) => ({ ...grant, since: now }))];
    await Promise.all(grants.map(({ guildId, since }) => enlistSession(this.store, guildId, sha, since, now)));
    const session = viewOf(token, { stored, grants }, now);
    await Promise.all(given.map(({ guildId }) => announce(guildId, session)));
    return { token, session, opens: given.map(({ guildId }) => guildId) };
  }

  /** Returns an invite that works, and the generations of its server and its person that the session gets. */
  private async usable(inviteToken: string) {
    const { redisKeys } = this.store;
    const invite = await findInvite(this.store, inviteToken);
    if (!invite) return null;
    const { guildId, userId, madeAt } = invite;
    const [ofServer, ofPerson] = await Promise.all([
      sessionGeneration(this.store, redisKeys.sessionsOf(guildId).sessions),
      userId ? sessionGeneration(this.store, redisKeys.personSessions(userId)) : null,
    ]);
    // Refuses an invite with a time in the future: no end of all sessions would end it until the clock reaches that time.
    const isGood = [ofServer, ofPerson ?? ofServer].every(
      ({ endedAt, now }) => madeAt > endedAt && madeAt <= now + CLOCKS_DIFFER_US,
    );
    return isGood ? { invite, generation: ofServer.text, personGeneration: ofPerson?.text ?? '' } : null;
  }

  private async read(token: string): Promise<FoundSession | null> {
    const found = await findSession(this.store, hashToken(token), this.now());
    const grants = found?.grants.filter((grant) => this.isStillGiven(grant, found.stored.userId)) ?? [];
    return found && grants.length > 0 ? { ...found, grants } : null;
  }

  /**
   * Returns whether the settings still allow a grant. They always allow a link, but Discord can be turned off, and the list of operators can change.
   */
  private isStillGiven({ source, guildId }: Grant, userId: string): boolean {
    if (source === 'link') return true;
    return this.operators !== null && (guildId !== null || this.operators.includes(userId));
  }
}
