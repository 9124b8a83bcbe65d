import type { CurveName } from './curves.ts';

/** One row of a leaderboard page. */
export interface LeaderboardEntry {
  /** Position on the leaderboard, from 1. */
  readonly rank: number;
  readonly user_id: string;
  readonly username: string;
  readonly level: number;
  /** Total XP, 0 .. 2^53-1. */
  readonly xp: number;
}

/** One page; rows, ranks and total are of one moment. */
export interface LeaderboardPage {
  readonly data: readonly LeaderboardEntry[];
  /** Number of members in the ranking, those with XP 0 included. */
  readonly total: number;
  /** Page number from 1. */
  readonly page: number;
}

export interface Member {
  readonly user_id: string;
  readonly username: string;
  readonly level: number;
  readonly xp: number;
  /** From 1; always the rank that the leaderboard row shows. */
  readonly rank: number;
  /** Days in a row. */
  readonly daily_streak: number;
  /** ISO 8601 in UTC, or null when there was none. */
  readonly last_daily_claim: string | null;
}

export interface GuildStats {
  /** Members with XP > 0. */
  readonly total_members: number;
  /** Can pass 2^53 in sum, hence a bigint. */
  readonly total_xp: bigint;
  /** Mean level of the members with XP > 0, rounded to the nearest integer; 0 without members. */
  readonly average_level: number;
  readonly xp_curve: CurveName;
  readonly xp_multiplier: number;
}

/** Which ids the service accepts for guilds and members: safe in a key name, a path and a log line as they are. */
export const ID_PATTERN = /^[A-Za-z0-9_.-]{1,64}$/;
export const DEFAULT_PAGE_SIZE = 10;
export const MAX_PAGE_SIZE = 100;
