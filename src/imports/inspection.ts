import { InvalidInputError } from '../core/errors.ts';
import type { Advice } from './advice.ts';
import { type ChosenFormat, chooseFormat, type GivenFormat, type Syntax } from './choose-format.ts';
import { headerOf, inspectCsv } from './csv.ts';
import { type CsvDialect, dialectOf } from './csv-dialect.ts';
import { detectSyntax } from './detect.ts';
import { likeness } from './fields.ts';
import type { FormatName } from './formats.ts';
import type { FoundMembers } from './found-members.ts';
import { inspectJson } from './json-inspection.ts';
import { inspectNdjson, MAX_LINE } from './ndjson.ts';
import { refuseOtherContent } from './other-content.ts';

/** What the first reading of a file tells. */
export interface Inspection {
  readonly syntax: Syntax;
  /** How its columns are written; undefined for another syntax. */
  readonly dialect: CsvDialect | undefined;
  readonly found: FoundMembers;
  readonly chosen: ChosenFormat;
}

/** Reads a text from its beginning. @param onRead called with the bytes of each piece. */
export type OpenText = (onRead?: (bytes: number) => void) => AsyncGenerator<string>;

/**
 * Reads a text as a whole, and finds out its format.
 * @param name of the file, for messages.
 * @throws InvalidInputError when its format cannot be told, or its ids were rounded.
 */
export async function inspectText(
  text: OpenText,
  given: GivenFormat,
  name: string,
  advice: Advice,
): Promise<Inspection> {
  const head = await beginningOf(text());
  refuseOtherContent(head, name);
  const syntax = syntaxOf(given.format, head, name, advice);
  const dialect = syntax === 'csv' ? dialectOf(head) : undefined;
  const { found, chosen } = dialect
    ? await inspectColumns(text, dialect, given, name, advice)
    : await inspectWhole(text, syntax, given, name, advice);
  refuseRounded(chosen, name);
  return { syntax, dialect, found, chosen };
}

/** Returns the beginning of a text with its first lines whole. */
async function beginningOf(text: AsyncGenerator<string>): Promise<string> {
  let head = '';
  for await (const piece of text) {
    head += piece;
    if (head.length > MAX_LINE || head.trimStart().search(/[\r\n]/) > 0) break;
  }
  return head;
}

function syntaxOf(format: FormatName | undefined, head: string, name: string, advice: Advice): Syntax {
  if (head.trim() === '') throw new InvalidInputError(`${name} is empty`);
  if (format === 'csv' || format === 'ndjson') return format;
  const syntax = detectSyntax(head, name);
  if (!syntax) throw new InvalidInputError(`Cannot tell the format of ${name}: ${advice.nameFormat}`);
  return format === 'json' && syntax === 'ndjson' ? 'json' : syntax;
}

async function inspectWhole(text: OpenText, syntax: Syntax, given: GivenFormat, name: string, advice: Advice) {
  const found = syntax === 'ndjson' ? await inspectNdjson(text(), name) : await inspectJson(text(), name);
  return { found, chosen: chooseFormat(found, syntax, given, name, advice) };
}

/** Finds out the format of columns by their names, and then reads those that matter. */
async function inspectColumns(text: OpenText, dialect: CsvDialect, given: GivenFormat, name: string, advice: Advice) {
  const choose = (found: FoundMembers) => chooseFormat(found, 'csv', given, name, advice);
  let names: ReadonlySet<string | undefined> | undefined;
  try {
    const { userId, xp, guildId, lastDailyClaim } = choose(headerOf(dialect)).names;
    const rivals = dialect.columns.filter((column) => likeness(column) === 'xp');
    names = new Set([userId, xp, guildId, lastDailyClaim, ...rivals].filter((each) => each !== undefined));
  } catch {
    // The message about it needs an example of each column.
  }
  const found = await inspectCsv(text(), dialect, name, names);
  const chosen = choose(found);
  const twice = Object.values(chosen.names).find(
    (each) => dialect.columns.indexOf(each) !== dialect.columns.lastIndexOf(each),
  );
  if (twice !== undefined) throw new InvalidInputError(`${name}: its first line names the column ${twice} twice`);
  return { found, chosen };
}

/** @throws InvalidInputError when the ids of the members were rounded. */
function refuseRounded({ list, names }: ChosenFormat, file: string): void {
  const ids = names.userId === undefined ? list?.keys.ids : list?.fields.get(names.userId)?.ids;
  if (!ids?.isRounded) return;
  throw new InvalidInputError(
    `${file}: its ids were rounded, such as ${ids.example}: a spreadsheet or a program has read them as numbers. Export them again as text: format the column as text before the file is opened there, or write them in quotes`,
  );
}
