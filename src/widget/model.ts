import type { Period } from './period.ts';

/** The data of the API, as its document describes it. */
export interface Entry {
  readonly rank: number;
  readonly user_id: string;
  readonly username: string;
  readonly level: number;
  readonly xp: number;
}

export interface Page {
  readonly data: readonly Entry[];
  readonly total: number;
  readonly page: number;
  /** The week or month that a board counts; null for all time. Public data has it. */
  readonly period?: Period | null;
}

export interface Member extends Entry {
  readonly daily_streak: number;
  readonly last_daily_claim: string | null;
}

export interface Stats {
  readonly total_members: number;
  readonly total_xp: number;
  readonly average_level: number;
  readonly xp_curve: string;
  readonly xp_multiplier: number;
}
