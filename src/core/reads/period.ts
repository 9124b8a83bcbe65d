import type { BoardKind } from '../store/keys.ts';

/** The time that a board counts, in ISO 8601 in UTC. */
export interface Period {
  readonly from: string;
  /** The begin of the next period. */
  readonly to: string;
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/**
 * Returns the time of a period as command-board.lua replies it: its number and the minutes from UTC of the guild's clock. Weeks count from the Monday
 * of 29 December 1969, and months from March of the year 0. Null for a board that nothing was ever counted for.
 */
export function periodOf(kind: BoardKind, [number, offset]: readonly string[]): Period | null {
  if (number === undefined) return null;
  const beginOf = (period: number) => {
    const begin = kind === 'week' ? (period * 7 - 3) * DAY_MS : Date.UTC(2000, period - 2000 * 12 + 2);
    return new Date(begin - Number(offset) * MINUTE_MS).toISOString();
  };
  return { from: beginOf(Number(number)), to: beginOf(Number(number) + 1) };
}
