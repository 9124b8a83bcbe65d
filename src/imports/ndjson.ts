import { InvalidInputError } from '../core/errors.ts';
import { isDeep, MAX_DEPTH } from './nesting.ts';
import { checkRow, type Entry, isObject, OWN_NAMES, type SeedRow } from './rows.ts';

/** Limits memory: a file without line ends would be one line. No member needs a longer one. */
const MAX_LINE = 1 << 20;
/** JSON.parse rounds 7.0000000000000000001 to 7, so XP must be written as digits only. */
const XP_AS_FRACTION = /"xp"\s*:\s*-?\d+[.eE]/;

/**
 * Reads one JSON object a line; skips blank lines.
 * @throws InvalidInputError at a line longer than 1 MiB.
 */
export async function* readNdjson(chunks: AsyncIterable<string>, file: string): AsyncGenerator<Entry[]> {
  let line = 0;
  let rest = '';
  const entries: Entry[] = [];
  const take = (text: string): void => {
    line++;
    const content = text.trim();
    if (content !== '') entries.push({ at: line, row: rowOf(content) });
  };
  for await (const chunk of chunks) {
    const text = rest + chunk;
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      take(text.slice(start, end));
      start = end + 1;
    }
    rest = text.slice(start);
    yield entries.splice(0);
    if (rest.length > MAX_LINE) {
      throw new InvalidInputError(`${file} line ${line + 1} is longer than 1 MiB: is it one JSON object a line?`);
    }
  }
  if (rest !== '') take(rest);
  yield entries;
}

function rowOf(text: string): SeedRow | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'it is not valid JSON';
  }
  if (!isObject(value)) return 'it is not an object';
  if (isDeep(value)) return `it is nested deeper than ${MAX_DEPTH} levels`;
  if (XP_AS_FRACTION.test(text)) return 'xp is not written as a whole number';
  return checkRow(value, OWN_NAMES);
}
