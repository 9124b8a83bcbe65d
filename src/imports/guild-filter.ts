import { InvalidInputError } from '../core/errors.ts';
import { digits, withNoun } from '../core/format-numbers.ts';
import type { Advice } from './advice.ts';
import type { ChosenFormat } from './choose-format.ts';
import { MAX_GUILDS } from './found-field.ts';
import type { FoundList } from './found-list.ts';
import { DOCUMENT_IDS, type FoundMembers } from './found-members.ts';
import type { RawRow } from './rows.ts';

/** A file with members of several guilds. A person has to choose a guild. */
export class SeveralGuildsError extends InvalidInputError {
  /**
   * @param guilds the guilds, the largest first: each with the number of its members, or of its pages if only the pages name their guild.
   * @param mayBeMembers whether the ids can be ids of members, each with guilds inside.
   */
  constructor(
    message: string,
    readonly guilds: readonly { readonly id: string; readonly amount: number; readonly unit: 'member' | 'page' }[],
    readonly mayBeMembers: boolean,
  ) {
    super(message);
  }
}

/** Guilds that a message lists. */
const MAX_GUILDS_SHOWN = 5;

/** What a person can do about a file with guilds inside each member. */
const IF_MEMBERS = `. If these are ids of members, with the ids of guilds inside, write the XP of one guild alone, such as with jq 'map_values(.["GUILD"] // empty)' FILE > members.json`;

/** The guilds of a file, and whether each row names its guild, or only each page. */
interface GuildsOfFile {
  /** The number of rows of each guild, or the number of pages. */
  readonly rowsOf: ReadonlyMap<string, number>;
  readonly areOfRows: boolean;
  /** Whether the guilds are the keys around their rows. */
  readonly areKeys: boolean;
  /** Rows that name no guild, where other rows do. */
  readonly unnamedRows: number;
  /** The field of the pages that names the guild, if the pages have such a field. */
  readonly pageField: string | undefined;
}

/** Returns the chosen format with the field that names the guild of each row, if the list has such a field. */
export function withGuildField(chosen: ChosenFormat): ChosenFormat {
  const { list, names } = chosen;
  if (!list || (names.guildId !== undefined && list.has(names.guildId))) return chosen;
  const { guildId: _, ...others } = names;
  const guildId = guildFieldIn(list);
  return { ...chosen, names: guildId === undefined ? others : { ...others, guildId } };
}

/** Returns the field that names a guild: a field with the id of the guild, else a field with its name. */
function guildFieldIn(list: FoundList): string | undefined {
  const named = [...list.fields]
    .filter(([name, { guilds, example }]) => guilds && example !== '' && !list.otherGuildFields.includes(name))
    .map(([name]) => name);
  return named.find((name) => !/name$/i.test(name)) ?? named[0];
}

/** Returns the guilds of a file. Rows without a guild are left out. */
export function guildsIn({ list, names }: ChosenFormat, found: FoundMembers): GuildsOfFile {
  const field = names.guildId === undefined ? undefined : list?.fields.get(names.guildId)?.guilds;
  const pageField = guildFieldIn(found.document) ?? guildIdOf(list, found);
  const ofRows = [field, list?.outerKeys.guilds].map(named);
  const rowsOf = ofRows.find(({ size }) => size > 0);
  if (rowsOf) {
    const namedRows = [...rowsOf.values()].reduce((sum, rows) => sum + rows, 0);
    const rows = (list?.count ?? 0) + (list?.values.count ?? 0);
    // If the file has more guilds than are counted, the rows of the other guilds are not counted either.
    const unnamedRows = rowsOf.size < MAX_GUILDS ? rows - namedRows : 0;
    return { rowsOf, areOfRows: true, areKeys: rowsOf === ofRows[1], unnamedRows, pageField };
  }
  return {
    rowsOf: named(pageField === undefined ? undefined : found.document.fields.get(pageField)?.guilds),
    areOfRows: false,
    areKeys: false,
    unnamedRows: 0,
    pageField,
  };
}

/**
 * Returns the field with the id of the document around the members, if that id is an id of Discord: a database of guilds keeps one document for each
 * guild.
 */
function guildIdOf(list: FoundList | undefined, { document }: FoundMembers): string | undefined {
  const isInDocument = list !== undefined && !['', '*', '*[]', '[]'].includes(list.path);
  if (!isInDocument) return undefined;
  return DOCUMENT_IDS.find((name) => {
    const field = document.fields.get(name);
    return field !== undefined && field.snowflakes > 0 && field.snowflakes === field.filled;
  });
}

/** Returns the guilds without the rows that name no guild. */
function named(guilds: ReadonlyMap<string, number> | undefined): Map<string, number> {
  return new Map([...(guilds ?? [])].filter(([id]) => id !== ''));
}

/**
 * Returns a function that tells whether a row is of the guild that is imported.
 * @param isKnown whether the guild of each row is known, from the row or from its page.
 * @throws SeveralGuildsError when the file has several guilds and none is chosen; InvalidInputError when the file does not have the chosen guild,
 *   or has several guilds and the guild of each row is not known.
 */
export function guildFilter(
  { rowsOf, areOfRows, areKeys, unnamedRows }: GuildsOfFile,
  isKnown: boolean,
  sourceGuild: string | undefined,
  file: string,
  advice: Advice,
  write: (line: string) => void,
): (raw: RawRow) => boolean {
  const guilds = [...rowsOf].sort(([, one], [, other]) => other - one);
  const shown = guilds.slice(0, MAX_GUILDS_SHOWN).map(([id, n]) => `${id} (${digits(n)})`);
  const list = `${shown.join(', ')}${guilds.length > shown.length ? ', …' : ''}`;
  if (guilds.length > 1 && !isKnown)
    throw new InvalidInputError(
      `${file} has pages of ${withNoun(guilds.length, 'guild')} in turn: ${list}: import a file with the pages of one guild alone`,
    );
  if (sourceGuild === undefined) {
    if (guilds.length > 1) {
      const largest = guilds[0]?.[1] ?? 0;
      const mayBeMembers = areKeys && guilds.length > largest;
      throw new SeveralGuildsError(
        `${file} has ${areOfRows ? 'members' : 'pages'} of ${withNoun(guilds.length, 'guild')}: ${list}: ${advice.chooseGuild}${mayBeMembers ? IF_MEMBERS : ''}`,
        guilds.map(([id, amount]) => ({ id, amount, unit: areOfRows ? 'member' : 'page' })),
        mayBeMembers,
      );
    }
    return () => true;
  }
  const chosenRows = rowsOf.get(sourceGuild);
  if (chosenRows === undefined)
    throw new InvalidInputError(`${file} has no members of guild ${sourceGuild}: it has ${list || 'no guild ids'}`);
  if (guilds.length === 1 && !areOfRows) return () => true;
  const others = guilds.reduce((sum, [id, n]) => (id === sourceGuild ? sum : sum + n), 0);
  if (unnamedRows > 0)
    write(`${file}: left out: ${withNoun(unnamedRows, 'row')} without a guild, because other rows have a guild`);
  if (others > 0) write(`${file}: left out: ${withNoun(others, areOfRows ? 'row' : 'page')} of other guilds`);
  return ({ guildId }) => String(guildId ?? '') === sourceGuild;
}
