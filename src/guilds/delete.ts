import type { ApiKeyStore } from '../access/api-keys.ts';
import { InvalidInputError } from '../errors.ts';
import type { LeaderboardWriter } from '../leaderboard/writer.ts';
import { publishInvalidation } from '../redis/invalidation.ts';
import type { RedisKeys } from '../redis/redis-keys.ts';
import { type RedisClient, withStoreErrors } from '../redis/scripts.ts';

/** The data that a deletion removed. */
export interface Removed {
  members: number;
  /** Members that an unfinished import had staged. */
  staged: number;
  keys: number;
  config: boolean;
  counters: boolean;
  quota: boolean;
}

interface GuildStore {
  readonly client: RedisClient;
  readonly redisKeys: RedisKeys;
  readonly apiKeys: ApiKeyStore;
  readonly writer: LeaderboardWriter;
}

/** Members removed in one step. Redis serves nobody else meanwhile: a few milliseconds. */
const MEMBERS_PER_STEP = 500;
const MAX_PASSES = 5;

/**
 * Deletes all data of a guild. The API keys go first, so that nobody reads a half-deleted guild. The counters are exact
 * after every step. An interrupted deletion is finished by a second call. O(n log n).
 * @throws InvalidInputError when members keep being written meanwhile.
 * @throws StoreUnavailableError
 */
export async function deleteGuild(store: GuildStore, guildId: string): Promise<Removed> {
  const { client, redisKeys, apiKeys } = store;
  const { xp, stats, config } = redisKeys.guild(guildId);
  const removed: Removed = { members: 0, staged: 0, keys: 0, config: false, counters: false, quota: false };
  removed.keys = await apiKeys.revokeAll(guildId);
  removed.staged = await deleteStaged(store, guildId);
  const del = async (key: string) => (await withStoreErrors(client.del(key))) === 1;
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    removed.members += await deleteMembers(store, guildId);
    removed.config = (await del(config)) || removed.config;
    removed.counters = (await del(stats)) || removed.counters;
    removed.quota = (await del(redisKeys.quota(guildId))) || removed.quota;
    // A bot may have written after the last step. Its members have no counters now, so they are deleted in a further pass.
    if ((await withStoreErrors(client.zcard(xp))) === 0) {
      await publishInvalidation(client, redisKeys, guildId);
      return removed;
    }
  }
  throw new InvalidInputError(`Guild ${guildId} is still being written to: stop its bot and delete it again`);
}

/** @returns how many members were removed. */
async function deleteMembers({ client, redisKeys, writer }: GuildStore, guildId: string): Promise<number> {
  const { xp } = redisKeys.guild(guildId);
  for (let count = 0; ; ) {
    const userIds = await withStoreErrors(client.zrange(xp, 0, MEMBERS_PER_STEP - 1));
    if (userIds.length === 0) return count;
    count += await writer.remove(guildId, userIds);
  }
}

/** @returns how many staged members were removed. */
async function deleteStaged({ client, redisKeys }: GuildStore, guildId: string): Promise<number> {
  const { xp, stats, memberPrefix } = redisKeys.staging(guildId);
  for (let count = 0; ; ) {
    const userIds = await withStoreErrors(client.zrange(xp, 0, MEMBERS_PER_STEP - 1));
    if (userIds.length === 0) {
      await withStoreErrors(client.del(stats));
      return count;
    }
    await withStoreErrors(client.del(...userIds.map((userId) => memberPrefix + userId)));
    await withStoreErrors(client.zrem(xp, ...userIds));
    count += userIds.length;
  }
}
