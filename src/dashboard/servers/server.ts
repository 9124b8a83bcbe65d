import { cutText } from '../../core/bounds.ts';
import type { ClientStore } from '../../core/store/store.ts';

/** The host of pictures on Discord. Browsers ask it only if people can sign in with Discord, so that it knows them already. */
export const PICTURE_HOST = 'https://cdn.discordapp.com';

/** Discord's hash of a picture. That of one that moves has a still picture too. */
const PICTURE_HASH = /^(?:a_)?[0-9a-f]{32}$/;

/** The most bytes of a name that the pages show. */
const NAME_BYTES = 400;

/** The store, and whether people can sign in with Discord. */
interface ServerParts extends ClientStore {
  readonly discord: object | null;
}

/** A server as the pages name it. */
export interface Server {
  readonly id: string;
  /** What the bot calls it; its id where the bot has not told the name. */
  readonly name: string;
  /** First letter or digit of the name, in the place of a picture. */
  readonly initial: string;
  /** Address of its picture; null = there is none to show. */
  readonly picture: string | null;
}

/** Returns servers in the order of their ids. O(n), one round trip. @throws StoreUnavailableError */
export function serversOf({ client, redisKeys, discord }: ServerParts, guildIds: readonly string[]): Promise<Server[]> {
  return Promise.all(
    guildIds.map(async (id) => {
      const [told, icon] = await client.hmget(redisKeys.guild(id).about, 'name', 'icon');
      const name = cutText(told || id, NAME_BYTES);
      const hasPicture = discord !== null && PICTURE_HASH.test(icon ?? '');
      const picture = hasPicture ? `${PICTURE_HOST}/icons/${encodeURIComponent(id)}/${icon}.png?size=64` : null;
      return { id, name, initial: initialOf(name), picture };
    }),
  );
}

/** Returns a server. One round trip. @throws StoreUnavailableError */
export async function serverOf(parts: ServerParts, guildId: string): Promise<Server> {
  const [server] = await serversOf(parts, [guildId]);
  return server ?? { id: guildId, name: guildId, initial: initialOf(guildId), picture: null };
}

function initialOf(name: string): string {
  const [first = '?'] = /[\p{L}\p{N}]\p{M}*/u.exec(name) ?? [];
  return first.toLocaleUpperCase('en');
}
