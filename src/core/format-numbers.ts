/** Numbers and times in texts for people. */

/** Returns a number with separators, such as "12,345". */
export function digits(n: number | bigint): string {
  return n.toLocaleString('en-US');
}

/** Returns a number with its noun, such as "1 key" or "3 keys". */
export function withNoun(n: number | bigint, noun: string): string {
  return `${digits(n)} ${noun}${Number(n) === 1 ? '' : 's'}`;
}

/** Returns an ISO 8601 time as "2026-01-31 18:30 UTC". */
export function utcMinute(iso: string): string {
  return iso.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*$/, '$1 $2 UTC');
}
