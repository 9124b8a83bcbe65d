import { StringDecoder } from 'node:string_decoder';
import { InvalidInputError } from '../errors.ts';
import { checkRow, type Entry, OWN_NAMES, type SeedRow } from './rows.ts';

/** No member needs a longer line; a file without line ends must not fill the memory. */
const MAX_LINE = 1 << 20;
/** JSON.parse rounds 7.0000000000000000001 to 7 in silence: XP has to be written as digits. */
const XP_AS_FRACTION = /"xp"\s*:\s*-?\d+[.eE]/;

/**
 * Reads one JSON object a line; blank lines are passed over.
 * @throws InvalidInputError at a line longer than 1 MiB.
 */
export async function* readNdjson(chunks: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<Entry[]> {
  const decoder = new StringDecoder();
  let line = 0;
  let rest = '';
  const take = (text: string, entries: Entry[]): void => {
    line++;
    const content = (line === 1 ? text.replace(/^\uFEFF/, '') : text).trim();
    if (content !== '') entries.push({ at: line, row: rowOf(content) });
  };
  for await (const chunk of chunks) {
    const text = rest + decoder.write(Buffer.from(chunk));
    const entries: Entry[] = [];
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      take(text.slice(start, end), entries);
      start = end + 1;
    }
    rest = text.slice(start);
    yield entries;
    if (rest.length > MAX_LINE) {
      throw new InvalidInputError(`${file} line ${line + 1} is longer than 1 MiB: is it one JSON object a line?`);
    }
  }
  const last: Entry[] = [];
  if (rest !== '') take(rest, last);
  yield last;
}

function rowOf(text: string): SeedRow | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'it is not valid JSON';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'it is not an object';
  if (XP_AS_FRACTION.test(text)) return 'xp is not written as a whole number';
  return checkRow(value as Record<string, unknown>, OWN_NAMES);
}
