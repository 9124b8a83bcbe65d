import type { Store } from '../cli/store.ts';
import { LeaderboardReader } from '../leaderboard/reader.ts';
import { CommandBatcher } from '../redis/command-batcher.ts';
import { Scripts, withStoreErrors } from '../redis/commands.ts';

/** What is stored of a guild, in the form `--json` prints. */
export interface Overview {
  readonly guild: string;
  /** Whether anything at all is stored of it. */
  readonly exists: boolean;
  readonly plan: string;
  readonly requests_per_hour: number;
  readonly xp_curve: string;
  readonly xp_multiplier: number;
  /** Members in the ranking. */
  readonly ranked: number;
  /** Members with XP > 0. */
  readonly members: number;
  readonly total_xp: bigint;
  readonly average_level: number;
  readonly keys: number;
  /** Requests counted in the running hour, refused ones included. */
  readonly quota_used: number;
  /** Seconds until the count starts anew; null when no hour is running. */
  readonly quota_resets_in_s: number | null;
}

/** Reads a guild's overview. O(1), two round trips; its parts can be some microseconds apart. */
export async function readOverview(
  { client, redisKeys }: Store,
  planQuotas: ReadonlyMap<string, number>,
  guild: string,
): Promise<Overview> {
  const names = redisKeys.guild(guild);
  const jobs = new CommandBatcher(client, new Scripts(client), redisKeys);
  const stats = await new LeaderboardReader(jobs).stats(guild);
  const [plan, ranked, keyCount, used, ttl, config] = await withStoreErrors(
    Promise.all([
      client.hget(names.config, 'plan'),
      client.zcard(names.xp),
      client.hlen(names.apiKeys),
      client.get(redisKeys.quota(guild)),
      client.pttl(redisKeys.quota(guild)),
      client.hlen(names.config),
    ]),
  );
  const { value, revision } = stats;
  const known = plan !== null && planQuotas.has(plan) ? plan : 'free';
  return {
    guild,
    exists: revision !== '' || ranked + keyCount + config > 0 || used !== null,
    plan: known,
    requests_per_hour: planQuotas.get(known) ?? 0,
    xp_curve: value.xp_curve,
    xp_multiplier: value.xp_multiplier,
    ranked,
    members: value.total_members,
    total_xp: value.total_xp,
    average_level: value.average_level,
    keys: keyCount,
    quota_used: Number(used ?? 0),
    quota_resets_in_s: ttl > 0 ? Math.ceil(ttl / 1000) : null,
  };
}
