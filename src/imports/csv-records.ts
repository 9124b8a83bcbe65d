import Papa from 'papaparse';
import { InvalidInputError } from '../core/errors.ts';
import { withNoun } from '../core/format-numbers.ts';
import { type CsvDialect, extraLines } from './csv-dialect.ts';
import { CsvTables } from './csv-tables.ts';

/** Without a limit, an open quote would read the rest of the file into memory. */
const MAX_RECORD = 1 << 20;

/** A value of an empty line, or of a line of dashes that a database draws between the rows of a table. */
const RULE = /^[\s+:-]*$/;
/** A line in which psql or mysql counts the rows above it. */
const ROW_COUNT = /^(?:\(\d+ rows?\)|\d+ rows? in set\b.*)$/;

/** One line of values, with its position in the file. */
interface CsvRecord {
  /** Its first line in the file, from 1. */
  readonly line: number;
  readonly last: number;
  readonly values: readonly string[];
  /** Why it cannot be read. */
  readonly problem: string | undefined;
}

/**
 * Reads the records after the names of the columns. Skips lines that are empty, have only separators, are drawn by a database, count the rows of a
 * table, or repeat the names of the columns. Drops empty values after the last column. Each record of a second table has a problem.
 * @throws InvalidInputError for a quote that never closes, and a record above 1 MiB.
 */
export async function* readRecords(
  chunks: AsyncIterable<string>,
  { separator, newline, columns, skippedLines, isPadded }: CsvDialect,
  file: string,
): AsyncGenerator<CsvRecord[]> {
  const parser = new Papa.Parser({ delimiter: separator, newline } as Papa.ParseConfig);
  const tables = new CsvTables(columns);
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
    for (const [index, parsed] of (data as string[][]).entries()) {
      const values = isPadded ? parsed.map(withoutPadding) : parsed;
      const begin = line;
      const last = begin + (hasQuotes ? extraLines(values, newline) : 0);
      line = last + 1;
      if (begin <= skippedLines) continue;
      if (values.every((value) => RULE.test(value))) {
        if (values.every((value) => value.trim() === '')) tables.takeGap();
        continue;
      }
      if (values.length === 1 && ROW_COUNT.test(values[0]?.trim() ?? '')) continue;
      const end = values.length - 1;
      const ending = values[end] ?? '';
      if (ending.endsWith('\r')) values[end] = ending.slice(0, -1);
      const error = errors.find(({ row }: Papa.ParseError) => row === index);
      if (error?.code === 'MissingQuotes')
        throw new InvalidInputError(`${file} line ${begin}: a quote is opened here, or soon after, and not closed`);
      // A spreadsheet also writes empty columns, which have no names.
      while (values.length > columns.length && values.at(-1)?.trim() === '') values.pop();
      const kind = tables.take(values, begin);
      if (kind === 'names') continue;
      const quoteProblem = error && 'a quote is opened and not closed before the next separator';
      records.push({ line: begin, last, values, problem: kind === 'other table' ? tables.reason : quoteProblem });
    }
    return records;
  };
  for await (const chunk of chunks) yield parse(rest + chunk, false);
  yield parse(rest, true);
}

/** Returns a value without the spaces around it, and without its quotes: the parser takes quotes after a space as text. */
function withoutPadding(value: string): string {
  const text = value.trim();
  return /^".*"$/s.test(text) ? text.slice(1, -1).replaceAll('""', '"') : text;
}

/** Returns why a record with too many or too few values is refused. @param width number of columns. */
export function wrongWidth({ line, last, values }: CsvRecord, width: number): string {
  const open = last > line ? `, and reaches to line ${last}: is a quote left open?` : '';
  return `it has ${withNoun(values.length, 'value')} where the first line names ${withNoun(width, 'column')}${open}`;
}
