import { setTimeout as delay } from 'node:timers/promises';
import { nodesOf } from '../store/client.ts';
import { type ClientStore, withStoreErrors } from '../store/store.ts';

/** Redis keys that one SCAN looks at. A SCAN takes a fraction of a millisecond, in which Redis serves no other client. */
const KEYS_PER_STEP = 1000;
/** A search that is this old is repeated before its result is shown. */
const STALE_AFTER_MS = 30_000;
/** Guilds that are kept at most, each with up to 64 bytes of id. */
const MAX_GUILDS = 50_000;
/** How long a caller waits for a search. It goes on after that. */
const WAIT_MS = 2000;

/** The guilds that a search has found. */
export interface ListedGuilds {
  /** In the order of their ids. */
  readonly guildIds: readonly string[];
  /** Whether the search has looked at all Redis keys; if not, it goes on. */
  readonly isComplete: boolean;
  /** Whether Redis has data of more guilds than are kept. */
  readonly isCut: boolean;
}

/**
 * Finds the guilds that Redis has data of, by SCAN in small steps: the first 50,000 guilds that Redis names, at most. One search runs at a time, and
 * its result is kept for half a minute.
 */
export class GuildDirectory {
  private found: readonly string[] = [];
  private isCut = false;
  private foundAt = Number.NEGATIVE_INFINITY;
  private search: Promise<void> | undefined;
  /** The guilds that the running search has found so far. */
  private partial = new Set<string>();

  constructor(
    private readonly store: ClientStore,
    /** Milliseconds on a clock that never goes back. */
    private readonly now: () => number,
    private readonly maxGuilds = MAX_GUILDS,
  ) {}

  /** Returns the guilds. Waits two seconds at most. O(all Redis keys), but for a search in the last half minute. @throws StoreUnavailableError */
  async list(): Promise<ListedGuilds> {
    if (this.now() - this.foundAt > STALE_AFTER_MS) {
      this.search ??= this.run().finally(() => {
        this.search = undefined;
      });
      await Promise.race([this.search, delay(WAIT_MS, undefined, { ref: false })]);
    }
    const { found, isCut } = this;
    if (!this.search) return { guildIds: found, isComplete: true, isCut };
    // A search that fails after this is repeated by the next call.
    this.search.catch(() => {});
    const guildIds = [...new Set([...found, ...this.partial])].slice(0, this.maxGuilds).sort();
    return { guildIds, isComplete: false, isCut };
  }

  private async run(): Promise<void> {
    this.partial = new Set();
    let isCut = false;
    for await (const guildId of scanGuilds(this.store)) {
      isCut = this.partial.size >= this.maxGuilds && !this.partial.has(guildId);
      if (isCut) break;
      this.partial.add(guildId);
    }
    this.isCut = isCut;
    this.found = [...this.partial].sort();
    this.foundAt = this.now();
  }
}

/** Walks over the ids of all guilds that Redis has data of. An id can come several times. O(all Redis keys), in small steps. @throws StoreUnavailableError */
async function* scanGuilds({ client, redisKeys }: ClientStore): AsyncGenerator<string> {
  for (const node of nodesOf(client, 'master')) {
    const server = withStoreErrors(node);
    let cursor = '0';
    do {
      const [next, keys] = await server.scan(cursor, 'MATCH', redisKeys.guildPattern, 'COUNT', KEYS_PER_STEP);
      for (const key of keys) {
        const guildId = redisKeys.guildIdOf(key);
        if (guildId !== undefined) yield guildId;
      }
      cursor = next;
    } while (cursor !== '0');
  }
}

/** Returns the ids of all guilds that Redis has data of, in their order. O(all Redis keys), in small steps. @throws StoreUnavailableError */
export async function findGuilds(store: ClientStore): Promise<readonly string[]> {
  const found = new Set<string>();
  for await (const guildId of scanGuilds(store)) found.add(guildId);
  return [...found].sort();
}
