import type { Curve, CurveName } from '../ranking/curves.ts';
import type * as api from '../ranking/model.ts';
import { type RankedMember, rankedMember } from './card.ts';
import type { Period } from './period.ts';
import type { VersionedPage } from './read-commands.ts';

/** Rankings as a bot reads them: the content of the API, with the names of the writer. */

/** A part of a ranking. Rows, ranks and total were read at one moment. */
export interface RankingPart {
  readonly data: readonly RankedMember[];
  /** Members in the ranking, including those with XP 0. */
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
  /** Days in a row. */
  readonly dailyStreak: number;
  /** ISO 8601 in UTC, or null when there was none. */
  readonly lastDailyClaim: string | null;
}

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

export function rankingPart({ value: { data, total }, period }: Pick<VersionedPage, 'value' | 'period'>): RankingPart {
  return { data: data.map(rankedMember), total, period };
}

export function memberOf(member: api.LeaderboardMember): Member {
  return { ...rankedMember(member), dailyStreak: member.daily_streak, lastDailyClaim: member.last_daily_claim };
}

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
