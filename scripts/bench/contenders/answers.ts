import { levelForXp } from '../../../src/leaderboard/curves.ts';

/** Shapes of the answers, shared by the two servers that compute them, so that they differ only in how they read. */

/** @param pairs user id, XP, user id, XP, ... as ZREVRANGE WITHSCORES returns them. */
export function pageAnswer(
  pairs: readonly string[],
  profiles: readonly (readonly (string | null)[])[],
  total: number,
  page: number,
  first: number,
) {
  const data = profiles.map(([username, level], row) => {
    const userId = pairs[2 * row] as string;
    const xp = Number(pairs[2 * row + 1]);
    return {
      rank: first + row + 1,
      user_id: userId,
      username: username ?? userId,
      level: levelOf(level, xp),
      xp,
    };
  });
  return { data, total, page };
}

export function memberAnswer(userId: string, score: string, rank: number, profile: readonly (string | null)[]) {
  const [username, level, streak, claim] = profile;
  const xp = Number(score);
  return {
    user_id: userId,
    username: username ?? userId,
    level: levelOf(level, xp),
    xp,
    rank: rank + 1,
    daily_streak: Number(streak ?? 0),
    last_daily_claim: claim ?? null,
  };
}

export function statsAnswer(counters: readonly (string | null)[], config: readonly (string | null)[]) {
  const members = Number(counters[0] ?? 0);
  return {
    total_members: members,
    total_xp: Number(counters[1] ?? 0),
    average_level: members === 0 ? 0 : Math.round(Number(counters[2] ?? 0) / members),
    xp_curve: config[0] ?? 'standard',
    xp_multiplier: Number(config[1] ?? 1),
  };
}

function levelOf(stored: string | null | undefined, xp: number): number {
  return stored ? Number(stored) : levelForXp('standard', xp);
}
