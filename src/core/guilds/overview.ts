import { RefusedError } from '../errors.ts';
import { StatsCommand } from '../reads/read-commands.ts';
import type { ReadStore } from '../reads/read-store.ts';
import { indexingOf } from '../settings/indexing.ts';
import { LOOK, LOOK_SETTINGS, type LookField, lookOf } from '../settings/page-look.ts';
import type { ClientStore } from '../store/store.ts';

/** @throws RefusedError when nothing is stored of a guild, for example because its id is mistyped. O(1). */
export async function requireGuild({ client, redisKeys }: ClientStore, guild: string): Promise<void> {
  const { xp, hidden, stats, config, apiKeys } = redisKeys.guild(guild);
  const found = await client.exists(xp, hidden, stats, config, apiKeys);
  if (found === 0) throw new RefusedError('guild_unknown', { guild });
}

/** Returns the number of members of a guild, ranked and hidden. O(1), one round trip. @throws StoreUnavailableError */
export async function countStored({ client, redisKeys }: ClientStore, guild: string): Promise<number> {
  const { xp, hidden } = redisKeys.guild(guild);
  const [ranked, others] = await Promise.all([client.zcard(xp), client.zcard(hidden)]);
  return ranked + others;
}

/**
 * Reads the stored state of a guild, with the field names of `--json`. O(1), two round trips; its parts can be some microseconds apart.
 * @param planQuotas requests per hour by plan; a guild on an unknown plan counts as free.
 * @throws StoreUnavailableError
 */
export async function readOverview(
  { client, redisKeys, commands }: ReadStore,
  planQuotas: ReadonlyMap<string, number>,
  guild: string,
) {
  const keys = redisKeys.guild(guild);
  const { value } = await commands.read(new StatsCommand(guild));
  const [
    [storedPlan, boards, timeZone, offset, publicPage, title, index, rewards, avatars, ...look],
    ranked,
    keyCount,
    used,
    ttl,
  ] = await Promise.all([
    client.hmget(
      keys.config,
      'plan',
      'boards',
      'time_zone',
      'utc_offset_minutes',
      'public_page',
      'page_title',
      'page_index',
      'page_rewards',
      'avatars',
      ...LOOK_SETTINGS.map((setting) => LOOK[setting].field),
    ),
    client.zcard(keys.xp),
    client.hlen(keys.apiKeys),
    client.get(redisKeys.quota(guild)),
    client.pttl(redisKeys.quota(guild)),
  ]);
  const plan = typeof storedPlan === 'string' && planQuotas.has(storedPlan) ? storedPlan : 'free';
  return {
    guild,
    plan,
    requests_per_hour: planQuotas.get(plan) ?? 0,
    xp_curve: value.xp_curve,
    xp_multiplier: value.xp_multiplier,
    /** Its boards: `week`, `month`. */
    boards: boards ? boards.split(',') : [],
    /** Time zone of the clock of the boards, null for a guild that has minutes from UTC instead. */
    time_zone: timeZone || null,
    /** Minutes from UTC to the clock of the boards, null for a guild with a time zone. */
    utc_offset_minutes: timeZone ? null : Number(offset ?? 0),
    public_page: publicPage === 'on',
    /** Title of the public page; "" = the guild id. */
    page_title: title ?? '',
    /** What search engines may list of the public page: `leaderboard`, `members` or `none`. */
    page_index: indexingOf(index ?? ''),
    /** Whether the public page shows what levels give and how members earn XP. */
    page_rewards: rewards !== 'off',
    /** Whether pages show the avatars of members. */
    avatars: avatars === '1',
    ...lookFields(look),
    /** Members in the ranking. */
    ranked,
    /** Members with XP > 0. */
    members: value.total_members,
    total_xp: value.total_xp,
    average_level: value.average_level,
    keys: keyCount,
    /** Requests counted in the current quota window; refused requests are not counted. */
    quota_used: Number(used ?? 0),
    /** Seconds until the quota window ends; null when none is open. */
    quota_resets_in_s: ttl > 0 ? Math.ceil(ttl / 1000) : null,
  };
}

/** The state of a guild, as {@link readOverview} returns it. */
export type Overview = Awaited<ReturnType<typeof readOverview>>;

/** Returns colours and picture of the public page, each "" unless it is chosen. */
function lookFields(stored: readonly (string | null)[]): Readonly<Record<LookField, string>> {
  const look = lookOf(stored);
  const fields = LOOK_SETTINGS.map((setting) => [LOOK[setting].field, look[setting]]);
  return Object.fromEntries(fields) as Record<LookField, string>;
}
