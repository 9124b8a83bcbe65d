import { withNoun } from '../core/format-numbers.ts';
import type { ChosenFormat } from './choose-format.ts';
import { type NameReading, PLAIN_NAMES } from './database-text.ts';
import { quote } from './row-values.ts';

/** Separators in tables that databases write. NULL is a missing value in such a table. */
const DATABASE_SEPARATORS: ReadonlySet<string> = new Set(['\t', '|']);

/**
 * Returns how the names of members in a file of columns are read, and lines that tell a person about it. `\N` is no name. Another word for a missing
 * value is no name if another column has the word too; NULL is also no name if tabs or bars separate the columns, as in tables of databases.
 */
export function readingOfNames(
  { list, names }: ChosenFormat,
  separator: string,
  file: string,
): { readonly reading: NameReading; readonly lines: readonly string[] } {
  const field = names.username === undefined ? undefined : list?.fields.get(names.username);
  if (!list || !field) return { reading: PLAIN_NAMES, lines: [] };
  const { marks, damage } = field;
  const others = [...list.fields].filter(([name]) => name !== names.username).map(([, field]) => field.marks);
  const isMissing = (word: string) =>
    word === '\\N' ||
    (word === 'NULL' && DATABASE_SEPARATORS.has(separator)) ||
    others.some(({ words }) => words.has(word));
  const lines = [...marks.words].map(([word, rows]) => {
    const begin = `${file}: ${names.username} is ${quote(word)} in ${withNoun(rows, 'row')}`;
    return isMissing(word)
      ? `${begin}, which is read as no name, because databases write it for a missing value`
      : `${begin}, which is imported as a name`;
  });
  for (const { what, count: rows, example } of damage.kinds)
    lines.push(
      `${file}: ${names.username} is damaged in ${withNoun(rows, 'row')}, such as ${quote(example)}, which ${what}: export the names again`,
    );
  const areEscaped = separator === '\t' && marks.isEscaped;
  if (areEscaped) lines.push(`${file}: a backslash in ${names.username} begins an escape, as mysql and psql write it`);
  return { reading: { noNames: new Set([...marks.words.keys()].filter(isMissing)), areEscaped }, lines };
}
