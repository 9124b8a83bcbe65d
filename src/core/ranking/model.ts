import type { BoardName } from '../store/redis-keys.ts';
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

/** One page. Rows, ranks and total were read at one moment. */
export interface LeaderboardPage {
  readonly data: readonly LeaderboardEntry[];
  /** Members in the ranking, including those with XP 0. */
  readonly total: number;
  /** Page number from 1. */
  readonly page: number;
}

/** A ranked member with its daily claims. */
export interface LeaderboardMember extends LeaderboardEntry {
  /** Days in a row. */
  readonly daily_streak: number;
  /** ISO 8601 in UTC, or null when there was none. */
  readonly last_daily_claim: string | null;
}

export interface LeaderboardStats {
  /** Members with XP > 0. */
  readonly total_members: number;
  /** A bigint, because the sum can pass 2^53. */
  readonly total_xp: bigint;
  /** Mean level of the members with XP > 0, rounded to the nearest integer; 0 without members. */
  readonly average_level: number;
  readonly xp_curve: CurveName | 'custom';
  readonly xp_multiplier: number;
}

/** Why a member is hidden, in the order in which reasons are stored: it left the server, wants it, or a moderator wants it. */
export const HIDE_REASONS = ['left', 'self', 'moderator'] as const;
export type HideReason = (typeof HIDE_REASONS)[number];

/** Returns the reasons that a text names, in their order. One that names none stands for "moderator". */
export function reasonsIn(text: string): readonly HideReason[] {
  const words = text.split(' ');
  const named = HIDE_REASONS.filter((reason) => words.includes(reason));
  return named.length > 0 ? named : ['moderator'];
}

/** The ids that the service accepts for guilds and members. They are safe in a Redis key, a path and a log line. */
export const ID_PATTERN = /^[A-Za-z0-9_.-]{1,64}$/;
/** The id of a guild, or that of one of its boards, such as `123~week`. */
export const RANKING_ID_PATTERN = /^([A-Za-z0-9_.-]{1,64})(?:~((?:week|month)(?:\.prev)?))?$/;

/** A ranking that can be read: that of a guild, or one of its boards. */
export interface RankingId {
  readonly guildId: string;
  readonly board?: BoardName | undefined;
}

/** Splits the id of a ranking. Undefined for another text. */
export function parseRankingId(id: string): RankingId | undefined {
  const [, guildId, board] = RANKING_ID_PATTERN.exec(id) ?? [];
  return guildId === undefined ? undefined : { guildId, board: board as BoardName | undefined };
}

export const DEFAULT_PAGE_SIZE = 10;
export const MAX_PAGE_SIZE = 100;
