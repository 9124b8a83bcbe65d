import type { Store } from '../cli/store.ts';
import { InvalidInputError } from '../errors.ts';
import { withStoreErrors } from '../redis/commands.ts';

/** What a deletion removed. */
export interface Removed {
  members: number;
  /** Members that an unfinished import had staged. */
  staged: number;
  keys: number;
  config: boolean;
  counters: boolean;
  quota: boolean;
}

/** Members removed in one step: a few milliseconds in which Redis serves nobody else. */
const BATCH = 500;
const PASSES = 5;

/**
 * Deletes everything stored of a guild. Keys go first, so that nobody reads a half-deleted guild; the counters are true
 * after every batch, and an interrupted deletion is finished by running it again. O(n log n).
 * @throws InvalidInputError when members keep being written meanwhile.
 * @throws StoreUnavailableError
 */
export async function deleteGuild(store: Store, guildId: string): Promise<Removed> {
  const { client, redisKeys, apiKeys } = store;
  const { xp, stats, config } = redisKeys.guild(guildId);
  const removed: Removed = { members: 0, staged: 0, keys: 0, config: false, counters: false, quota: false };
  removed.keys = await apiKeys.revokeAll(guildId);
  removed.staged = await deleteStaged(store, guildId);
  const del = async (key: string) => (await withStoreErrors(client.del(key))) === 1;
  for (let pass = 0; pass < PASSES; pass++) {
    removed.members += await deleteMembers(store, guildId);
    removed.config = (await del(config)) || removed.config;
    removed.counters = (await del(stats)) || removed.counters;
    removed.quota = (await del(redisKeys.quota(guildId))) || removed.quota;
    // A bot that wrote after the last batch has members again, and counters that lack them: once more.
    if ((await withStoreErrors(client.zcard(xp))) === 0) {
      await apiKeys.publishInvalidation(guildId);
      return removed;
    }
  }
  throw new InvalidInputError(`Guild ${guildId} is still being written to: stop its bot and delete it again`);
}

async function deleteMembers({ client, redisKeys, writer }: Store, guildId: string): Promise<number> {
  const { xp } = redisKeys.guild(guildId);
  for (let count = 0; ; ) {
    const userIds = await withStoreErrors(client.zrange(xp, 0, BATCH - 1));
    if (userIds.length === 0) return count;
    count += await writer.remove(guildId, userIds);
  }
}

async function deleteStaged({ client, redisKeys }: Store, guildId: string): Promise<number> {
  const { xp, stats, memberPrefix } = redisKeys.staging(guildId);
  for (let count = 0; ; ) {
    const userIds = await withStoreErrors(client.zrange(xp, 0, BATCH - 1));
    if (userIds.length === 0) {
      await withStoreErrors(client.del(stats));
      return count;
    }
    await withStoreErrors(client.del(...userIds.map((userId) => memberPrefix + userId)));
    await withStoreErrors(client.zrem(xp, ...userIds));
    count += userIds.length;
  }
}
