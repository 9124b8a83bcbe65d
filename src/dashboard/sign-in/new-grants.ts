import { sessionGeneration } from '../../core/access/session-generation.ts';
import type { ClientStore } from '../../core/store/store.ts';
import { RefusedPage } from '../refused-page.ts';
import type { FoundSession, Grant, GrantSource, LiveGrant } from './session-types.ts';

/** Most grants of a session: 200 servers of Discord, and links. Its record has about 50 kB then. */
const MAX_GRANTS = 300;

/** The person who signs in, and the servers that this person may open. */
export interface Person {
  /** User id of the person; "" = nobody said who the person is. */
  readonly userId: string;
  /** The name of the person as Discord shows it; "" for a link. */
  readonly name: string;
  /** Text of the generation of the person's sessions; "" without a user id. */
  readonly generation: string;
  readonly source: GrantSource;
  readonly grants: readonly Grant[];
}

/** Returns grants of these servers with their present generations. Three round trips. @throws StoreUnavailableError */
export function newGrants(
  store: ClientStore,
  guildIds: readonly (string | null)[],
  source: GrantSource,
): Promise<Grant[]> {
  return Promise.all(
    guildIds.map(async (guildId) => {
      const { text } = await sessionGeneration(store, store.redisKeys.sessionsOf(guildId).sessions);
      return { guildId, source, generation: text };
    }),
  );
}

/**
 * Returns the grants of the earlier session of the same person that a new session keeps: all except grants that the sign-in renews, and grants by
 * Discord that Discord no longer confirms.
 */
export function keptGrants({ grants }: FoundSession, { grants: given, source }: Person): LiveGrant[] {
  const isGiven = (grant: Grant) => given.some(({ guildId }) => guildId === grant.guildId);
  return grants.filter((grant) => !isGiven(grant) && !(source === 'discord' && grant.source === 'discord'));
}

/** @throws RefusedPage when a session would get more grants than it can have. */
export function requireRoom(grants: number): void {
  if (grants <= MAX_GRANTS) return;
  const message = `A sign-in opens ${MAX_GRANTS} servers at most. Sign out in this browser, and then sign in again.`;
  throw new RefusedPage(409, 'Too many servers', message);
}
