import { InvalidInputError } from '../core/errors.ts';
import { count } from '../core/readable.ts';
import type { Advice } from './advice.ts';
import { type FieldMap, type ImportField, likeness } from './fields.ts';
import type { FoundList } from './found-members.ts';
import { quote } from './row-values.ts';

/** Fields that a message shows, and readings that it proposes. */
const MAX_SHOWN = 12;
const MAX_READINGS = 3;

/** A file whose fields can be read in several ways, or in none that is known. A person has to say which field is which. */
export class UnknownFieldsError extends InvalidInputError {
  /**
   * @param fields the fields that it has, with an example of each.
   * @param readings the ways to read it, the likeliest first.
   */
  constructor(
    message: string,
    readonly fields: readonly { readonly name: string; readonly example: string }[],
    readonly readings: readonly FieldMap[],
  ) {
    super(message);
  }
}

/**
 * Returns the error that lists what a file has, and the ways to read it.
 * @param list the objects that are likeliest members; undefined when the file has none.
 * @param why nobody can tell how to read it.
 */
export function unknownFields(
  file: string,
  list: FoundList | undefined,
  why: string,
  advice: Advice,
): InvalidInputError {
  if (!list || list.fields.size === 0)
    return new InvalidInputError(`${file} has no members: docs/importing.md says where each bot has its export`);
  const fields = [...list.fields].map(([name, { example }]) => ({ name, example }));
  const shown = fields.slice(0, MAX_SHOWN).map(({ name, example }) => (example ? `${name} ${quote(example)}` : name));
  if (fields.length > MAX_SHOWN) shown.push(`${fields.length - MAX_SHOWN} more`);
  const readings = readingsOf(list);
  const begin = `${file} ${why}. It has ${count(list.count, 'row')} with ${shown.join(', ')}`;
  const end = readings.length > 0 ? `: ${advice.mapFields(readings)}` : ', and none of these can be XP';
  return new UnknownFieldsError(begin + end, fields, readings);
}

/** Returns the error that lists the objects of numbers by user id, of which a person has to say which has the XP. */
export function unknownMaps(file: string, maps: readonly FoundList[], advice: Advice): UnknownFieldsError {
  const fields = maps
    .slice(0, MAX_SHOWN)
    .map(({ place, values }) => ({ name: place.slice(0, -2), example: values.example }));
  const shown = fields.map(({ name, example }) => `${name} with ${quote(example)}`);
  const readings = fields.slice(0, MAX_READINGS).map(({ name }) => ({ xp: name }));
  return new UnknownFieldsError(
    `${file} has numbers by user id in ${shown.join(', ')}, and nothing tells which of them are XP: ${advice.mapFields(readings)}`,
    fields,
    readings,
  );
}

/** Returns the ways to read the fields of a list: one for each field that can be XP. */
function readingsOf(list: FoundList): FieldMap[] {
  const like = (field: ImportField) => [...list.fields.keys()].filter((name) => likeness(name) === field);
  const id = list.place.endsWith('#') ? undefined : idOf(list, like('userId'));
  const numbers = [...list.fields]
    .filter(([, { numeric, numbersRows }]) => numeric > 0 && !numbersRows)
    .sort(([, one], [, other]) => other.digits - one.digits)
    .map(([name]) => name);
  const named = like('xp').filter((name) => numbers.includes(name));
  const xps = named.length > 0 ? named : numbers.filter((name) => likeness(name) === undefined && name !== id);
  const [name] = like('username');
  const [level] = like('level');
  const [guild] = like('guildId');
  // What is called a total is one more often than what is called XP.
  const ordered = [...xps].sort((one, other) => Number(/total/i.test(other)) - Number(/total/i.test(one)));
  return ordered.slice(0, MAX_READINGS).map((xp) => ({
    ...(id !== undefined && { id }),
    xp,
    ...(name !== undefined && { name }),
    ...(level !== undefined && { level }),
    ...(guild !== undefined && { guild }),
  }));
}

/** Returns the field with the user's id: one that is called so, else one of long numbers. MongoDB's own id is the last choice. */
function idOf(list: FoundList, named: readonly string[]): string | undefined {
  const [best] = [...named].sort((one, other) => Number(one.startsWith('_')) - Number(other.startsWith('_')));
  return best ?? [...list.fields].find(([, { example }]) => /^\d{15,20}$/.test(example))?.[0];
}
