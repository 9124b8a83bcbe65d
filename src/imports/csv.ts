import Papa from 'papaparse';
import { InvalidInputError } from '../core/errors.ts';
import { type FieldNames, type ImportField, OWN_NAMES } from './fields.ts';
import { FoundMembers } from './found-members.ts';
import { checkRow, type Entry, type RawRow, type RowReading } from './rows.ts';

/** Without a limit, an open quote would read the rest of the file into memory. */
const MAX_RECORD = 1 << 20;
/** What can stand between columns, the likeliest first. */
const SEPARATORS = [',', ';', '\t', '|'] as const;
const OWN: ReadonlySet<string> = new Set(Object.values(OWN_NAMES));

/** How a file of comma-separated values is written. */
export interface CsvDialect {
  readonly separator: string;
  readonly newline: string;
  /** The names of the columns; numbers from 1 for a file whose first line is a member already. */
  readonly columns: readonly string[];
  /** Line of the first member. */
  readonly firstLine: number;
  /** Lines before it, which are not members. */
  readonly skippedLines: number;
}

/** One line of values, with its place in the file. */
interface CsvRecord {
  readonly line: number;
  readonly last: number;
  readonly values: readonly string[];
  /** Why it cannot be read. */
  readonly problem: string | undefined;
}

/**
 * Returns how a file is written, from its first lines: a line `sep=;` as spreadsheets write it, empty lines, and the names of the columns.
 * @param head beginning of the file, with these lines whole.
 */
export function dialectOf(head: string): CsvDialect {
  // A line end of CR and LF leaves a CR at the end of the last value.
  const newline = /\r\n|\n|\r/.exec(head)?.[0] === '\r' ? '\r' : '\n';
  const lines = head.split(newline);
  const named = /^"?sep=(.)"?\r?$/i.exec(lines[0] ?? '')?.[1];
  let skippedLines = named === undefined ? 0 : 1;
  while (skippedLines < lines.length - 1 && /^[\s,;|"]*$/.test(lines[skippedLines] ?? '')) skippedLines++;
  const text = lines.slice(skippedLines).join(newline);
  const parses = SEPARATORS.map((each) => ({ separator: each, values: firstRecord(text, each, newline) }));
  const widest = parses.reduce((best, each) => (each.values.length > best.values.length ? each : best));
  const separator = named ?? widest.separator;
  const header = firstRecord(text, separator, newline).map((name) => name.trim());
  // Names of columns are no ids.
  const isMember = header.some((name) => /^\d{15,20}$/.test(name));
  const columns = isMember ? header.map((_, index) => String(index + 1)) : header.map(plainName);
  const height = isMember ? 0 : 1 + extraLines(firstRecord(text, separator, newline));
  return {
    separator,
    newline,
    columns,
    firstLine: 1 + skippedLines + height,
    skippedLines: skippedLines + (isMember ? 0 : 1),
  };
}

function firstRecord(text: string, delimiter: string, newline: string): readonly string[] {
  return new Papa.Parser({ delimiter, newline, preview: 1 } as Papa.ParseConfig).parse(text, 0, false).data[0] ?? [];
}

/** Returns the name of a column, in lower case where it is one of the project's own. */
function plainName(name: string): string {
  const lower = name.toLowerCase();
  return OWN.has(lower) ? lower : name;
}

/** Returns what the names of the columns tell alone. */
export function headerOf({ columns }: CsvDialect): FoundMembers {
  const found = new FoundMembers();
  const list = found.list('');
  if (list) list.count = 1;
  for (const name of columns) list?.field(name);
  return found;
}

/**
 * Reads a whole file once, and tells what its columns have.
 * @param only names of the columns whose values are looked at; undefined = all. Each takes time.
 * @throws InvalidInputError as {@link readCsv}.
 */
export async function inspectCsv(
  chunks: AsyncIterable<string>,
  dialect: CsvDialect,
  file: string,
  only: ReadonlySet<string | undefined> | undefined,
): Promise<FoundMembers> {
  const found = headerOf(dialect);
  const list = found.list('');
  if (!list) return found;
  list.count = 0;
  const looked = dialect.columns
    .map((name, index) => ({ name, index, field: list.field(name) }))
    .filter(({ name }) => !only || only.has(name));
  for await (const records of readRecords(chunks, dialect, file)) {
    list.count += records.length;
    for (const { values } of records) {
      for (const { index, field } of looked) field?.add((values[index] ?? '').trim(), false);
    }
  }
  return found;
}

/**
 * Reads comma-separated values; skips empty lines, and lines of separators alone.
 * @throws InvalidInputError for a quote that never closes, and a record above 1 MiB.
 */
export async function* readCsv(
  chunks: AsyncIterable<string>,
  dialect: CsvDialect,
  reading: RowReading,
  keep: (raw: RawRow) => boolean,
  file: string,
): AsyncGenerator<Entry[]> {
  const indices = indicesOf(dialect.columns, reading.names);
  const width = dialect.columns.length;
  for await (const records of readRecords(chunks, dialect, file)) {
    const entries: Entry[] = [];
    for (const { line, last, values, problem } of records) {
      if (problem) entries.push({ at: line, row: problem });
      else if (values.length !== width) entries.push({ at: line, row: wrongWidth(values, width, line, last) });
      else {
        const raw = rawRow(values, indices);
        if (keep(raw)) entries.push({ at: line, row: checkRow(raw, reading) });
      }
    }
    yield entries;
  }
}

function indicesOf(columns: readonly string[], names: FieldNames): readonly (readonly [ImportField, number])[] {
  return (Object.entries(names) as [ImportField, string][])
    .map(([field, name]) => [field, columns.indexOf(name)] as const)
    .filter(([, index]) => index >= 0);
}

function rawRow(values: readonly string[], indices: readonly (readonly [ImportField, number])[]): RawRow {
  const raw: { [Field in ImportField]?: string } = {};
  for (const [field, index] of indices) {
    const value = values[index] ?? '';
    raw[field] = field === 'username' ? value : value.trim();
  }
  return raw;
}

function wrongWidth(values: readonly string[], width: number, line: number, last: number): string {
  const open = last > line ? `, and reaches to line ${last}: is a quote left open?` : '';
  return `it has ${values.length} columns where the first line names ${width}${open}`;
}

/** Reads the records after the names of the columns. */
async function* readRecords(
  chunks: AsyncIterable<string>,
  { separator, newline, skippedLines }: CsvDialect,
  file: string,
): AsyncGenerator<CsvRecord[]> {
  const parser = new Papa.Parser({ delimiter: separator, newline } as Papa.ParseConfig);
  let line = 1;
  let rest = '';
  const parse = (text: string, isLast: boolean): CsvRecord[] => {
    const { data, errors, meta } = parser.parse(text, 0, !isLast);
    rest = isLast ? '' : text.slice(meta.cursor);
    if (rest.length > MAX_RECORD)
      throw new InvalidInputError(
        `${file} line ${line + data.length}: it is longer than 1 MiB: is a quote opened here and not closed, or is this not CSV?`,
      );
    const records: CsvRecord[] = [];
    const hasQuotes = text.includes('"');
    for (const [index, values] of (data as string[][]).entries()) {
      const begin = line;
      const last = begin + (hasQuotes ? extraLines(values, newline) : 0);
      line = last + 1;
      if (begin <= skippedLines || values.every((value) => value.trim() === '')) continue;
      const end = values.length - 1;
      const ending = values[end] ?? '';
      if (ending.endsWith('\r')) values[end] = ending.slice(0, -1);
      const error = errors.find(({ row }: Papa.ParseError) => row === index);
      if (error?.code === 'MissingQuotes')
        throw new InvalidInputError(`${file} line ${begin}: a quote is opened here, or soon after, and not closed`);
      records.push({
        line: begin,
        last,
        values,
        problem: error && 'a quote is opened and not closed before the next separator',
      });
    }
    return records;
  };
  for await (const chunk of chunks) yield parse(rest + chunk, false);
  yield parse(rest, true);
}

/** Counts the line ends inside the quotes of a record. */
function extraLines(record: readonly string[], newline = '\n'): number {
  let count = 0;
  for (const value of record) {
    for (let at = value.indexOf(newline); at >= 0; at = value.indexOf(newline, at + 1)) count++;
  }
  return count;
}
