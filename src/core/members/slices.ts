import { type EntryCode, RefusedError } from '../errors.ts';

/** Entries of one script call. Redis serves nobody else meanwhile: about ten milliseconds. */
export const ENTRIES_A_CALL = 500;

/**
 * Sends entries in slices, one after the other: each in one script call, which changes all of it or nothing. No entry is one call too.
 * @param send gets the slice, and its number from 0.
 * @throws what `send` throws, with the index of a refused entry among all. The slices before it were done.
 */
export async function inSlices<Entry, Result>(
  entries: readonly Entry[],
  send: (slice: readonly Entry[], number: number) => Promise<Result>,
): Promise<[Result, ...Result[]]> {
  const first = await sendSlice(entries, 0, send);
  const further: Result[] = [];
  for (let from = ENTRIES_A_CALL; from < entries.length; from += ENTRIES_A_CALL) {
    further.push(await sendSlice(entries, from, send));
  }
  return [first, ...further];
}

async function sendSlice<Entry, Result>(
  entries: readonly Entry[],
  from: number,
  send: (slice: readonly Entry[], number: number) => Promise<Result>,
): Promise<Result> {
  try {
    return await send(entries.slice(from, from + ENTRIES_A_CALL), from / ENTRIES_A_CALL);
  } catch (error) {
    if (!(error instanceof RefusedError && 'index' in error.params)) throw error;
    throw new RefusedError(error.code as EntryCode, { index: error.params.index + from });
  }
}

/** Adds up numbers. */
export function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
