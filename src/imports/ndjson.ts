import Assembler from 'stream-json/assembler.js';
import { InvalidInputError } from '../core/errors.ts';
import { entryOf, unreadEntry } from './entries.ts';
import { guessField, isObject, unwrapped, unwrappedName } from './fields.ts';
import { isSnowflake } from './found-field.ts';
import { FoundMembers } from './found-members.ts';
import { tokenizer } from './json-tokens.ts';
import { isDeep, MAX_DEPTH } from './nesting.ts';
import { rawOf } from './raw-row.ts';
import type { RawRow, RowEntry, RowReading } from './rows.ts';

/** Most characters of a line. No member needs more, and without a limit, a file without line ends would fill the memory. */
export const MAX_LINE = 1 << 20;

/**
 * Whether a line is one member in JSON: an object with an id, and with no members by id inside. Any other line can be a document with several
 * members.
 */
export function isMemberLine(line: string): boolean {
  const value = parsed(line);
  if (!isObject(value)) return false;
  const scalars = Object.keys(value).filter((name) => typeof unwrapped(value[name]) !== 'object');
  const kinds = new Set(scalars.map((name) => guessField(unwrappedName(name))));
  if (kinds.has('xp')) return kinds.has('userId') || kinds.has('guildId');
  return kinds.has('userId') && !Object.values(value).some(hasMembersInside);
}

/** Whether a value is an object by ids of Discord, as a document of a guild has its members. */
function hasMembersInside(value: unknown): boolean {
  return isObject(value) && Object.keys(value).some(isSnowflake);
}

/**
 * Reads a whole file once, and tells which fields its objects have. Skips lines that are no objects.
 * @param guildField the field that has the guild, if a person names it.
 * @throws InvalidInputError at a line longer than 1 MiB.
 */
export async function inspectNdjson(
  chunks: AsyncIterable<string>,
  file: string,
  guildField?: string,
): Promise<FoundMembers> {
  const found = new FoundMembers(guildField);
  const list = found.list('');
  for await (const lines of readLines(chunks, file)) {
    for (const { text } of lines) {
      const value = parsed(text);
      if (!list || !isObject(value)) continue;
      list.count++;
      for (const [name, each] of scalarsOf(hasRoundedNumber(value) ? exactly(text) : value)) {
        // A number that JSON.parse would round is here a text with its exact digits.
        const isNumber = typeof each === 'number' || (typeof each === 'string' && typeof value[name] === 'number');
        list.field(name)?.add(each === null || typeof each === 'object' ? '' : String(each), isNumber);
      }
    }
  }
  return found;
}

/**
 * Reads a JSON object from each line, and skips blank lines.
 * @throws InvalidInputError at a line longer than 1 MiB.
 */
export async function* readNdjson(
  chunks: AsyncIterable<string>,
  reading: RowReading,
  keep: (raw: RawRow) => boolean,
  file: string,
): AsyncGenerator<RowEntry[]> {
  for await (const lines of readLines(chunks, file)) {
    const entries: RowEntry[] = [];
    for (const { text, line } of lines) {
      const raw = rawRowOf(text, reading);
      if (typeof raw === 'string') entries.push(unreadEntry(line, raw, text));
      else if (keep(raw)) entries.push(entryOf(line, raw, reading));
    }
    yield entries;
  }
}

/** Returns the values of a line by field, or the reason why the line cannot be read. */
function rawRowOf(text: string, { names }: RowReading): RawRow | string {
  let value = parsed(text);
  if (value === undefined) return 'it is not valid JSON';
  if (!isObject(value)) return 'it is not an object';
  if (isDeep(value)) return `it is nested deeper than ${MAX_DEPTH} levels`;
  if (hasRoundedNumber(value)) value = exactly(text);
  return isObject(value) ? rawOf(value, names) : 'it is not an object';
}

/** Yields the lines that are not blank, each with its number, in pieces. @throws InvalidInputError for a line of more than 1 MiB. */
async function* readLines(
  chunks: AsyncIterable<string>,
  file: string,
): AsyncGenerator<{ readonly line: number; readonly text: string }[]> {
  let line = 0;
  let rest = '';
  for await (const chunk of chunks) {
    const text = rest + chunk;
    const lines: { line: number; text: string }[] = [];
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      line++;
      const content = text.slice(start, end).trim();
      if (content !== '') lines.push({ line, text: content });
      start = end + 1;
    }
    rest = text.slice(start);
    yield lines;
    if (rest.length > MAX_LINE) {
      throw new InvalidInputError(`${file} line ${line + 1} is longer than 1 MiB: is it one JSON object a line?`);
    }
  }
  if (rest.trim() !== '') yield [{ line: line + 1, text: rest.trim() }];
}

/** Returns the value of a JSON text; undefined for any other text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** From this number on, a double cannot keep three decimals. */
const LARGE = 2 ** 43;

/** Whether an object has a number that JSON.parse can have rounded. */
function hasRoundedNumber(value: Readonly<Record<string, unknown>>): boolean {
  return Object.values(value).some((each) => typeof each === 'number' && Math.abs(each) >= LARGE);
}

/** Parses a text again, and keeps numbers as texts of their digits. */
function exactly(text: string): Record<string, unknown> {
  const tokenize = tokenizer();
  const assembler = new Assembler<Record<string, unknown>>({ numberAsString: true });
  for (const token of [...tokenize(text), ...tokenize(undefined)]) assembler.consume(token);
  return assembler.current ?? {};
}

/** Yields the values of an object that are no objects, with their names. A value of an inner object has a name such as `user.id`. */
function* scalarsOf(value: Readonly<Record<string, unknown>>): Generator<[name: string, value: unknown]> {
  for (const [name, each] of Object.entries(value)) {
    const plain = unwrapped(each);
    if (!isObject(plain)) yield [name, plain];
    else for (const [inner, deep] of Object.entries(plain)) if (!isObject(deep)) yield [`${name}.${inner}`, deep];
  }
}
