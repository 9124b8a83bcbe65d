import { finished } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import { InvalidInputError } from '../core/errors.ts';
import { checkRow, type Entry, OWN_NAMES, type SeedRow } from './rows.ts';

const REASONS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened here, or soon after, and not closed',
  CSV_MAX_RECORD_SIZE: 'it is longer than 1 MiB: is a quote opened here and not closed, or is this not CSV?',
};

const KNOWN: ReadonlySet<string> = new Set(Object.values(OWN_NAMES));

/**
 * Reads comma-separated values with a header line; skips blank lines.
 * @param onWarning called once with the columns that are not used.
 * @throws InvalidInputError for a header without user_id or xp, lines that end with CR alone, a quote that never closes, and a record above 1 MiB.
 */
export async function* readCsv(
  chunks: AsyncIterable<string>,
  file: string,
  onWarning: (text: string) => void,
): AsyncGenerator<Entry[]> {
  let line = 1;
  let columns: readonly string[] | undefined;
  const entries: Entry[] = [];
  const take = (record: string[]): null => {
    const last = line + extraLines(record);
    if (record.length > 1 || record[0] !== '') {
      if (columns) entries.push({ at: line, row: rowOf(record, columns, line, last) });
      else columns = header(record, file, onWarning);
    }
    line = last + 1;
    return null;
  };
  const parser = parse({
    relax_column_count: true,
    relax_quotes: true,
    record_delimiter: ['\r\n', '\n'],
    // Without a limit, an open quote would read the rest of the file into memory.
    max_record_size: 1 << 20,
    // On an error the parser drops its buffer. Taken here, the records before the error are kept.
    on_record: take,
  });
  const ended = finished(parser.resume()).catch((error: Error) => error);
  for await (const chunk of chunks) {
    parser.write(chunk);
    yield entries.splice(0);
    if (parser.errored) break;
  }
  parser.end();
  const error = await ended;
  yield entries.splice(0);
  if (error instanceof CsvError) {
    throw new InvalidInputError(`${file} line ${line}: ${REASONS[error.code] ?? error.message}`);
  }
  if (error) throw error;
  if (!columns) throw new InvalidInputError(`${file} is empty: its first line must name the columns user_id and xp`);
}

function header(record: string[], file: string, onWarning: (text: string) => void): string[] {
  // The whole file is then one line.
  if (record.some((name) => name.trim().includes('\r'))) {
    throw new InvalidInputError(`${file}: its lines end with CR alone, as on old Macs: save it with LF or CRLF`);
  }
  const columns = record.map((name) => name.trim().toLowerCase());
  const other = /[;\t|]/.exec(columns.length === 1 ? String(columns[0]) : '')?.[0];
  if (other) {
    throw new InvalidInputError(
      `${file}: its columns are separated by ${JSON.stringify(other)}: save it with commas between them`,
    );
  }
  const missing = [OWN_NAMES.userId, OWN_NAMES.xp].filter((name) => !columns.includes(name));
  if (missing.length > 0) {
    throw new InvalidInputError(
      `${file}: the first line must name the columns, and lacks ${missing.join(' and ')}; it may also name ${[...KNOWN].filter((name) => name !== 'user_id' && name !== 'xp').join(', ')}`,
    );
  }
  const twice = columns.find((name, index) => KNOWN.has(name) && columns.indexOf(name) !== index);
  if (twice) throw new InvalidInputError(`${file}: the first line names the column ${twice} twice`);
  const unknown = columns.filter((name) => !KNOWN.has(name));
  if (unknown.length > 0)
    onWarning(`${file}: not used: ${unknown.map((name) => isolated(name) || '(no name)').join(', ')}`);
  return columns;
}

/** Letters of scripts that are written from right to left. */
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** Keeps a name in one piece in a line from left to right: each of its parts would else stand where the line puts it. */
function isolated(name: string): string {
  return RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name;
}

function rowOf(record: string[], columns: readonly string[], line: number, last: number): SeedRow | string {
  if (record.length !== columns.length) {
    const open = last > line ? `, and reaches to line ${last}: is a quote left open?` : '';
    return `it has ${record.length} columns where the first line names ${columns.length}${open}`;
  }
  const fields: Record<string, string> = {};
  for (const [index, name] of columns.entries()) {
    const value = record[index] ?? '';
    fields[name] = name === OWN_NAMES.username ? value : value.trim();
  }
  return checkRow(fields, OWN_NAMES);
}

/** Counts the line ends inside the quotes of a record. */
function extraLines(record: readonly string[]): number {
  let count = 0;
  for (const value of record) {
    for (let at = value.indexOf('\n'); at >= 0; at = value.indexOf('\n', at + 1)) count++;
  }
  return count;
}
