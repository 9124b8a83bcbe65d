import { InvalidInputError } from '../core/errors.ts';
import { withNoun } from '../core/format-numbers.ts';
import type { Advice } from './advice.ts';
import type { FieldMap } from './fields.ts';
import { type FoundList, whereIs } from './found-list.ts';
import { MAX_READINGS, objectsByName, proposeReadings } from './propose-readings.ts';
import { quote } from './row-values.ts';

/** Most fields in a message. */
const MAX_SHOWN = 12;

/** The fields of a file can be read in several ways, or in no known way. A person has to say which field is which. */
export class UnknownFieldsError extends InvalidInputError {
  /**
   * @param fields the fields of the file, with an example of each.
   * @param readings the ways to read the file, the likeliest first.
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
 * Returns the error that lists the fields of a file, and the ways to read it. The message calls a way that can be wrong a guess.
 * @param list the objects that are most likely the members; undefined when the file has no objects.
 * @param why the file cannot be read without help, as words that follow its name.
 */
export function unknownFields(
  file: string,
  list: FoundList | undefined,
  why: string,
  advice: Advice,
): InvalidInputError {
  if (!list || list.fields.size === 0)
    return new InvalidInputError(`${file} has no members: docs/importing.md says where each bot has its export`);
  const named = objectsByName(list);
  if (named)
    return new InvalidInputError(
      `${file} has objects by names that are no ids of Discord, such as ${named.map(quote).join(' and ')}: write them as an array of objects, each with the id of its member in user_id`,
    );
  const fields = [...list.fields].filter(([name]) => name !== '').map(([name, { example }]) => ({ name, example }));
  const shown = fields.slice(0, MAX_SHOWN).map(({ name, example }) => (example ? `${name} ${quote(example)}` : name));
  if (fields.length > MAX_SHOWN) shown.push(`${fields.length - MAX_SHOWN} more`);
  const { readings, doubt } = proposeReadings(list);
  const begin = `${file} ${why}. It has ${withNoun(list.count, 'row')} with ${shown.join(', ')}`;
  if (readings.length === 0) return new UnknownFieldsError(`${begin}, and ${doubt}`, fields, readings);
  const guess = doubt === undefined ? ': ' : `. ${doubt}, so this is a guess: `;
  return new UnknownFieldsError(`${begin}${guess}${advice.mapFields(readings)}`, fields, readings);
}

/** Returns the error for a document of no known bot with several lists of members. */
export function severalLists(file: string, lists: readonly FoundList[]): InvalidInputError {
  const names = lists.slice(0, MAX_SHOWN).map(whereIs);
  const first = names.find((name) => /^\w+$/.test(name));
  const command = first === undefined ? '' : `, such as with jq '.${first}' FILE > members.json`;
  return new InvalidInputError(
    `${file} has several lists that can be the members, in ${names.join(', in ')}: save one list alone${command}`,
  );
}

/** Returns the error for a file with several objects of numbers by user id: a person has to say which of them has the XP. */
export function unknownMaps(file: string, maps: readonly FoundList[], advice: Advice): UnknownFieldsError {
  const fields = maps
    .slice(0, MAX_SHOWN)
    .map(({ path, values }) => ({ name: path.slice(0, -2), example: values.example }));
  const shown = fields.map(({ name, example }) => `${name} with ${quote(example)}`);
  const readings = fields.slice(0, MAX_READINGS).map(({ name }) => ({ xp: name }));
  return new UnknownFieldsError(
    `${file} has numbers by user id in ${shown.join(', ')}, and nothing tells which of them are XP: ${advice.mapFields(readings)}`,
    fields,
    readings,
  );
}
