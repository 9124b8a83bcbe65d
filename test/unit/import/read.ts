import type { Entry } from '../../../src/import/rows.ts';

/** The text as a file read in pieces of `size` bytes: small pieces cut lines, numbers and characters apart. */
export async function* pieces(text: string, size = 7): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

export async function all(entries: AsyncIterable<Entry[]>): Promise<Entry[]> {
  const result: Entry[] = [];
  for await (const some of entries) result.push(...some);
  return result;
}

/** "place: reason" of the bad ones. */
export function refusals(entries: readonly Entry[]): string[] {
  return entries.filter(({ row }) => typeof row === 'string').map(({ at, row }) => `${at}: ${row}`);
}
