import { readUsage } from '../../core/access/usage-reader.ts';
import { isUnreadable } from '../../core/errors.ts';
import type { GuildDirectory } from '../../core/guilds/guild-directory.ts';
import { ID_PATTERN } from '../../core/ranking/model.ts';
import type { Parts } from '../guild-page.ts';
import { knownServers } from '../known-servers.ts';
import { readServer, type ShownServer, shownServer } from '../shown-server.ts';

/** A server with the facts by which the list can be sorted. */
interface ListedServer extends ShownServer {
  /** Requests counted in the running hour. */
  readonly requests: number;
  /** Requests that were refused in the running hour. */
  readonly refused: number;
}

/** Orders of the list, with their labels. */
export const SORTS = {
  name: 'By name',
  members: 'Most members',
  requests: 'Most requests',
  refused: 'Most refused',
} as const;

/** An order of the list. */
export type Sort = keyof typeof SORTS;

/** Servers that are read at once. Redis serves other clients between two reads. */
const PER_READ = 100;
/** Facts that are this old are read again before they are shown, in milliseconds. */
const STALE_AFTER_MS = 30_000;

/**
 * Finds and sorts the servers for the operator. Keeps the facts by which it sorts for half a minute. The directory has at most 50,000 servers, and a
 * name at most 400 bytes, so the facts take about 40 MB at most.
 */
export class ServerList {
  /** The servers by id, each with the time at which it was read. */
  private readonly known = new Map<string, { readonly server: ListedServer; readonly readAt: number }>();

  /** @param monotonic milliseconds on a clock that never goes back. */
  constructor(
    private readonly parts: Parts,
    private readonly directory: GuildDirectory,
    private readonly monotonic: () => number,
  ) {}

  /**
   * Returns the servers whose name or id contains a text, without case, in an order. If Redis has more servers than the directory keeps, the other
   * servers are found only by their whole id. O(n log n) for n servers; four to six commands for each of them, at most once in half a minute.
   * @throws StoreUnavailableError
   */
  async find(search: string, sort: Sort) {
    const { guildIds, isComplete, isCut } = await this.directory.list();
    const all = await this.readAll(guildIds);
    const wanted = search.toLowerCase();
    const found = all.filter(
      ({ id, name }) => id.toLowerCase().includes(wanted) || name.toLowerCase().includes(wanted),
    );
    const isListed = guildIds.includes(search);
    const [unlisted] = isListed || !ID_PATTERN.test(search) ? [] : await knownServers(this.parts, [search]);
    if (unlisted !== undefined) found.push(await this.read(unlisted));
    const byName = found.sort((a, b) => a.name.localeCompare(b.name, 'en') || a.id.localeCompare(b.id));
    const sorted = sort === 'name' ? byName : byName.sort((a, b) => b[sort] - a[sort]);
    return { servers: sorted, isComplete, isCut, isNew: search !== '' && !isListed };
  }

  /** Returns servers as they were within the last half minute, in the order of `guildIds`. Forgets all other servers. */
  private async readAll(guildIds: readonly string[]): Promise<ListedServer[]> {
    const readAt = this.monotonic();
    const stale = guildIds.filter((id) => {
      const entry = this.known.get(id);
      return !entry || readAt - entry.readAt > STALE_AFTER_MS;
    });
    for (let i = 0; i < stale.length; i += PER_READ) {
      const read = await Promise.all(stale.slice(i, i + PER_READ).map((id) => this.read(id)));
      for (const server of read) this.known.set(server.id, { server, readAt });
    }
    const listed = new Set(guildIds);
    for (const id of this.known.keys()) if (!listed.has(id)) this.known.delete(id);
    return guildIds.flatMap((id) => this.known.get(id)?.server ?? []);
  }

  private async read(guildId: string): Promise<ListedServer> {
    const { client, redisKeys, now } = this.parts;
    try {
      const [server, requests] = await Promise.all([
        readServer(this.parts, guildId),
        client.get(redisKeys.quota(guildId)),
      ]);
      // Without a counted request in this hour, no request was refused in it.
      const hours = requests === null ? [] : (await readUsage(this.parts, guildId, now())).hours;
      return { ...server, requests: Number(requests ?? 0), refused: hours.at(-1)?.refused ?? 0 };
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      return { ...shownServer(guildId, guildId, 0), requests: 0, refused: 0 };
    }
  }
}
