import type { Entry } from '../../../src/formats/rows.ts';

/** Yields the text in pieces of `size` bytes. Small pieces split lines, numbers and characters. */
export async function* pieces(text: string, size = 7): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

export async function all(entries: AsyncIterable<Entry[]>): Promise<Entry[]> {
  const result: Entry[] = [];
  for await (const some of entries) result.push(...some);
  return result;
}

/** Returns "place: reason" of the bad rows. */
export function refusals(entries: readonly Entry[]): string[] {
  return entries.filter(({ row }) => typeof row === 'string').map(({ at, row }) => `${at}: ${row}`);
}
