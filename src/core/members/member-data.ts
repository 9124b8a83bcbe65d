import { decodeProfile } from '../reads/stored-members.ts';
import { BOARDS, type BoardName, boardKeys, type GuildKeys } from '../store/redis-keys.ts';
import type { ClientStore } from '../store/store.ts';

/**
 * Reads all that is stored of one user in a guild, as it is in Redis, with the field names of `--json`; null when nothing is stored. A part that is
 * not stored is null too. O(log n).
 * @throws StoreUnavailableError
 */
export async function readMemberData({ client, redisKeys }: ClientStore, guild: string, userId: string) {
  const keys = redisKeys.guild(guild);
  const read = ({ xp, hidden, hiddenReasons, members, avatars }: GuildKeys) =>
    Promise.all([
      client.zscore(xp, userId),
      client.zscore(hidden, userId),
      client.hget(hiddenReasons, userId),
      client.hget(members, userId),
      client.hget(avatars, userId),
    ]);
  const readBoard = async (board: BoardName) => {
    const { xp, hidden } = boardKeys(keys.xp, board);
    const gain = (await client.zscore(xp, userId)) ?? (await client.zscore(hidden, userId));
    return gain === null ? [] : [[board, gain] as const];
  };
  const [[xp, hidden_xp, hidden_reasons, stored, avatar], staged, cooldown, season_xp, onBoards] = await Promise.all([
    read(keys),
    read(redisKeys.staging(guild)),
    client.pttl(keys.cooldownPrefix + userId),
    client.zscore(keys.seasonXp, userId),
    Promise.all(BOARDS.map(readBoard)),
  ]);
  const gained = onBoards.flat();
  const [stagedXp, stagedHiddenXp, stagedReasons, stagedProfile, stagedAvatar] = staged;
  const xpStaged = stagedXp ?? stagedHiddenXp;
  const parts = {
    /** XP in the ranking. */
    xp,
    /** XP of a hidden member. */
    hidden_xp,
    /** Why it is hidden, as it is stored; null for a moderator's wish alone, and for a ranked member. */
    hidden_reasons,
    profile: profileData(stored),
    /** Discord's hash of the avatar. */
    avatar,
    /** Milliseconds until the next award counts. */
    cooldown_ms: cooldown > 0 ? cooldown : null,
    /** XP that an unfinished end of a season has archived. */
    season_xp,
    /** XP gained on each board, as it is stored, by the board's name. */
    boards: gained.length > 0 ? Object.fromEntries(gained) : null,
    /** The member of an unfinished import. */
    staged:
      xpStaged === null
        ? null
        : { xp: xpStaged, hidden_reasons: stagedReasons, profile: profileData(stagedProfile), avatar: stagedAvatar },
  };
  return Object.values(parts).every((part) => part === null) ? null : { guild, user_id: userId, ...parts };
}

/** Returns a profile, and the text that is stored of it. */
function profileData(stored: string | null) {
  if (stored === null) return null;
  const { username, level, dailyStreak, lastDailyClaim } = decodeProfile(stored);
  return { stored, username, level, daily_streak: dailyStreak, last_daily_claim: lastDailyClaim };
}
