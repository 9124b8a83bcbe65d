import type { CsvDialect } from './csv-dialect.ts';
import { csvLine } from './csv-line.ts';
import { readRecords, wrongWidth } from './csv-records.ts';
import { contentOf, entryOf } from './entries.ts';
import { type FieldNames, guessField, type ImportField } from './fields.ts';
import { FoundMembers } from './found-members.ts';
import type { RawRow, RowEntry, RowReading } from './rows.ts';

/** Rows in which an example of each column is looked for. */
const MAX_EXAMPLE_ROWS = 100;

/** Returns what the names of the columns alone tell. @param guildField the column that has the guild, if a person names it. */
export function headerOf({ columns }: CsvDialect, guildField?: string): FoundMembers {
  const found = new FoundMembers(guildField);
  const list = found.list('');
  if (list) list.count = 1;
  for (const name of columns) list?.field(name);
  return found;
}

/**
 * Reads a whole file once, and tells what its columns have.
 * @param only names of the columns whose values are examined, which takes time for each; undefined = all. The others get only an example.
 * @param guildField the column that has the guild, if a person names it.
 * @throws InvalidInputError as {@link readRecords}.
 */
export async function inspectCsv(
  chunks: AsyncIterable<string>,
  dialect: CsvDialect,
  file: string,
  only: ReadonlySet<string | undefined> | undefined,
  guildField?: string,
): Promise<FoundMembers> {
  const found = headerOf(dialect, guildField);
  const list = found.list('');
  if (!list) return found;
  list.count = 0;
  const columns = dialect.columns.map((name, index) => ({ name, index, field: list.field(name) }));
  const texts = columns.filter(({ name }) => guessField(name) === 'username');
  const looked = columns.filter(({ name }) => !only || only.has(name));
  for await (const all of readRecords(chunks, dialect, file)) {
    const records = all.filter(({ problem }) => problem === undefined);
    if (list.count === 0) {
      for (const { values } of records.slice(0, MAX_EXAMPLE_ROWS))
        for (const { index, field } of columns) field?.show((values[index] ?? '').trim());
    }
    list.count += records.length;
    for (const { values } of records) {
      for (const { index, field } of looked) field?.add((values[index] ?? '').trim(), false);
      for (const { index, field } of columns) field?.marks.add(values[index] ?? '');
      for (const { index, field } of texts) field?.damage.add(values[index] ?? '');
    }
  }
  return found;
}

/**
 * Reads the members of comma-separated values.
 * @throws InvalidInputError as {@link readRecords}.
 */
export async function* readCsv(
  chunks: AsyncIterable<string>,
  dialect: CsvDialect,
  reading: RowReading,
  keep: (raw: RawRow) => boolean,
  file: string,
): AsyncGenerator<RowEntry[]> {
  const indices = indicesOf(dialect.columns, reading.names);
  const width = dialect.columns.length;
  for await (const records of readRecords(chunks, dialect, file)) {
    const entries: RowEntry[] = [];
    for (const record of records) {
      const { line, values, problem } = record;
      const raw = rawRow(values, indices);
      const reason = problem ?? (values.length === width ? undefined : wrongWidth(record, width));
      if (reason !== undefined)
        entries.push({ at: line, row: reason, content: contentOf(raw, csvLine(values).trimEnd()) });
      else if (keep(raw)) entries.push(entryOf(line, raw, reading));
    }
    yield entries;
  }
}

/** Returns the fields that the columns have, each with the number of its column. */
function indicesOf(columns: readonly string[], names: FieldNames): readonly (readonly [ImportField, number])[] {
  return (Object.entries(names) as [ImportField, string][])
    .map(([field, name]) => [field, columns.indexOf(name)] as const)
    .filter(([, index]) => index >= 0);
}

/** Returns the values of a record by field. A value that the record lacks is empty. */
function rawRow(values: readonly string[], indices: readonly (readonly [ImportField, number])[]): RawRow {
  const raw: { [Field in ImportField]?: string } = {};
  for (const [field, index] of indices) {
    const value = values[index] ?? '';
    raw[field] = field === 'username' ? value : value.trim();
  }
  return raw;
}
