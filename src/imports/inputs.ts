import type { Readable } from 'node:stream';
import type { CurveText } from '../core/ranking/curves.ts';
import type { Reporter } from './advice.ts';
import type { ChosenFormat, GivenFormat } from './choose-format.ts';
import { readCsv } from './csv.ts';
import { type FormatName, formatNamed } from './formats.ts';
import type { FoundMembers } from './found-members.ts';
import { type ImportSource, openSource, readSource } from './import-source.ts';
import { inspectText, type OpenText } from './inspection.ts';
import { readJson } from './json.ts';
import { readNdjson } from './ndjson.ts';
import { PLAIN_STYLE } from './numbers.ts';
import type { Entry, RowReading } from './rows.ts';
import { curveInSettings } from './settings-curve.ts';
import { guildFilter, onlyGuild } from './source-guild.ts';
import { unreadLines } from './unread-fields.ts';

/** A place that no document has, for a file without members. Its pages can still be errors. */
const NOWHERE = '*.*';

/** A source of members. It can be read more than once. */
export interface Input {
  /** Name for messages. */
  readonly name: string;
  /** Unit of the places of its entries. */
  readonly unit: 'line' | 'element';
  /** Amount to read, in the unit of `onRead`. */
  readonly size: number;
  readonly format?: FormatName;
  /** The curve that the file names itself. */
  readonly curve?: CurveText;
  /** Whether it has levels, to compare with those of the curve. */
  readonly hasLevels: boolean;
  /** What it was found to have. */
  readonly found?: FoundMembers;
  /** Reads it from its beginning, in pieces. @throws AbortError when the signal given at opening is aborted. */
  entries(onRead: (amount: number) => void): AsyncGenerator<Entry[]>;
  /** Gives its temporary file back. */
  close(): Promise<void>;
}

/** Names the way in which a file is read. */
export type OpenOptions = Partial<GivenFormat> & { readonly name?: string };

/**
 * Opens a file by its path, or a stream, reads it once as a whole, and finds out its format. Unpacks gzip. O(n) of time, and of memory that
 * does not grow with the members.
 * @throws InvalidInputError when the file cannot be read, its format cannot be told, its ids were rounded, or it has several guilds and none
 * is chosen.
 */
export async function openInput(
  from: string | Readable,
  { format, map, sourceGuild, name }: OpenOptions,
  signal: AbortSignal,
  reporter: Reporter,
): Promise<Input> {
  const source = await openSource(from, signal, name);
  try {
    return await inputOf(source, { format, map, sourceGuild }, signal, reporter);
  } catch (error) {
    await source.close();
    throw error;
  }
}

async function inputOf(
  source: ImportSource,
  given: GivenFormat,
  signal: AbortSignal,
  reporter: Reporter,
): Promise<Input> {
  const { name } = source;
  const { write, advice } = reporter;
  const text: OpenText = (onRead) => readSource(source, signal, onRead);
  const { syntax, dialect, found, chosen } = await inspectText(text, given, name, advice);
  const keep = guildFilter(chosen, given, name, reporter);
  for (const line of unreadLines(chosen, name, advice)) write(line);
  const reading = readingOf(chosen);
  const curve = curveInSettings(chosen.format, found, given.sourceGuild ?? onlyGuild(chosen), name, write);
  return {
    name,
    unit: syntax === 'json' ? 'element' : 'line',
    size: source.size,
    ...(chosen.format && { format: chosen.format }),
    ...(curve && { curve }),
    hasLevels: chosen.names.level !== undefined,
    found,
    entries(onRead) {
      if (dialect) return readCsv(text(onRead), dialect, reading, keep, name);
      if (syntax === 'ndjson') return readNdjson(text(onRead), reading, keep, name);
      return readJson(text(onRead), chosen.list?.place ?? NOWHERE, reading, keep, name);
    },
    close: () => source.close(),
  };
}

function readingOf({ format, list, names }: ChosenFormat): RowReading {
  const { cutsFractions = false } = format ? formatNamed(format) : {};
  const xp = names.xp === undefined ? undefined : list?.fields.get(names.xp);
  const claim = names.lastDailyClaim === undefined ? undefined : list?.fields.get(names.lastDailyClaim);
  return {
    names,
    numbers: xp?.numbers.style ?? PLAIN_STYLE,
    dates: claim?.dates.order,
    cutsFractions,
  };
}
