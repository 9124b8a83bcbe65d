import type { Curve, CurveName } from '../ranking/curves.ts';
import type * as api from '../ranking/model.ts';
import { type RankedMember, rankedMember } from './card.ts';
import type { Period } from './period.ts';
import type { VersionedPage } from './read-commands.ts';

/** Rankings as a bot reads them: the content of the API, with the names of the writer. */

/** Rows of a ranking, with its total. Rows, ranks and total were read at one moment. */
export interface RankingPart {
  readonly data: readonly RankedMember[];
  /** Members in the ranking, including members with XP 0. */
  readonly total: number;
  /** The week or month that a board counts; null for the ranking of the guild, and for a board that the guild does not have. */
  readonly period: Period | null;
}

/** One page of a ranking. */
export interface RankingPage extends RankingPart {
  /** Page number from 1. */
  readonly page: number;
}

/** A ranked member with its daily claims. */
export interface Member extends RankedMember {
  /** Days on which the member has claimed in a row. */
  readonly dailyStreak: number;
  /** Time of the last claim, as ISO 8601 in UTC; null if the member has never claimed. */
  readonly lastDailyClaim: string | null;
}

/** The totals of a guild, or of one of its boards, with the numbers of its curve. */
export interface GuildStats {
  /** Members with XP > 0. */
  readonly totalMembers: number;
  /** A bigint, because the sum can pass 2^53. */
  readonly totalXp: bigint;
  /** Mean level of the members with XP > 0, rounded to the nearest integer; 0 without members. */
  readonly averageLevel: number;
  readonly xpCurve: CurveName | 'custom';
  /** The numbers of the curve, for `levelForXp`, `xpForLevel` and `progress` of `guildrank-kit/curves`. */
  readonly curve: Curve;
  readonly xpMultiplier: number;
}

/** Makes the part of a ranking that bots get from a page that was read. O(rows). */
export function rankingPart({ value: { data, total }, period }: Pick<VersionedPage, 'value' | 'period'>): RankingPart {
  return { data: data.map(rankedMember), total, period };
}

/** Makes a member as bots get it, with its daily claims, from a member of the API. */
export function memberOf(member: api.LeaderboardMember): Member {
  return { ...rankedMember(member), dailyStreak: member.daily_streak, lastDailyClaim: member.last_daily_claim };
}

/** Makes the totals as bots get them from the totals of the API. @param curve the curve that the totals were read with. */
export function guildStats(stats: api.LeaderboardStats, curve: Curve): GuildStats {
  return {
    totalMembers: stats.total_members,
    totalXp: stats.total_xp,
    averageLevel: stats.average_level,
    xpCurve: stats.xp_curve,
    curve,
    xpMultiplier: stats.xp_multiplier,
  };
}
