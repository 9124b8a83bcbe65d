import type { RedisClient } from '../redis/redis-client.ts';
import type { RedisKeys } from '../redis/redis-keys.ts';
import { withStoreErrors } from '../redis/scripts.ts';

/** All that is stored of one user in a guild, as it is in Redis, with the field names of `--json`. */
export interface MemberData {
  readonly guild: string;
  readonly user_id: string;
  /** XP in the ranking, or null. */
  readonly xp: string | null;
  /** XP of a hidden member, or null. */
  readonly hidden_xp: string | null;
  readonly profile: Readonly<Record<string, string>>;
  /** Milliseconds until the next award counts; null without a cooldown. */
  readonly cooldown_ms: number | null;
  /** XP that an unfinished end of a season has archived, or null. */
  readonly season_xp: string | null;
  /** The member of an unfinished import, or null. */
  readonly staged: { readonly xp: string; readonly profile: Readonly<Record<string, string>> } | null;
}

/** Reads all that is stored of a user in a guild; null when there is nothing. O(log n). @throws StoreUnavailableError */
export async function readMemberData(
  { client, redisKeys }: { readonly client: RedisClient; readonly redisKeys: RedisKeys },
  guild: string,
  userId: string,
): Promise<MemberData | null> {
  const keys = redisKeys.guild(guild);
  const staging = redisKeys.staging(guild);
  const [xp, hidden_xp, profile, cooldown, season_xp, stagedXp, stagedProfile] = await withStoreErrors(
    Promise.all([
      client.zscore(keys.xp, userId),
      client.zscore(keys.hidden, userId),
      client.hgetall(keys.memberPrefix + userId),
      client.pttl(keys.cooldownPrefix + userId),
      client.zscore(keys.seasonXp, userId),
      client.zscore(staging.xp, userId),
      client.hgetall(staging.memberPrefix + userId),
    ]),
  );
  const staged = stagedXp === null ? null : { xp: stagedXp, profile: stagedProfile };
  const cooldown_ms = cooldown > 0 ? cooldown : null;
  const data = { guild, user_id: userId, xp, hidden_xp, profile, cooldown_ms, season_xp, staged };
  const isNothing = [xp, hidden_xp, cooldown_ms, season_xp, staged].every((part) => part === null);
  return isNothing && Object.keys(profile).length === 0 ? null : data;
}
