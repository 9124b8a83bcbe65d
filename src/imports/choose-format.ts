import { InvalidInputError } from '../core/errors.ts';
import type { Advice } from './advice.ts';
import { FIELD_WORDS, type FieldMap, type FieldNames, type FieldWord, type ImportField, likeness } from './fields.ts';
import { FORMAT_NAMES, type FormatName, formatNamed } from './formats.ts';
import type { FoundList, FoundMembers } from './found-members.ts';
import { unknownFields, unknownMaps } from './unknown-fields.ts';

export type Syntax = 'csv' | 'ndjson' | 'json';

/** What a person says of a file. */
export interface GivenFormat {
  /** Undefined = detect it. */
  readonly format: FormatName | undefined;
  readonly map: FieldMap | undefined;
  /** The guild whose members are loaded from a file of several. */
  readonly sourceGuild: string | undefined;
}

/** How the members of a file are read. */
export interface ChosenFormat {
  /** Undefined for an empty list that several formats have. */
  readonly format: FormatName | undefined;
  /** The list with the members; undefined when it has none. */
  readonly list: FoundList | undefined;
  readonly names: FieldNames;
}

/**
 * Chooses the format of a file by what only one of them has, or as a person says.
 * @throws InvalidInputError when no format fits, or several do: it lists the fields and the ways to read them.
 */
export function chooseFormat(
  found: FoundMembers,
  syntax: Syntax,
  { format, map }: GivenFormat,
  file: string,
  advice: Advice,
): ChosenFormat {
  if (map) return mapped(found, syntax, format, map, file);
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
  if (!first && found.lists.some(isOfColumns))
    throw new InvalidInputError(
      `${file} has columns by their names, and in them the values by the number of the row, as pandas writes them: write the members as rows, as with to_json(orient="records")`,
    );
  const maps = lists.filter((list) => list.fields.size === 0 && list.values.numeric > 0 && list.place.endsWith('.#'));
  if (!first && maps.length > 0) throw unknownMaps(file, maps, advice);
  const why = first
    ? `fits ${[...new Set(fitting.map(({ name }) => name))].join(' and ')}`
    : 'has the fields of no format that is known';
  throw unknownFields(file, likeliest(lists), why, advice);
}

const hasMembers = ({ count, values }: FoundList): boolean => count + values.count > 0;

/** Whether the names of a list are numbers of rows, and nothing in it tells which member a row is. */
function isOfColumns(list: FoundList): boolean {
  return list.isNumbered && innerId(list) === undefined;
}

/** Returns the field with the user's id in a list whose names are no ids; undefined for none. */
function innerId({ fields, isNumbered }: FoundList): string | undefined {
  return isNumbered ? [...fields.keys()].find((name) => likeness(name) === 'userId') : undefined;
}

/** Whether the members of a list have their ids as names. */
function isKeyed(list: FoundList): boolean {
  return list.place.endsWith('#') && innerId(list) === undefined;
}

/** Whether a format can have its members in such a list. The lists of CSV and NDJSON are at no place. */
function isPossible(name: FormatName, syntax: Syntax, { place }: FoundList): boolean {
  if (name === 'csv' || name === 'ndjson') return name === syntax;
  if (syntax !== 'json') return name !== 'json';
  return formatNamed(name).places.includes(place);
}

/** Returns the names of a format's fields in a list: of those that it can have, the first that is there. */
function namesIn(name: FormatName, list: FoundList | undefined): FieldNames {
  const names: { [Field in ImportField]?: string } = {};
  for (const [field, alternatives] of Object.entries(formatNamed(name).names) as [ImportField, readonly string[]][]) {
    const present = alternatives.find((each) => list?.fields.has(each));
    const isRequired = field === 'userId' || field === 'xp';
    const chosen = present ?? (isRequired ? alternatives[0] : undefined);
    if (chosen !== undefined) names[field] = chosen;
  }
  if (list && isKeyed(list)) delete names.userId;
  else if (list?.place.endsWith('#')) names.userId = innerId(list) as string;
  return names;
}

function asGiven(
  found: FoundMembers,
  syntax: Syntax,
  format: FormatName,
  lists: readonly FoundList[],
  file: string,
  advice: Advice,
): ChosenFormat {
  const possible = lists.filter((list) => isPossible(format, syntax, list));
  const { fits, places } = formatNamed(format);
  const list = possible.find((each) => fits(each, found)) ?? possible[0];
  if (list) return withRequired({ format, list, names: namesIn(format, list) }, file, advice);
  if (isEmpty(found, format)) return { format, list: undefined, names: {} };
  const containers = places.filter((place) => place.includes('.')).map((place) => place.split('.')[0]);
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

/** Returns the format of a file without members, if only one has such a list. Polaris has settings beside it. */
function emptyFormat(found: FoundMembers): FormatName | undefined {
  if (found.settings.has('settings')) return 'polaris';
  const possible = FORMAT_NAMES.filter((name) => isEmpty(found, name));
  return possible.length === 1 ? possible[0] : undefined;
}

/** Whether a file has a list of one format, or of any, and nothing in it. */
function isEmpty(found: FoundMembers, only?: FormatName): boolean {
  if (found.lists.length === 0) return found.isEmptyAt('', 'array');
  if (found.lists.some(({ place }) => place !== '' && place !== '*')) return false;
  const places = FORMAT_NAMES.filter((name) => only === undefined || name === only).flatMap(
    (name) => formatNamed(name).places as readonly string[],
  );
  return places.some((place) => {
    const container = place.slice(0, Math.max(0, place.lastIndexOf('.')));
    return container !== '' && found.isEmptyAt(container, place.endsWith('*') ? 'array' : 'object');
  });
}

function mapped(
  found: FoundMembers,
  syntax: Syntax,
  format: FormatName | undefined,
  map: FieldMap,
  file: string,
): ChosenFormat {
  const words = Object.entries(map) as [FieldWord, string][];
  const wanted = words.map(([, name]) => name);
  const bySize = [...found.lists].sort((one, other) => other.count - one.count);
  const list =
    bySize.find(({ place, values }) => values.count > 0 && place === `${map.xp}.#`) ??
    bySize.find((each) => wanted.every((name) => named(each, name) !== undefined));
  if (!list) {
    const largest = bySize[0];
    const missing = wanted.filter((name) => !largest || named(largest, name) === undefined);
    const fields = [...(largest?.fields.keys() ?? [])].join(', ');
    throw new InvalidInputError(
      `${file} has no field ${missing.join(' or ')} in its largest list, which has: ${fields || 'none'}`,
    );
  }
  const hasKeys = isKeyed(list);
  const names: FieldNames = Object.fromEntries(
    words.map(([word, name]) => [FIELD_WORDS[word], named(list, name) ?? name]),
  );
  const id = hasKeys ? names.userId : (names.userId ?? onlyId(list));
  if (!hasKeys && id === undefined)
    throw new InvalidInputError(
      `${file} has several fields that can be the user's id, or none: name it too, as id=user_id`,
    );
  return { format: format ?? syntax, list, names: { ...names, ...(id !== undefined && { userId: id }) } };
}

/** Returns the name of a field as a list has it: that very name, else the one with other capitals. */
function named({ fields }: FoundList, name: string): string | undefined {
  if (fields.has(name)) return name;
  return [...fields.keys()].find((each) => each.toLowerCase() === name.toLowerCase());
}

function onlyId(list: FoundList): string | undefined {
  const ids = [...list.fields.keys()].filter((name) => likeness(name) === 'userId' && !name.startsWith('_'));
  return ids.length === 1 ? ids[0] : undefined;
}

/** Returns the list that is likeliest the members: one with XP and an id, the largest of these. */
function likeliest(lists: readonly FoundList[]): FoundList | undefined {
  const score = (list: FoundList): number => {
    const kinds = new Set([...list.fields.keys()].map(likeness));
    return (
      (kinds.has('xp') ? 4 : 0) +
      (list.place.endsWith('#') || kinds.has('userId') ? 2 : 0) +
      (list.place === '' ? 0 : 1)
    );
  };
  return [...lists].sort((one, other) => score(other) - score(one) || other.count - one.count)[0];
}
