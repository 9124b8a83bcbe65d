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

/** One page of a ranking. Rows, ranks and total were read at one moment. */
export interface LeaderboardPage {
  readonly data: readonly LeaderboardEntry[];
  /** Members in the ranking, including members with XP 0. */
  readonly total: number;
  /** Page number from 1. */
  readonly page: number;
}

/** A ranked member with its daily claims. */
export interface LeaderboardMember extends LeaderboardEntry {
  /** Days on which the member has claimed in a row. */
  readonly daily_streak: number;
  /** Time of the last claim, as ISO 8601 in UTC; null if the member has never claimed. */
  readonly last_daily_claim: string | null;
}

/** The totals of a guild, as the API returns them. */
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

/**
 * Why a member is hidden, in the order in which reasons are stored: the member has left the server, the member wants to be hidden, or a moderator
 * wants it.
 */
export const HIDE_REASONS = ['left', 'self', 'moderator'] as const;
/** A reason for which a member is hidden. */
export type HideReason = (typeof HIDE_REASONS)[number];

/** Returns the reasons that a text names, in the order of {@link HIDE_REASONS}. A text that names no reason stands for "moderator". */
export function reasonsIn(text: string): readonly HideReason[] {
  const words = text.split(' ');
  const named = HIDE_REASONS.filter((reason) => words.includes(reason));
  return named.length > 0 ? named : ['moderator'];
}

/** The ids that the service accepts for guilds and members. They are safe in a Redis key, a path and a log line. */
export const ID_PATTERN = /^[A-Za-z0-9_.-]{1,64}$/;
/** The id of a guild, or the id of a board of a guild, such as `123~week`. */
export const RANKING_ID_PATTERN = /^([A-Za-z0-9_.-]{1,64})(?:~((?:week|month)(?:\.prev)?))?$/;

/** A ranking that can be read: the ranking of a guild, or a board of a guild. */
export interface RankingId {
  readonly guildId: string;
  readonly board?: BoardName | undefined;
}

/** Splits the id of a ranking into the id of its guild and its board. Undefined for a text that is no such id. */
export function parseRankingId(id: string): RankingId | undefined {
  const [, guildId, board] = RANKING_ID_PATTERN.exec(id) ?? [];
  return guildId === undefined ? undefined : { guildId, board: board as BoardName | undefined };
}

export const DEFAULT_PAGE_SIZE = 10;
export const MAX_PAGE_SIZE = 100;
