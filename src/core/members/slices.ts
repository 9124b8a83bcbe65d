import { type EntryCode, RefusedError } from '../errors.ts';

/** Entries of one script call. Redis serves no other client during a call, which takes about ten milliseconds. */
export const ENTRIES_A_CALL = 500;

/**
 * Sends entries in slices, one after the other: each in one script call, which changes the whole slice or nothing. A list without entries is one call
 * too.
 * @param send gets the slice, and its number from 0.
 * @param size entries of a slice.
 * @throws what `send` throws, with the index of a refused entry among all. The slices before it were done.
 */
export async function inSlices<Entry, Result>(
  entries: readonly Entry[],
  send: (slice: readonly Entry[], number: number) => Promise<Result>,
  size = ENTRIES_A_CALL,
): Promise<[Result, ...Result[]]> {
  const first = await sendSlice(entries, 0, size, send);
  const further: Result[] = [];
  for (let from = size; from < entries.length; from += size) {
    further.push(await sendSlice(entries, from, size, send));
  }
  return [first, ...further];
}

async function sendSlice<Entry, Result>(
  entries: readonly Entry[],
  from: number,
  size: number,
  send: (slice: readonly Entry[], number: number) => Promise<Result>,
): Promise<Result> {
  try {
    return await send(entries.slice(from, from + size), from / size);
  } catch (error) {
    if (!(error instanceof RefusedError && 'index' in error.params)) throw error;
    throw new RefusedError(error.code as EntryCode, { index: error.params.index + from });
  }
}

/** Adds up numbers. */
export function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
