import type { Readable } from 'node:stream';
import { InvalidInputError } from '../core/errors.ts';
import type { CurveText } from '../core/ranking/curves.ts';
import type { Advice, Reporter } from './advice.ts';
import { checkFileIds, hasStrangeIds, idsOf, isOwnExport } from './check-ids.ts';
import { type ChosenFormat, chooseFormat, type GivenFormat, type Syntax } from './choose-format.ts';
import { headerOf, inspectCsv, readCsv } from './csv.ts';
import { type CsvDialect, dialectOf, namesBelow } from './csv-dialect.ts';
import { type NameReading, PLAIN_NAMES } from './database-text.ts';
import { detectSyntax } from './detect.ts';
import { type FieldNames, guessField } from './fields.ts';
import { type FormatName, formatNamed, OPEN_FORMATS } from './formats.ts';
import type { FoundList } from './found-list.ts';
import type { FoundMembers, NumberedPage } from './found-members.ts';
import { guildFilter, guildsIn, withGuildField } from './guild-filter.ts';
import { type ImportSource, openSource, readSource } from './import-source.ts';
import { refuseInnerGuilds } from './inner-guilds.ts';
import { readJson } from './json.ts';
import { inspectJson } from './json-inspection.ts';
import { leftOutLists } from './left-out-lists.ts';
import { readingOfNames } from './name-reading.ts';
import { inspectNdjson, MAX_LINE, readNdjson } from './ndjson.ts';
import { PLAIN_STYLE } from './numbers.ts';
import { refuseOtherContent } from './other-content.ts';
import { quote } from './row-values.ts';
import type { RowEntry, RowReading } from './rows.ts';
import { curveInSettings } from './settings-curve.ts';
import { unknownFields } from './unknown-fields.ts';
import { unreadLines } from './unread-fields.ts';

/** A path that no document has, to read a file without members: its pages can still be error responses, which are refused rows. */
const NOWHERE = { path: '*.*' };

/** A text in quotes that CSV does not have. */
const OTHER_QUOTES = /^(?:'.+'|[“„].+[”“])$/;

/** A source of members. It can be read more than once. */
export interface Input {
  /** Name for messages. */
  readonly name: string;
  /** What the number of an entry counts. */
  readonly unit: 'line' | 'element';
  /** Amount to read, in the unit of `onRead`. */
  readonly size: number;
  readonly format?: FormatName;
  /** The curve that the file names itself. */
  readonly curve?: CurveText;
  /** Whether its members have levels that can be compared with the curve. */
  readonly hasLevels: boolean;
  /** What its inspection found. */
  readonly found?: FoundMembers;
  /** The pages of its guild that name their number. */
  readonly pages?: readonly NumberedPage[];
  /** What its inspection found in the list of the members. */
  readonly members?: FoundList;
  /** The names of the fields that are read. */
  readonly names?: FieldNames;
  /** The guild of its members, if the file names a guild. */
  readonly guild?: string;
  /** Why members can be missing or wrong. With a doubt, an import must not replace the members of a guild. */
  readonly doubts?: readonly string[];
  /** Reads it from its beginning, in pieces. @throws AbortError when the signal given at opening is aborted. */
  entries(onRead: (amount: number) => void): AsyncGenerator<RowEntry[]>;
  /** Deletes its temporary file, if any. */
  close(): Promise<void>;
}

/** How to read a file, and its name for messages. */
export type OpenOptions = Partial<GivenFormat> & { readonly name?: string };

/**
 * Opens a file by its path, or a stream, reads it once as a whole, and finds out its format. Unpacks gzip. O(n) of time; the memory does not
 * grow with the members.
 * @throws InvalidInputError when the file cannot be read, its format is unknown, its ids were rounded, or it has several guilds and none is
 * chosen.
 */
export async function openInput(
  from: string | Readable,
  { format, map, sourceGuild, name }: OpenOptions,
  signal: AbortSignal,
  reporter: Reporter,
): Promise<Input> {
  const source = await openSource(from, signal, name);
  try {
    return await inspect(source, { format, map, sourceGuild }, signal, reporter);
  } catch (error) {
    await source.close();
    throw error;
  }
}

/** Reads a source once, tells the person how its members will be read, and returns the input. @throws as {@link openInput}. */
async function inspect(
  source: ImportSource,
  given: GivenFormat,
  signal: AbortSignal,
  { write, advice }: Reporter,
): Promise<Input> {
  const { name } = source;
  const head = await beginningOf(readSource(source, signal));
  refuseOtherContent(head, name);
  const syntax = syntaxOf(given.format, head, name);
  const dialect = syntax === 'csv' ? dialectOf(head) : undefined;
  const nameLine = dialect && !given.map ? namesBelow(head, dialect) : undefined;
  if (nameLine !== undefined)
    throw new InvalidInputError(
      `${name}: line ${nameLine} has the names of the columns, and the first line does not: remove the lines above it`,
    );
  const text = (onRead?: (bytes: number) => void) => readSource(source, signal, onRead);
  const { found, chosen } = dialect
    ? await inspectColumns(text, dialect, given, name, advice)
    : await inspectWhole(text, syntax, given, name, advice);
  const { lines: idLines, doubts: idDoubts } = checkFileIds(chosen, given.map, name, advice);
  if (!given.map) refuseSeveralXp(chosen, name, advice);
  if (chosen.list) refuseInnerGuilds(chosen.list, found, name);
  const beside = leftOutLists(chosen, found, name);
  for (const line of [...beside.lines, ...idLines]) write(line);
  const doubts = [...beside.doubts, ...idDoubts];
  const guilds = guildsIn(chosen, found);
  const isGuildKnown = guilds.areOfRows || (syntax === 'json' && !found.pageGuilds.isCutOff);
  const keep = guildFilter(guilds, isGuildKnown, given.sourceGuild, name, advice, write);
  const guild = given.sourceGuild ?? [...guilds.rowsOf.keys()][0];
  const pageField = guilds.rowsOf.size > 1 ? guilds.pageField : undefined;
  if (pageField !== undefined && found.dropSettings())
    write(`${name}: the settings in pages of several guilds are not used`);
  const pages = found.pages.filter((page) => pageField === undefined || page.guilds.get(pageField) === guild);
  for (const line of unreadLines(chosen, name, advice)) write(line);
  const ofNames = dialect ? readingOfNames(chosen, dialect.separator, name) : { reading: PLAIN_NAMES, lines: [] };
  for (const line of ofNames.lines) write(line);
  const reading = readingOf(chosen, ofNames.reading);
  const curve = curveInSettings(chosen.format, found, guild, name, write);
  return {
    name,
    unit: syntax === 'json' ? 'element' : 'line',
    size: source.size,
    ...(chosen.format && { format: chosen.format }),
    ...(curve && { curve }),
    hasLevels: chosen.names.level !== undefined,
    found,
    pages,
    ...(chosen.list && { members: chosen.list }),
    names: chosen.names,
    ...(guild !== undefined && { guild }),
    doubts,
    entries(onRead) {
      if (dialect) return readCsv(text(onRead), dialect, reading, keep, name);
      if (syntax === 'ndjson') return readNdjson(text(onRead), reading, keep, name);
      const nextGuild = guilds.areOfRows || pageField === undefined ? undefined : found.pageGuilds.inOrder(pageField);
      return readJson(text(onRead), chosen.list ?? NOWHERE, reading, keep, name, beside.strangers, nextGuild);
    },
    close: () => source.close(),
  };
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

/**
 * Returns the syntax of a file, as the format says or as its beginning shows.
 * @throws InvalidInputError for an empty text, and for text of no known syntax.
 */
function syntaxOf(format: FormatName | undefined, head: string, name: string): Syntax {
  if (head.trim() === '') throw new InvalidInputError(`${name} is empty`);
  if (format === 'csv' || format === 'ndjson') return format;
  const syntax = detectSyntax(head, name);
  if (!syntax)
    throw new InvalidInputError(
      `${name} is neither CSV nor JSON, and begins with ${quote(head.trim())}: export it again as CSV or JSON`,
    );
  return format === 'json' && syntax === 'ndjson' ? 'json' : syntax;
}

/** Reads the text of a source from its beginning. */
type Text = (onRead?: (bytes: number) => void) => AsyncGenerator<string>;

/** Reads all values of a JSON or NDJSON file, and chooses its format. */
async function inspectWhole(text: Text, syntax: Syntax, given: GivenFormat, name: string, advice: Advice) {
  const guildField = given.map?.guild;
  const found =
    syntax === 'ndjson' ? await inspectNdjson(text(), name, guildField) : await inspectJson(text(), name, guildField);
  return { found, chosen: withGuildField(chooseFormat(found, syntax, given, name, advice)) };
}

/** Finds out the format of a CSV file by the names of its columns, and then examines the columns that matter. */
async function inspectColumns(text: Text, dialect: CsvDialect, given: GivenFormat, name: string, advice: Advice) {
  const choose = (found: FoundMembers) => chooseFormat(found, 'csv', given, name, advice);
  let names: ReadonlySet<string | undefined> | undefined;
  try {
    const { userId, xp, guildId, lastDailyClaim } = choose(headerOf(dialect, given.map?.guild)).names;
    const rivals = dialect.columns.filter((column) => ['xp', 'guildId'].includes(guessField(column) ?? ''));
    names = new Set([userId, xp, guildId, lastDailyClaim, ...rivals].filter((each) => each !== undefined));
  } catch {
    // The message about an unknown format shows an example of each column.
  }
  const look = (only: typeof names) => inspectCsv(text(), dialect, name, only, given.map?.guild);
  let found = await look(names);
  // If the column for the ids has none, another column can have them, so all columns are examined.
  if (names && hasStrangeIds(choose(found))) found = await look(undefined);
  const [title, ...others] = dialect.columns.filter((column) => column !== '');
  if (others.length === 0 && !given.map) throw new InvalidInputError(`${name}: ${problemOfOneColumn(title)}`);
  const quoted = dialect.columns.find((column) => OTHER_QUOTES.test(column));
  if (quoted !== undefined && !given.map)
    throw new InvalidInputError(`${name}: its texts stand in quotes of another kind, such as ${quoted}: write "…"`);
  const chosen = withGuildField(choose(found));
  const twice = Object.values(chosen.names).find(
    (each) => dialect.columns.indexOf(each) !== dialect.columns.lastIndexOf(each),
  );
  if (twice !== undefined) throw new InvalidInputError(`${name}: its first line names the column ${twice} twice`);
  return { found, chosen };
}

/** @throws UnknownFieldsError when a file in a format that any program can write has several fields that can be XP. */
function refuseSeveralXp({ format, list, names }: ChosenFormat, file: string, advice: Advice): void {
  if (!list || !OPEN_FORMATS.has(format)) return;
  const rivals = [...list.fields].filter(
    ([name, { numeric }]) => numeric > 0 && guessField(name) === 'xp' && name !== names.xp,
  );
  if (rivals.length > 0) throw unknownFields(file, list, 'has several fields that can be XP', advice);
}

/** Returns how the values of the rows are read, from what the inspection has found. */
function readingOf(chosen: ChosenFormat, ofNames: NameReading): RowReading {
  const { format, list, names } = chosen;
  const ids = idsOf(chosen);
  const { cutsFractions = false, leavesOutZero = false } = format ? formatNamed(format) : {};
  const xp = (names.xp === undefined ? undefined : list?.fields.get(names.xp)) ?? list?.values;
  const claim = names.lastDailyClaim === undefined ? undefined : list?.fields.get(names.lastDailyClaim);
  return {
    names,
    ofNames,
    numbers: xp?.numbers.style ?? PLAIN_STYLE,
    dates: claim?.dates.order,
    hasSnowflakes: (ids?.hasIds ?? false) && !isOwnExport(chosen),
    cutsFractions,
    leavesOutZero,
  };
}

/** Says why a CSV file with fewer than two names of columns has no members. @param title what stands alone in the first line. */
function problemOfOneColumn(title: string | undefined): string {
  if (title === undefined) return 'its first line has separators alone, and no names of columns';
  if (title === '1') return 'each line has one value, and a member needs an id and XP: write both into each line';
  return `its first line has ${quote(title)} alone, and so names no columns: if it is a title, remove the line. If anything but a comma, a semicolon, a tab or a bar stands between the values, save them with commas`;
}
