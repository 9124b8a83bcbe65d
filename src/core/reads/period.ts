/** The week or the month of a board. */
export interface Period {
  /** When it begins, as ISO 8601 in UTC: local midnight by the guild's clock. */
  readonly from: string;
  /** Time at which the period ends and the next period begins, as ISO 8601 in UTC. */
  readonly to: string;
}

/**
 * Returns the period of a board from the reply of its page: seconds since 1970 by Redis's clock and the guild's time zone. null for the guild's ranking,
 * and for a board that the guild does not have. O(1).
 */
export function periodOf([from, to]: readonly string[] = []): Period | null {
  return from === undefined || to === undefined ? null : { from: isoOf(from), to: isoOf(to) };
}

function isoOf(seconds: string): string {
  return new Date(Number(seconds) * 1000).toISOString();
}
