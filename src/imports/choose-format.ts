import { InvalidInputError } from '../core/errors.ts';
import type { Advice } from './advice.ts';
import type { FieldMap, FieldNames, ImportField } from './fields.ts';
import { FORMAT_NAMES, type FormatName, formatNamed } from './formats.ts';
import { type FoundList, whereIs } from './found-list.ts';
import type { FoundMembers } from './found-members.ts';
import { guildsInMembers } from './inner-guilds.ts';
import {
  hasColumns,
  hasGuildsAsNames,
  hasMembers,
  innerId,
  isKeyed,
  isOfColumns,
  likeliest,
  looksLikeMembers,
} from './list-facts.ts';
import { mapFields } from './map-fields.ts';
import { severalLists, unknownFields, unknownMaps } from './unknown-fields.ts';

/** The syntax of a file, whatever its fields are called. */
export type Syntax = 'csv' | 'ndjson' | 'json';

/** What a person says about a file. */
export interface GivenFormat {
  /** Undefined = detect it. */
  readonly format: FormatName | undefined;
  readonly map: FieldMap | undefined;
  /** The guild whose members are imported from a file with members of several guilds. */
  readonly sourceGuild: string | undefined;
}

/** How the members of a file are read. */
export interface ChosenFormat {
  /** Undefined when the file has an empty list which several formats can have. */
  readonly format: FormatName | undefined;
  /** The list with the members; undefined for a file without members. */
  readonly list: FoundList | undefined;
  readonly names: FieldNames;
}

/**
 * Chooses the only format that fits a file, or the format that a person names.
 * @throws InvalidInputError when no format fits, or several do. The message lists the fields and the ways to read them.
 */
export function chooseFormat(
  found: FoundMembers,
  syntax: Syntax,
  { format, map }: GivenFormat,
  file: string,
  advice: Advice,
): ChosenFormat {
  if (hasColumns(found)) throw columnsInsteadOfRows(file);
  if (map) return asMapped(found, syntax, format, map, file);
  const lists = found.lists.filter((list) => syntax !== 'json' || (hasMembers(list) && !isOfColumns(list)));
  if (format) return asGiven(found, syntax, format, lists, file, advice);
  const fitting = FORMAT_NAMES.flatMap((name) =>
    lists
      .filter((list) => isPossible(name, syntax, list) && formatNamed(name).fits(list, found))
      .map((list) => ({ name, list })),
  );
  const [first, ...others] = fitting;
  if (first && others.length === 0)
    return { format: first.name, list: first.list, names: namesIn(first.name, first.list) };
  if (!first && isEmpty(found)) return { format: emptyFormat(found), list: undefined, names: {} };
  if (!first && found.lists.some((list) => isOfColumns(list) && list.values.count > 0))
    throw columnsInsteadOfRows(file);
  const maps = lists.filter((list) => list.fields.size === 0 && list.values.numeric > 0 && list.path.endsWith('.#'));
  if (!first && maps.length > 0) throw unknownMaps(file, maps, advice);
  const list = likeliest(lists);
  const ofGuilds = list?.fields.size === 0 ? lists.find(hasGuildsAsNames) : undefined;
  if (ofGuilds) throw guildsInMembers(ofGuilds, file);
  const likely = syntax === 'json' && fitting.length === 0 ? lists.filter(looksLikeMembers) : [];
  // A list inside a member has no members.
  if (likely.length > 1 && likely.every(({ path }) => /^[^.*#]+\.[*#]$/.test(path))) throw severalLists(file, likely);
  throw unknownFields(file, list, whyUnknown(fitting), advice);
}

/** Returns why the format of a file is unknown. @param fitting each list with a format that fits it. */
function whyUnknown(fitting: readonly { readonly name: FormatName; readonly list: FoundList }[]): string {
  if (fitting.length === 0) return 'has the fields of no format that is known';
  const lists = [...new Set(fitting.map(({ list }) => list))];
  if (lists.length > 1)
    return `has several lists of members, in ${lists.map(whereIs).join(' and in ')}, and the largest is read when you name its fields`;
  return `fits ${[...new Set(fitting.map(({ name }) => name))].join(' and ')}`;
}

/**
 * Whether the members of a format can be in this list. In CSV and NDJSON, and in a list of arrays with names for their values, they can if the
 * format has a field for the id: programs convert files of bots to these forms. Elsewhere the list must be at a path of the format.
 */
function isPossible(name: FormatName, syntax: Syntax, { path, columns }: FoundList): boolean {
  if (name === 'csv' || name === 'ndjson') return name === syntax;
  const { paths, names } = formatNamed(name);
  const hasIdField = names.userId !== undefined;
  if (syntax !== 'json') return name !== 'json' && hasIdField;
  return columns ? hasIdField : paths.includes(path);
}

/** Returns the names of a format's fields in a list. If the format has several names for a field, the first name in the list counts. */
function namesIn(name: FormatName, list: FoundList | undefined): FieldNames {
  const names: { [Field in ImportField]?: string } = {};
  for (const [field, alternatives] of Object.entries(formatNamed(name).names) as [ImportField, readonly string[]][]) {
    const present = alternatives.find((each) => list?.fields.has(each));
    const isRequired = field === 'userId' || field === 'xp';
    const chosen = present ?? (isRequired ? alternatives[0] : undefined);
    if (chosen !== undefined) names[field] = chosen;
  }
  if (list && isKeyed(list)) delete names.userId;
  else if (list?.path.endsWith('#')) names.userId = innerId(list) as string;
  return names;
}

/** Returns how to read a file whose fields a person names. The file keeps the format that is detected, because the format tells the curve. */
function asMapped(
  found: FoundMembers,
  syntax: Syntax,
  format: FormatName | undefined,
  map: FieldMap,
  file: string,
): ChosenFormat {
  // The last page of a leaderboard can have no members, and so no fields.
  if (isEmpty(found, format)) return { format: format ?? emptyFormat(found), list: undefined, names: {} };
  const mapped = mapFields(found, map, file);
  const fitting = FORMAT_NAMES.filter(
    (name) => isPossible(name, syntax, mapped.list) && formatNamed(name).fits(mapped.list, found),
  );
  const [detected = syntax] = fitting.length === 1 ? fitting : [];
  return { format: format ?? detected, ...mapped };
}

/** Returns the format that a person names, with the first list that fits it. @throws InvalidInputError when the file has no such list. */
function asGiven(
  found: FoundMembers,
  syntax: Syntax,
  format: FormatName,
  lists: readonly FoundList[],
  file: string,
  advice: Advice,
): ChosenFormat {
  const possible = lists.filter((list) => isPossible(format, syntax, list));
  const { fits, paths } = formatNamed(format);
  const list = possible.find((each) => fits(each, found)) ?? possible[0];
  if (list) return withRequired({ format, list, names: namesIn(format, list) }, file, advice);
  if (isEmpty(found, format)) return { format, list: undefined, names: {} };
  const containers = paths.filter((path) => path.includes('.')).map((path) => path.split('.')[0]);
  throw new InvalidInputError(
    `${file} has no ${[...new Set(containers)].join(' or ') || 'members'}: ${advice.checkFormat}`,
  );
}

/** @throws InvalidInputError when the list of a format lacks the XP or the ids. */
function withRequired(chosen: ChosenFormat, file: string, advice: Advice): ChosenFormat {
  const { list, names, format } = chosen;
  const missing = [names.userId, names.xp].filter((name) => name !== undefined && !list?.has(name));
  const hasValues = list && list.values.count > 0 && list.fields.size === 0;
  if (missing.length === 0 || hasValues || !list) return chosen;
  throw unknownFields(file, list, `has no ${missing.join(' and no ')}, as ${format} has it`, advice);
}

/** Returns the format of a file without members, if only one format has such a list, or if it has the settings of Polaris. */
function emptyFormat(found: FoundMembers): FormatName | undefined {
  if (found.settings.has('settings')) return 'polaris';
  const possible = FORMAT_NAMES.filter((name) => isEmpty(found, name));
  return possible.length === 1 ? possible[0] : undefined;
}

/** Whether a file has an empty list at a path of the format `only`, or of any format. */
function isEmpty(found: FoundMembers, only?: FormatName): boolean {
  if (found.lists.length === 0) return found.isEmptyAt('', 'array');
  if (found.lists.some(({ path }) => path !== '' && path !== '*')) return false;
  const paths = FORMAT_NAMES.filter((name) => only === undefined || name === only).flatMap(
    (name) => formatNamed(name).paths as readonly string[],
  );
  return paths.some((path) => {
    const container = path.slice(0, Math.max(0, path.lastIndexOf('.')));
    return container !== '' && found.isEmptyAt(container, path.endsWith('*') ? 'array' : 'object');
  });
}

/** Returns the error for a document with columns in place of rows. */
function columnsInsteadOfRows(file: string): InvalidInputError {
  return new InvalidInputError(
    `${file} has columns by their names, and in each the values of all rows, as pandas writes them: write the members as rows, as with to_json(orient="records")`,
  );
}
