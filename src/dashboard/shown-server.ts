import { readLabels } from '../core/guilds/description.ts';
import { iconUrl } from '../core/ranking/picture-hash.ts';
import type { ClientStore } from '../core/store/store.ts';
import { cutText } from '../core/text-bounds.ts';
import { nameOf } from '../widget/name.ts';

/**
 * The store, and the sign-in with Discord. Only with it may browsers load pictures from the host of Discord, because Discord knows these people
 * already.
 */
interface ServerParts extends ClientStore {
  readonly discord: object | null;
}

/** A server (guild) as lists and the navigation show it. */
export interface ShownServer {
  readonly id: string;
  /** The name that its bot tells, else the title of its public page, else its id. */
  readonly name: string;
  /** Address of its picture; null = no picture to show. */
  readonly picture: string | null;
  /** One or two letters in the place of a picture. */
  readonly initials: string;
  /** Number of the colour behind them. */
  readonly tint: number;
  /** Members with XP above 0, as the API counts them. */
  readonly members: number;
}

/** The most bytes of a name that the pages show. */
const NAME_BYTES = 400;
/** Colours that letters can have behind them: the classes tint-0 and so on of the style sheet. */
const TINTS = 6;

/** Reads a server for the navigation. O(log m) for m members, one round trip. @throws StoreUnavailableError */
export async function readServer(parts: ServerParts, guildId: string): Promise<ShownServer> {
  const { client, redisKeys, discord } = parts;
  const { config, xp } = redisKeys.guild(guildId);
  const [[label], title, members] = await Promise.all([
    readLabels(parts, [guildId]),
    client.hget(config, 'page_title'),
    client.zcount(xp, '(0', '+inf'),
  ]);
  const name = cutText(visibleName(label?.name ?? '', visibleName(title ?? '', guildId)), NAME_BYTES);
  const picture = discord !== null && label?.icon ? iconUrl(guildId, label.icon, 64) : null;
  return { ...shownServer(guildId, name, members), picture };
}

/** Reads servers for a list, in the order of the ids. Three commands for each, one round trip. @throws StoreUnavailableError */
export function readServersOf(store: ServerParts, guildIds: readonly string[]): Promise<ShownServer[]> {
  return Promise.all(guildIds.map((id) => readServer(store, id)));
}

/** Returns a name, or another text instead of a name that nobody can see. */
export function visibleName(name: string, otherwise: string): string {
  return nameOf({ username: name, user_id: otherwise });
}

/** Returns a server with these facts, without a picture. */
export function shownServer(id: string, name: string, members: number): ShownServer {
  return { id, name, picture: null, initials: initialsOf(name), tint: tintOf(id), members };
}

/** Returns the first letters of the first two words of a name. */
function initialsOf(name: string): string {
  return name.split(/\s+/).slice(0, 2).map(firstLetterOf).join('');
}

/** Returns the first letter or digit of a name in upper case; "?" for a name without any. */
export function firstLetterOf(name: string): string {
  const [first = '?'] = /[\p{L}\p{N}]\p{M}*/u.exec(name) ?? [];
  return first.toLocaleUpperCase('en');
}

/** Returns the number of the colour behind the letters of an id: the same for the same id. */
export function tintOf(id: string): number {
  return [...id].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % TINTS;
}
