import type { Syntax } from './choose-format.ts';
import { isMemberLine } from './ndjson.ts';

/**
 * Returns the syntax of a file by its first line; undefined for text that is neither JSON nor has columns.
 * @param head beginning of the file, with its first line whole.
 * @param name of the file: the ending .csv tells that a file with one column is CSV.
 */
export function detectSyntax(head: string, name: string): Syntax | undefined {
  // MySQL draws a line above the names of a table.
  const text = head.trimStart().replace(/^\+[-+]+\s*/, '');
  if (text.startsWith('{') && isMemberLine(firstLine(text))) return 'ndjson';
  // A comment is no valid JSON either. The parser of JSON says so.
  if (/^(?:[{[]|\/\/|\/\*)/.test(text)) return 'json';
  return /[,;\t|]/.test(firstLine(text)) || /\.(csv|tsv|txt)(\.gz)?$/i.test(name) ? 'csv' : undefined;
}

/** Returns the first line of a text. */
function firstLine(text: string): string {
  return /^[^\r\n]*/.exec(text)?.[0] ?? '';
}
