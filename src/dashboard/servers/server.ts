import { cutText } from '../../core/bounds.ts';
import type { ClientStore } from '../../core/store/store.ts';

/** A server (guild) as lists and the navigation show it. */
export interface ShownServer {
  readonly id: string;
  /** The name that its bot tells, else the title of its public page, else its id. */
  readonly name: string;
  /** One or two letters in the place of a picture. */
  readonly initials: string;
  /** Number of the colour behind them. */
  readonly tint: number;
  /** Members in the ranking. */
  readonly members: number;
}

/** The most bytes of a name that the pages show. */
const NAME_BYTES = 400;
/** Colours that letters can have behind them: the classes tint-0 and so on of the style sheet. */
const TINTS = 6;

/** Reads a server for the navigation. O(1), one round trip. @throws StoreUnavailableError */
export async function readServer({ client, redisKeys }: ClientStore, guildId: string): Promise<ShownServer> {
  const { about, config, xp } = redisKeys.guild(guildId);
  const [told, title, members] = await Promise.all([
    client.hget(about, 'name'),
    client.hget(config, 'page_title'),
    client.zcard(xp),
  ]);
  return shownServer(guildId, cutText(told || title || guildId, NAME_BYTES), members);
}

/** Reads servers for the navigation, in the order of the ids. O(n), one round trip. @throws StoreUnavailableError */
export function readServersOf(store: ClientStore, guildIds: readonly string[]): Promise<ShownServer[]> {
  return Promise.all(guildIds.map((id) => readServer(store, id)));
}

/** Returns a server of which this is known. */
export function shownServer(id: string, name: string, members: number): ShownServer {
  return { id, name, initials: initialsOf(name), tint: tintOf(id), members };
}

/** Returns the first letters of the first two words of a name. */
function initialsOf(name: string): string {
  return name.split(/\s+/).slice(0, 2).map(initialOf).join('');
}

/** Returns the first letter or digit of a name in upper case; "?" for a name without any. */
export function initialOf(name: string): string {
  const [first = '?'] = /[\p{L}\p{N}]\p{M}*/u.exec(name) ?? [];
  return first.toLocaleUpperCase('en');
}

/** Returns the number of the colour behind the letters of an id: the same for the same id. */
export function tintOf(id: string): number {
  return [...id].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % TINTS;
}
