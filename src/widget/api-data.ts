import type { PeriodData } from './period.ts';

/** One row of a ranking, in the data of the API or of a public page. */
export interface EntryData {
  readonly rank: number;
  readonly user_id: string;
  readonly username: string;
  readonly level: number;
  readonly xp: number;
  /** Total XP at which the level begins; null where XP does not give it. Public data has it. */
  readonly level_xp?: number | null;
  readonly next_level_xp?: number | null;
  /** Address of a picture. Public data has it. */
  readonly avatar?: string | null;
}

/** A page of a ranking. */
export interface PageData {
  readonly data: readonly EntryData[];
  readonly total: number;
  readonly page: number;
  /** The week or month that a board counts; null for all time. Public data has it. */
  readonly period?: PeriodData | null;
}

/** A ranked member with its daily claims. */
export interface MemberData extends EntryData {
  readonly daily_streak: number;
  /** Time of the last claim. Public data does not have it. */
  readonly last_daily_claim?: string | null;
}

/** The totals of a ranking. */
export interface StatsData {
  readonly total_members: number;
  readonly total_xp: number;
  readonly average_level: number;
  readonly xp_curve: string;
  readonly xp_multiplier: number;
}

/** A role that members have from a level on. */
export interface RewardData {
  readonly level: number;
  /** Name and colour are null where they are not known. The colour is `#rrggbb`. */
  readonly role: { readonly id: string; readonly name: string | null; readonly color: string | null };
}

/** The document of a public page. */
export interface RankingData extends PageData {
  readonly stats: StatsData;
  /** By level. Left out unless they were asked for. */
  readonly rewards?: readonly RewardData[];
}
