import type { Token } from 'stream-json/parser.js';
import { InvalidInputError } from '../core/errors.ts';
import type { Advice } from './advice.ts';
import type { FormatName } from './formats.ts';
import { tokenizer } from './json.ts';

/** Formats by a top-level key and the kind of its value. */
const BY_KEY: Readonly<Record<string, readonly [kind: 'array' | 'object', format: FormatName]>> = {
  players: ['array', 'mee6'],
  levels: ['array', 'lurkr'],
  rankings: ['array', 'tatsu'],
  members: ['array', 'amari'],
  users: ['object', 'polaris'],
  xp: ['object', 'polaris'],
};

/** Top-level keys of members, and of what holds them. */
export const DATA_KEYS: readonly string[] = [...Object.keys(BY_KEY), 'data', 'user_id'];

/**
 * Detects the format from a file's beginning, else from its name.
 * @throws InvalidInputError when neither shows it.
 */
export function detectFormat(head: string, file: string, advice: Advice): FormatName {
  const text = head.trimStart();
  const json = text.startsWith('{') || text.startsWith('[');
  const format = json ? jsonFormat(text) : csvOrNothing(text, file);
  if (format) return format;
  throw new InvalidInputError(`Cannot tell the format of ${file}: ${advice.nameFormat}`);
}

function csvOrNothing(text: string, file: string): FormatName | undefined {
  const columns = (/^[^\r\n]*/.exec(text)?.[0] ?? '').toLowerCase().split(/[",;\s]+/);
  return columns.includes('user_id') || /\.(csv|txt)(\.gz)?$/i.test(file) ? 'csv' : undefined;
}

function jsonFormat(text: string): FormatName | undefined {
  const { keys, fields } = outline(text);
  if (text.startsWith('[')) return byFields(fields) ?? 'json';
  if (keys.some(([key]) => key === 'user_id')) return 'ndjson';
  for (const [key, kind] of keys) {
    const known = Object.hasOwn(BY_KEY, key) ? BY_KEY[key] : undefined;
    if (known?.[0] === kind) return known[1];
    // Both Amari and this service answer with `data`. Only the fields of the members differ.
    if (key === 'data' && kind === 'array') return byFields(fields) ?? 'amari';
    if (/^\d{15,20}$/.test(key) && kind !== 'array') return 'polaris';
  }
  return undefined;
}

/** Detects the format from the names of a member's fields. */
function byFields(fields: ReadonlySet<string>): FormatName | undefined {
  if (fields.has('userId')) return 'lurkr';
  if (fields.has('exp')) return 'amari';
  if (fields.has('user_id')) return fields.has('score') && !fields.has('xp') ? 'tatsu' : 'json';
  return fields.has('id') && fields.has('xp') ? 'mee6' : undefined;
}

/** Returns what a JSON text, or its beginning, has at the top. */
function outline(text: string) {
  /** Top-level keys and the kind of their values, in order. */
  const keys: [key: string, kind: 'array' | 'object' | 'value'][] = [];
  /** Keys of the objects in a top-level array, or in an array under a top-level key. */
  const fields = new Set<string>();
  const open: ('array' | 'object')[] = [];
  let key = '';
  for (const token of tokensOf(text)) {
    const kind = token.name === 'startArray' ? 'array' : token.name === 'startObject' ? 'object' : 'value';
    if (token.name === 'keyValue') {
      key = token.value;
      if (open.at(-2) === 'array' && open.length <= 3) fields.add(key);
    } else if (token.name === 'endArray' || token.name === 'endObject') {
      open.pop();
    } else {
      if (open.length === 1 && open[0] === 'object') keys.push([key, kind]);
      if (kind !== 'value') open.push(kind);
    }
  }
  return { keys, fields };
}

/** Returns the tokens of the valid beginning of a text, so that a file broken later on still shows its outline. */
export function tokensOf(text: string): Token[] {
  const tokenize = tokenizer();
  const tokens: Token[] = [];
  try {
    for (let at = 0; at < text.length; at += 16) tokens.push(...tokenize(text.slice(at, at + 16)));
  } catch {
    // The reading that follows reports where the file is broken.
  }
  return tokens;
}
