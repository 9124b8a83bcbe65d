import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { COMMAND_ADVICE } from '../../../src/cli/sentences.ts';
import { type Input, type OpenOptions, openInput } from '../../../src/imports/inputs.ts';
import type { RowContent, RowEntry } from '../../../src/imports/rows.ts';

/** What a file is read as. */
export interface ReadFile extends Pick<Input, 'format' | 'curve' | 'hasLevels'> {
  readonly entries: readonly Pick<RowEntry, 'at' | 'row'>[];
  /** What the bad rows have, in their order. */
  readonly refused: readonly RowContent[];
  /** The rows of the members. */
  readonly rows: readonly unknown[];
  /** Why nothing may be replaced by it. */
  readonly doubts: readonly string[];
  /** What a person is told about the file. */
  readonly lines: readonly string[];
}

/**
 * Reads a file as the command does. It arrives in pieces of `size` bytes: small ones split lines, numbers and characters.
 * @throws InvalidInputError when the file is refused.
 */
export async function readFile(
  content: string | Buffer,
  { size = 4096, ...options }: OpenOptions & { readonly size?: number } = {},
): Promise<ReadFile> {
  const bytes = Buffer.from(content);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  const lines: string[] = [];
  const reporter = { write: (line: string) => void lines.push(line), advice: COMMAND_ADVICE };
  const { signal } = new AbortController();
  const input = await openInput(Readable.from(pieces), { name: 'f', ...options }, signal, reporter);
  try {
    const all: RowEntry[] = [];
    for await (const some of input.entries(() => {})) all.push(...some);
    const entries = all.map(({ at, row }) => ({ at, row }));
    const refused = all.flatMap(({ content }) => content ?? []);
    const rows = entries.map(({ row }) => row).filter((row) => typeof row !== 'string');
    const { format, curve, hasLevels, doubts = [] } = input;
    return { ...(format && { format }), ...(curve && { curve }), hasLevels, doubts, entries, rows, refused, lines };
  } finally {
    await input.close();
  }
}

/** Returns "position: reason" of the bad rows. */
export function refusals({ entries }: Pick<ReadFile, 'entries'>): string[] {
  return entries.filter(({ row }) => typeof row === 'string').map(({ at, row }) => `${at}: ${row}`);
}

/** Ways in which the bytes of a file arrive. */
export const ENCODINGS: Readonly<Record<string, (text: string) => Buffer>> = {
  'UTF-8': (text) => Buffer.from(text),
  'UTF-8 with a byte order mark': (text) => Buffer.from(`\uFEFF${text}`),
  'UTF-16': (text) => Buffer.from(`\uFEFF${text}`, 'utf16le'),
  'big-endian UTF-16': (text) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16(),
  gzip: (text) => gzipSync(text),
};

/** Returns the text of a file of another bot. */
export function fixture(name: string): string {
  return readFileSync(new URL(`../../fixtures/imports/${name}`, import.meta.url), 'utf8');
}
