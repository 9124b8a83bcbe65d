/** Numbers in texts for people. */

/** Returns a number with separators, such as "12,345". */
export function digits(n: number | bigint): string {
  return n.toLocaleString('en-US');
}

/** Returns a number with its noun, such as "1 key" or "3 keys". */
export function count(n: number | bigint, noun: string): string {
  return `${digits(n)} ${noun}${Number(n) === 1 ? '' : 's'}`;
}
