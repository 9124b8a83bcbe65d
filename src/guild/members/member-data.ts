import { BOARDS, type BoardName, boardKeys, type GuildKeys } from '../../store/keys.ts';
import type { Store } from '../../store/store.ts';
import { decodeProfile } from './stored-members.ts';

/** A profile, and the text that is stored of it. */
interface ProfileData {
  readonly stored: string;
  readonly username: string | null;
  readonly level: number | null;
  readonly daily_streak: number;
  readonly last_daily_claim: string | null;
}

/** All that is stored of one user in a guild, as it is in Redis, with the field names of `--json`. */
export interface MemberData {
  readonly guild: string;
  readonly user_id: string;
  /** XP in the ranking, or null. */
  readonly xp: string | null;
  /** XP of a hidden member, or null. */
  readonly hidden_xp: string | null;
  /** Why it is hidden, as it is stored; null for a moderator's wish alone, and for a ranked member. */
  readonly hidden_reasons: string | null;
  readonly profile: ProfileData | null;
  /** Milliseconds until the next award counts; null without a cooldown. */
  readonly cooldown_ms: number | null;
  /** XP that an unfinished end of a season has archived, or null. */
  readonly season_xp: string | null;
  /** XP gained on each board, as it is stored, by the board's name; null when there is none. */
  readonly boards: Readonly<Record<string, string>> | null;
  /** The member of an unfinished import, or null. */
  readonly staged: {
    readonly xp: string;
    readonly hidden_reasons: string | null;
    readonly profile: ProfileData | null;
  } | null;
}

/** Reads all that is stored of a user in a guild; null when there is nothing. O(log n). @throws StoreUnavailableError */
export async function readMemberData(
  { client, redisKeys }: Pick<Store, 'client' | 'redisKeys'>,
  guild: string,
  userId: string,
): Promise<MemberData | null> {
  const keys = redisKeys.guild(guild);
  const read = ({ xp, hidden, hiddenReasons, members }: GuildKeys) =>
    Promise.all([
      client.zscore(xp, userId),
      client.zscore(hidden, userId),
      client.hget(hiddenReasons, userId),
      client.hget(members, userId),
    ]);
  const readBoard = async (board: BoardName) => {
    const { xp, hidden } = boardKeys(keys.xp, board);
    const gain = (await client.zscore(xp, userId)) ?? (await client.zscore(hidden, userId));
    return gain === null ? [] : [[board, gain] as const];
  };
  const [[xp, hidden_xp, hidden_reasons, stored], staged, cooldown, season_xp, onBoards] = await Promise.all([
    read(keys),
    read(redisKeys.staging(guild)),
    client.pttl(keys.cooldownPrefix + userId),
    client.zscore(keys.seasonXp, userId),
    Promise.all(BOARDS.map(readBoard)),
  ]);
  const gained = onBoards.flat();
  const [stagedXp, stagedHiddenXp, stagedReasons, stagedProfile] = staged;
  const xpStaged = stagedXp ?? stagedHiddenXp;
  const parts = {
    xp,
    hidden_xp,
    hidden_reasons,
    profile: profileData(stored),
    cooldown_ms: cooldown > 0 ? cooldown : null,
    season_xp,
    boards: gained.length > 0 ? Object.fromEntries(gained) : null,
    staged:
      xpStaged === null ? null : { xp: xpStaged, hidden_reasons: stagedReasons, profile: profileData(stagedProfile) },
  };
  return Object.values(parts).every((part) => part === null) ? null : { guild, user_id: userId, ...parts };
}

function profileData(stored: string | null): ProfileData | null {
  if (stored === null) return null;
  const { username, level, dailyStreak, lastDailyClaim } = decodeProfile(stored);
  return { stored, username, level, daily_streak: dailyStreak, last_daily_claim: lastDailyClaim };
}
