import { InvalidInputError } from '../../core/errors.ts';
import { digits } from '../../core/format-numbers.ts';
import type { Correction, XpCorrection } from '../../core/members/correct.ts';
import { isAbove, MAX_USERNAME_BYTES } from '../../core/text-bounds.ts';
import { dialectOf } from '../../imports/csv-dialect.ts';
import { csvLine } from '../../imports/csv-line.ts';
import { readRecords, wrongWidth } from '../../imports/csv-records.ts';
import { contentOf } from '../../imports/entries.ts';
import { IdEvidence } from '../../imports/id-evidence.ts';
import { openSource, readSource } from '../../imports/import-source.ts';
import { NumberEvidence } from '../../imports/numbers.ts';
import { refuseOtherContent } from '../../imports/other-content.ts';
import { Problems } from '../../imports/problems.ts';
import { REFUSED_HEADER, refusedLine } from '../../imports/refused-rows.ts';
import { type NumberReading, quote, readId, readWhole } from '../../imports/row-values.ts';
import { type ListColumn, listColumns } from './list-columns.ts';

/** The most members of a list. The dashboard holds them in its memory until they are changed. */
export const MAX_LISTED = 10_000;
/** Largest text, also when an archive is unpacked. */
const MAX_TEXT = 4 * 1024 * 1024;
/** Digits of ids that a spreadsheet can round. */
const LONG_ID = /^\d{16,}$/;

/** A change of a list, with its line in the file. */
export interface ListedCorrection extends Correction {
  readonly line: number;
}

/** A list that was read. */
export interface ReadList {
  readonly corrections: readonly ListedCorrection[];
  /** Lines that are left out, with their reasons. */
  readonly problems: Problems;
  /** The same as CSV. */
  refused(): string;
  /** Lines about the file, such as which columns are not used. */
  readonly notes: readonly string[];
}

/** The values of a line, by column. */
type Cells = Readonly<Record<ListColumn, string>>;

/**
 * Reads a list of changes from a CSV file, in any encoding and dialect that the imports read.
 * @param name of the file, for messages.
 * @throws InvalidInputError when the file is no list of changes, its ids were rounded, or it has too many members.
 */
export async function readList(path: string, name: string): Promise<ReadList> {
  const text = await textOfFile(path, name);
  const dialect = dialectOf(text);
  const { indexes, unread } = listColumns(dialect.columns, name);
  let refused = REFUSED_HEADER;
  const problems = new Problems((row) => {
    refused += refusedLine(row);
  });
  const refuse = (line: number, reason: string, { userId, name: username }: Cells, text?: string) =>
    problems.add({ name, unit: 'line' }, { at: line, row: reason, content: contentOf({ userId, username }, text) });
  const rows: { line: number; cells: Cells }[] = [];
  for await (const records of readRecords(piecesOf(text), dialect, name)) {
    for (const record of records) {
      const { line, values, problem } = record;
      const reason =
        problem ?? (values.length !== dialect.columns.length && wrongWidth(record, dialect.columns.length));
      const cells = cellsOf(values, indexes);
      if (reason) refuse(line, reason, cells, csvLine(values).trimEnd());
      else rows.push({ line, cells });
    }
    if (rows.length > MAX_LISTED)
      throw new InvalidInputError(
        `${name} has more than ${digits(MAX_LISTED)} members: split it, or import XP on the page Import`,
      );
  }
  refuseRounded(rows, name);
  const reading = { numbers: styleOf(rows), cutsFractions: false };
  const corrections = new Map<string, ListedCorrection>();
  for (const { line, cells } of rows) {
    const correction = correctionOf(cells, reading);
    const earlier = typeof correction === 'object' && corrections.get(correction.userId);
    if (typeof correction === 'string') refuse(line, correction, cells);
    else if (earlier) refuse(line, `line ${earlier.line} changes ${quote(earlier.userId)} already`, cells);
    else corrections.set(correction.userId, { line, ...correction });
  }
  const notes = unread.length > 0 ? [`not used: ${unread.join(', ')}`] : [];
  return { corrections: [...corrections.values()], problems, refused: () => refused, notes };
}

/** @throws InvalidInputError for a file that cannot be read, is empty, too large or no text. */
async function textOfFile(path: string, name: string): Promise<string> {
  const source = await openSource(path, undefined, name);
  let text = '';
  try {
    for await (const piece of readSource(source, undefined)) {
      text += piece;
      if (text.length > MAX_TEXT) throw new InvalidInputError(`${name} has more than 4 MB of text: split it`);
    }
  } finally {
    await source.close();
  }
  if (text.trim() === '') throw new InvalidInputError(`${name} is empty`);
  refuseOtherContent(text, name);
  return text;
}

async function* piecesOf(text: string): AsyncGenerator<string> {
  yield text;
}

function cellsOf(values: readonly string[], indexes: ReadonlyMap<ListColumn, number>): Cells {
  const value = (column: ListColumn): string => values[indexes.get(column) ?? -1] ?? '';
  const cell = (column: ListColumn): string => value(column).trim();
  return {
    userId: cell('userId'),
    xp: cell('xp'),
    add: cell('add'),
    take: cell('take'),
    level: cell('level'),
    // Names keep their spaces.
    name: value('name'),
  };
}

/** @throws InvalidInputError when a spreadsheet has rounded the ids. */
function refuseRounded(rows: readonly { readonly cells: Cells }[], name: string): void {
  const ids = new IdEvidence();
  for (const { cells } of rows) if (LONG_ID.test(cells.userId)) ids.add(cells.userId, false);
  if (!ids.isRounded) return;
  throw new InvalidInputError(
    `${name}: its ids were rounded, such as ${ids.example}: format the column as text before the file is opened in a spreadsheet`,
  );
}

/** Returns what dots and commas mean in the numbers of a list. */
function styleOf(rows: readonly { readonly cells: Cells }[]): NumberReading['numbers'] {
  const evidence = new NumberEvidence();
  for (const { cells } of rows) for (const value of [cells.xp, cells.add, cells.take]) evidence.add(value, false);
  return evidence.style;
}

/** Returns the change in a line, or the reason why the line is refused. */
function correctionOf(cells: Cells, reading: NumberReading): Correction | string {
  const userId = readId(cells.userId, 'user_id');
  if (typeof userId === 'object') return userId.reason;
  const given = (['xp', 'add', 'take'] as const).filter((column) => cells[column] !== '');
  if (given.length > 1) return `it has ${given.join(' and ')}: give one of them`;
  const [change] = given;
  let xp: XpCorrection | undefined;
  if (change) {
    const amount = readWhole(cells[change], change, reading);
    if (typeof amount === 'string') return amount;
    if (change === 'xp') xp = { set: amount };
    else xp = change === 'add' ? { add: amount } : { take: amount };
  }
  const level = levelOf(cells.level, reading);
  if (typeof level === 'string') return `${level}, or none`;
  if (isAbove(cells.name, MAX_USERNAME_BYTES))
    return `name ${quote(cells.name)} is longer than ${MAX_USERNAME_BYTES} bytes`;
  const username = usernameOf(cells.name, userId);
  if (!xp && level === undefined && username === undefined) return 'it changes nothing';
  return { userId, xp, level, username };
}

/** Returns the level in a cell, null for a level to remove, undefined for an empty cell, or the reason why the cell has no level. */
function levelOf(cell: string, reading: NumberReading): number | string | null | undefined {
  if (cell === '') return undefined;
  return cell.toLowerCase() === 'none' ? null : readWhole(cell, 'level', reading);
}

/** Returns the name in a cell, null for a name to remove, undefined for an empty cell. */
function usernameOf(cell: string, userId: string): string | null | undefined {
  if (cell === '') return undefined;
  // The id instead of a name removes the name: earlierLine writes a member without a name in this way.
  return cell === userId ? null : cell;
}
