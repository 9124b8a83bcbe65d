import Papa from 'papaparse';
import { areColumnNames, OWN_NAMES } from './fields.ts';
import { isSnowflake } from './found-field.ts';

/** What can stand between columns, the likeliest first. */
const SEPARATORS = [',', ';', '\t', '|'] as const;
const OWN: ReadonlySet<string> = new Set(Object.values(OWN_NAMES));

/** How a CSV file is written. */
export interface CsvDialect {
  readonly separator: string;
  readonly newline: string;
  /** Whether spaces around values do not belong to the values: in drawn tables, and if a space follows each separator. */
  readonly isPadded: boolean;
  /** The names of the columns; numbers from 1 for a file whose first line is a member already. */
  readonly columns: readonly string[];
  /** Line of the first member. */
  readonly firstLine: number;
  /** Lines before the first member. */
  readonly skippedLines: number;
}

/**
 * Returns how a file is written, by its first lines: perhaps a line `sep=;` of a spreadsheet, perhaps empty lines, then the names of the columns.
 * @param head beginning of the file, with its first lines whole.
 */
export function dialectOf(head: string): CsvDialect {
  // A line end of CR and LF leaves a CR at the end of the last value.
  const newline = /\r\n|\n|\r/.exec(head)?.[0] === '\r' ? '\r' : '\n';
  const lines = head.split(newline);
  const named = /^"?sep=(.)"?\r?$/i.exec(lines[0] ?? '')?.[1];
  let skippedLines = named === undefined ? 0 : 1;
  while (skippedLines < lines.length - 1 && /^[\s,;|"+:-]*$/.test(lines[skippedLines] ?? '')) skippedLines++;
  const text = lines.slice(skippedLines).join(newline);
  const parses = SEPARATORS.map((each) => ({ separator: each, values: firstRecord(text, each, newline) }));
  const widest = parses.reduce((best, each) => (each.values.length > best.values.length ? each : best));
  // A name can contain other separators many times. Only the right separator gives an id, or names of columns, as whole values.
  const telling = parses.find(({ values }) => values.length > 1 && (values.some(isId) || areColumnNames(values)));
  const separator = named ?? (telling ?? widest).separator;
  const first = firstRecord(text, separator, newline);
  const isPadded = separator === '|' || (first.length > 1 && first.slice(1).every((name) => /^ +\S/.test(name)));
  const header = first.map((name) => (isPadded ? name.trim().replace(/^"(.*)"$/, '$1') : name.trim()));
  // A line with an id has no names of columns: the first line is a member.
  const isMember = header.some(isId);
  const columns = isMember ? header.map((_, index) => String(index + 1)) : header.map(plainName);
  const height = isMember ? 0 : 1 + extraLines(firstRecord(text, separator, newline));
  return {
    separator,
    newline,
    isPadded,
    columns,
    firstLine: 1 + skippedLines + height,
    skippedLines: skippedLines + (isMember ? 0 : 1),
  };
}

const isId = (text: string): boolean => isSnowflake(text.trim());

/** Returns the values of the first record of a text; none for an empty text. */
function firstRecord(text: string, delimiter: string, newline: string): readonly string[] {
  return new Papa.Parser({ delimiter, newline, preview: 1 } as Papa.ParseConfig).parse(text, 0, false).data[0] ?? [];
}

/** Lines in which the names of the columns are looked for. */
const MAX_TITLE_LINES = 10;

/** Returns the line with the names of the columns if it is below the line that {@link dialectOf} took for it; undefined otherwise. */
export function namesBelow(head: string, { newline, columns, skippedLines }: CsvDialect): number | undefined {
  const isMember = columns.every((name) => /^\d+$/.test(name));
  if (isMember || areColumnNames(columns)) return undefined;
  const lines = head.split(newline).slice(skippedLines, skippedLines + MAX_TITLE_LINES);
  const index = lines.findIndex((line) => SEPARATORS.some((each) => areColumnNames(firstRecord(line, each, newline))));
  return index < 0 ? undefined : skippedLines + index + 1;
}

/** Returns the name of a column, in lower case if it is a name of Guildrank's own files. */
function plainName(name: string): string {
  const lower = name.toLowerCase();
  return OWN.has(lower) ? lower : name;
}

/** Counts the line ends inside the quotes of a record. */
export function extraLines(record: readonly string[], newline = '\n'): number {
  let count = 0;
  for (const value of record) {
    for (let at = value.indexOf(newline); at >= 0; at = value.indexOf(newline, at + 1)) count++;
  }
  return count;
}
