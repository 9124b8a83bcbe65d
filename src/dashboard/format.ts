/** Formats of the pages. Templates use them by name. */
export const format = {
  /** Returns a number with separators, such as 12,345. */
  number: (value: number | bigint): string => value.toLocaleString('en'),
  /** Returns an ISO 8601 time as "2026-01-31 18:30 UTC". */
  time: (iso: string): string => iso.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*$/, '$1 $2 UTC'),
  /** Returns seconds as "45 s" or "12 min". */
  duration: (seconds: number): string => (seconds < 60 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`),
  /** Returns a number with its noun, such as "1 key" or "3 keys". */
  count: (value: number, noun: string): string => `${format.number(value)} ${noun}${value === 1 ? '' : 's'}`,
};
