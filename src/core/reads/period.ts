/** The week or the month of a board. */
export interface Period {
  /** When it begins, as ISO 8601 in UTC: local midnight by the guild's clock. */
  readonly from: string;
  /** When it ends and the next one begins, as ISO 8601 in UTC. */
  readonly to: string;
  /** When the guild's clock changes for the first time in the period, as ISO 8601 in UTC; undefined = it does not change. */
  readonly change?: string;
}

/**
 * Returns the period of a board from the reply of its page: seconds since 1970 by Redis's clock and the guild's time zone. null for the guild's ranking,
 * and for a board that the guild does not have. O(1).
 */
export function periodOf([from, to, change]: readonly string[] = []): Period | null {
  if (from === undefined || to === undefined) return null;
  return { from: isoOf(from), to: isoOf(to), ...(change !== undefined && { change: isoOf(change) }) };
}

function isoOf(seconds: string): string {
  return new Date(Number(seconds) * 1000).toISOString();
}
