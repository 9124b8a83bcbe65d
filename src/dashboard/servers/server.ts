import { cutText } from '../../core/bounds.ts';
import type { ClientStore } from '../../core/store/store.ts';

/** The most bytes of a name that the pages show. */
const NAME_BYTES = 400;

/** A server as the pages name it. */
export interface Server {
  readonly id: string;
  /** What the bot calls it; its id where the bot has not told the name. */
  readonly name: string;
}

/** Returns what servers are called, in the order of the ids. O(n), one round trip. @throws StoreUnavailableError */
export function serversOf({ client, redisKeys }: ClientStore, guildIds: readonly string[]): Promise<Server[]> {
  return Promise.all(
    guildIds.map(async (id) => {
      const name = await client.hget(redisKeys.guild(id).about, 'name');
      return { id, name: cutText(name || id, NAME_BYTES) };
    }),
  );
}

/** Returns what a server is called. One round trip. @throws StoreUnavailableError */
export async function serverOf(store: ClientStore, guildId: string): Promise<Server> {
  const [server] = await serversOf(store, [guildId]);
  return server ?? { id: guildId, name: guildId };
}
