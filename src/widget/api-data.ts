import type { PeriodData } from './period.ts';

/** The data of the API and of public pages, as their documents describe it. */
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

export interface PageData {
  readonly data: readonly EntryData[];
  readonly total: number;
  readonly page: number;
  /** The week or month that a board counts; null for all time. Public data has it. */
  readonly period?: PeriodData | null;
}

export interface MemberData extends EntryData {
  readonly daily_streak: number;
  /** Public data has none. */
  readonly last_daily_claim?: string | null;
}

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
