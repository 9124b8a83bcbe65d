import type { Entry } from '../../../src/imports/rows.ts';

/** Yields the text in pieces of `size` characters. Small pieces split lines and numbers. */
export async function* pieces(text: string, size = 7): AsyncGenerator<string> {
  const characters = [...text];
  for (let at = 0; at < characters.length; at += size) yield characters.slice(at, at + size).join('');
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
