import Assembler from 'stream-json/assembler.js';
import { InvalidInputError } from '../core/errors.ts';
import { entryOf, unreadEntry } from './entries.ts';
import { guessField, isObject, unwrapped, unwrappedName } from './fields.ts';
import { FoundMembers } from './found-members.ts';
import { tokenizer } from './json-tokens.ts';
import { isDeep, MAX_DEPTH } from './nesting.ts';
import { rawOf } from './raw-row.ts';
import type { Entry, RawRow, RowReading } from './rows.ts';

/** Limits memory: a file without line ends would be one line. No member needs a longer one. */
export const MAX_LINE = 1 << 20;

/** Whether a line is one member in JSON, and not the beginning of a document with several: it has an id itself, and no members by their ids inside. */
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
  return isObject(value) && Object.keys(value).some((name) => /^\d{15,20}$/.test(name));
}

/**
 * Reads a whole file once, and tells what its objects have. Lines that are no objects have nothing.
 * @param guildField the field that a person names as that of the guild.
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
        // The exact digits of a number that JSON.parse would round are text.
        const isNumber = typeof each === 'number' || (typeof each === 'string' && typeof value[name] === 'number');
        list.field(name)?.add(each === null || typeof each === 'object' ? '' : String(each), isNumber);
      }
    }
  }
  return found;
}

/**
 * Reads one JSON object a line; skips blank lines.
 * @throws InvalidInputError at a line longer than 1 MiB.
 */
export async function* readNdjson(
  chunks: AsyncIterable<string>,
  reading: RowReading,
  keep: (raw: RawRow) => boolean,
  file: string,
): AsyncGenerator<Entry[]> {
  for await (const lines of readLines(chunks, file)) {
    const entries: Entry[] = [];
    for (const { text, line } of lines) {
      const raw = rawRowOf(text, reading);
      if (typeof raw === 'string') entries.push(unreadEntry(line, raw, text));
      else if (keep(raw)) entries.push(entryOf(line, raw, reading));
    }
    yield entries;
  }
}

function rawRowOf(text: string, { names }: RowReading): RawRow | string {
  let value = parsed(text);
  if (value === undefined) return 'it is not valid JSON';
  if (!isObject(value)) return 'it is not an object';
  if (isDeep(value)) return `it is nested deeper than ${MAX_DEPTH} levels`;
  if (hasRoundedNumber(value)) value = exactly(text);
  return isObject(value) ? rawOf(value, names) : 'it is not an object';
}

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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** From here on, a double has no place for three decimals. */
const LARGE = 2 ** 43;

/** Whether a number of an object can have had more digits than JSON.parse keeps. */
function hasRoundedNumber(value: Readonly<Record<string, unknown>>): boolean {
  return Object.values(value).some((each) => typeof each === 'number' && Math.abs(each) >= LARGE);
}

/** Parses a text again, with its numbers as the digits in it. */
function exactly(text: string): Record<string, unknown> {
  const tokenize = tokenizer();
  const assembler = new Assembler<Record<string, unknown>>({ numberAsString: true });
  for (const token of [...tokenize(text), ...tokenize(undefined)]) assembler.consume(token);
  return assembler.current ?? {};
}

/** Returns the values of an object that are no objects, by name. Those of an inner object have both names. */
function* scalarsOf(value: Readonly<Record<string, unknown>>): Generator<[name: string, value: unknown]> {
  for (const [name, each] of Object.entries(value)) {
    const plain = unwrapped(each);
    if (!isObject(plain)) yield [name, plain];
    else for (const [inner, deep] of Object.entries(plain)) if (!isObject(deep)) yield [`${name}.${inner}`, deep];
  }
}
