import { guessField } from './fields.ts';
import type { FoundList } from './found-list.ts';
import type { FoundMembers } from './found-members.ts';

/** Facts about a list as a whole, whatever its format. */

/** The path of an object of values in a document. */
const COLUMN = /^([^.]+)\.#$/;

/** Whether a list has objects or values. */
export const hasMembers = ({ count, values }: FoundList): boolean => count + values.count > 0;

/** Whether the keys of a list only number its rows, and no field tells the member of a row. */
export function isOfColumns(list: FoundList): boolean {
  return list.isNumbered && innerId(list) === undefined;
}

/**
 * Whether a document has columns in place of rows: its ids and its XP as two arrays, or as two objects whose keys are numbers of rows.
 * Such an object of ids has a name such as `user_id`, and ids of Discord only as values, not as keys.
 */
export function hasColumns(found: FoundMembers): boolean {
  const isOfIds = ({ path, keys, values }: FoundList): boolean => {
    const name = COLUMN.exec(path)?.[1];
    return name !== undefined && guessField(name) === 'userId' && values.hasIds && !keys.hasIds;
  };
  return hasArraysAsColumns(found) || found.lists.some(isOfIds);
}

/** Whether a document has its ids and its XP as two arrays of values. */
function hasArraysAsColumns(found: FoundMembers): boolean {
  const names = [...found.document.fields.keys()].filter((name) => found.hasValuesAt(name));
  const kinds = new Set(names.map(guessField));
  return kinds.has('userId') && kinds.has('xp');
}

/**
 * Returns the field with the user id in a list whose keys are no ids: they number the rows, or are names although a field has ids of Discord.
 * Undefined for any other list.
 */
export function innerId({ fields, isNumbered, keys }: FoundList): string | undefined {
  const ids = [...fields].filter(([name]) => guessField(name) === 'userId');
  const isNamed = keys.snowflakes === 0 && keys.filled > 0;
  return ids.find(([, { snowflakes }]) => isNumbered || (isNamed && snowflakes > 0))?.[0];
}

/** Whether a list can be the members: it has an id, and numbers that are called XP. */
export function looksLikeMembers(list: FoundList): boolean {
  const kinds = new Set([...list.fields].map(([name, { numeric }]) => (numeric > 0 ? guessField(name) : undefined)));
  const hasIds = list.path.endsWith('#') || [...list.fields.keys()].some((name) => guessField(name) === 'userId');
  return hasIds && kinds.has('xp');
}

/** Whether the keys of a list are the ids of its members. */
export function isKeyed(list: FoundList): boolean {
  return list.path.endsWith('#') && innerId(list) === undefined;
}

/** Whether the keys of a list are ids of guilds, as in `servers: {id: {xp}}` of a member with XP in several guilds. */
export function hasGuildsAsNames({ path }: FoundList): boolean {
  return /(?:^|\.)(?:guild|server)s?\.#$/i.test(path);
}

/** Returns the list that most likely has the members: the largest list that has XP and an id, and whose keys are no ids of guilds. */
export function likeliest(lists: readonly FoundList[]): FoundList | undefined {
  const score = (list: FoundList): number => {
    const kinds = new Set([...list.fields.keys()].map(guessField));
    return (
      (hasGuildsAsNames(list) ? -8 : 0) +
      (kinds.has('xp') ? 4 : 0) +
      (list.path.endsWith('#') || kinds.has('userId') ? 2 : 0) +
      (list.path === '' ? 0 : 1)
    );
  };
  return [...lists].sort((one, other) => score(other) - score(one) || other.count - one.count)[0];
}
