import type { ApiKeyStore } from '../access/api-keys.ts';
import { StagedMembers } from '../leaderboard/staged-members.ts';
import { publishInvalidation } from '../redis/invalidation.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import type { RedisKeys } from '../redis/redis-keys.ts';
import { type Scripts, withStoreErrors } from '../redis/scripts.ts';

/** The data that a deletion removed. */
export interface Removed {
  readonly members: number;
  /** Members that an unfinished import had staged. */
  readonly staged: number;
  readonly keys: number;
  readonly config: boolean;
  readonly counters: boolean;
  readonly quota: boolean;
}

interface GuildStore {
  readonly client: RedisClient;
  readonly redisKeys: RedisKeys;
  readonly scripts: Scripts;
  readonly apiKeys: ApiKeyStore;
}

/** Profiles deleted in one step. Redis serves nobody else meanwhile: a few milliseconds. */
const PROFILES_PER_STEP = 500;

/**
 * Deletes all data of a guild. Ranking, counters, configuration and quota go at one moment, then the API keys
 * with the sessions and the audit log of the dashboard, then the profiles in steps.
 * What a bot writes after that moment begins a new guild. A second call finishes an interrupted deletion. O(n log n).
 * @throws InvalidInputError while a --replace of the guild runs; then nothing was touched.
 * @throws StoreUnavailableError
 */
export async function deleteGuild(store: GuildStore, guildId: string): Promise<Removed> {
  const earlier = await purgeProfiles(store, guildId);
  const staged = await StagedMembers.lock(store, guildId);
  const retired = await retire(store, guildId);
  await staged.clear({ unlock: true });
  await publishInvalidation(store.client, store.redisKeys, guildId);
  const keys = await store.apiKeys.revokeAll(guildId);
  const { audit, sessions } = store.redisKeys.guild(guildId);
  await withStoreErrors(store.client.del(audit, sessions));
  await purgeProfiles(store, guildId);
  return { ...retired, members: earlier + retired.members, staged: staged.leftBehind, keys };
}

async function retire(store: GuildStore, guildId: string): Promise<Omit<Removed, 'staged' | 'keys'>> {
  const { xp, stats, config, deleted, hidden, deletedHidden, season, seasonXp } = store.redisKeys.guild(guildId);
  const quotaKey = store.redisKeys.quota(guildId);
  const keys = [xp, stats, config, quotaKey, deleted, hidden, deletedHidden, season, seasonXp];
  for (;;) {
    const reply = await store.scripts.run('retire', keys);
    if (reply[0] !== 'PENDING') {
      const [members, config, counters, quota] = reply.map(Number);
      return { members: members ?? 0, config: config === 1, counters: counters === 1, quota: quota === 1 };
    }
    await purgeProfiles(store, guildId);
  }
}

/** Deletes the profiles of members that are taken away. @returns how many waited. */
async function purgeProfiles({ client, redisKeys, scripts }: GuildStore, guildId: string): Promise<number> {
  const { xp, stats, deleted, deletedHidden, memberPrefix } = redisKeys.guild(guildId);
  for (let purged = 0; ; ) {
    const ranked = await withStoreErrors(client.zrange(deleted, 0, PROFILES_PER_STEP - 1));
    const userIds =
      ranked.length > 0 ? ranked : await withStoreErrors(client.zrange(deletedHidden, 0, PROFILES_PER_STEP - 1));
    if (userIds.length === 0) return purged;
    const keys = [xp, stats, deleted, deletedHidden, ...userIds.map((userId) => memberPrefix + userId)];
    await scripts.run('purge', keys, ...userIds);
    purged += userIds.length;
  }
}
