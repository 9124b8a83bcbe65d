import { InvalidInputError } from '../core/errors.ts';
import { digits, withNoun } from '../core/format-numbers.ts';
import type { Advice } from './advice.ts';
import type { ChosenFormat } from './choose-format.ts';
import { type FieldMap, OWN_NAMES } from './fields.ts';
import { OPEN_FORMATS } from './formats.ts';
import type { FoundField } from './found-field.ts';
import { fieldsWithIds } from './propose-readings.ts';
import { quote } from './row-values.ts';
import { unknownFields } from './unknown-fields.ts';

/** What the ids of a file tell about it. */
interface IdCheck {
  /** Lines for the person. */
  readonly lines: readonly string[];
  /** Why nothing may be replaced by the file. */
  readonly doubts: readonly string[];
}

const AS_TEXT =
  'a spreadsheet or a program has read them as numbers. Export them again as text: format the column as text before the file is opened there, or write them in quotes';

/** Returns what was found of the ids of the members; undefined for a file without members. */
export function idsOf({ list, names }: ChosenFormat): FoundField | undefined {
  return names.userId === undefined ? list?.keys : list?.fields.get(names.userId);
}

/** Whether a list has a field that only Guildrank's own exports have. In such a file, ids of all kinds can stand together. */
export function isOwnExport({ list }: ChosenFormat): boolean {
  return [OWN_NAMES.explicitLevel, OWN_NAMES.hiddenReasons].some((name) => list?.has(name));
}

/** Whether a file has ids, and none of them is an id of Discord, so that they can be names. */
export function hasStrangeIds(chosen: ChosenFormat): boolean {
  const ids = idsOf(chosen);
  return ids !== undefined && ids.filled > 0 && ids.snowflakes === 0 && !isOwnExport(chosen);
}

/**
 * Checks the ids of a file as a whole. O(fields).
 * @param map the fields that a person names.
 * @throws InvalidInputError when the ids were rounded; UnknownFieldsError when the file is of no known bot, and another field has ids of Discord.
 */
export function checkFileIds(chosen: ChosenFormat, map: FieldMap | undefined, file: string, advice: Advice): IdCheck {
  const { list, names, format } = chosen;
  const ids = idsOf(chosen);
  if (!list || !ids) return { lines: [], doubts: [] };
  const { isRounded, canBeRounded, example } = ids.ids;
  if (isRounded) throw new InvalidInputError(`${file}: its ids were rounded, such as ${example}: ${AS_TEXT}`);
  if (canBeRounded)
    return { lines: [], doubts: [`${file}: all of its long ids look rounded, such as ${example}: ${AS_TEXT}`] };
  if (!hasStrangeIds(chosen)) return { lines: mixedIdLines(chosen, ids, file), doubts: [] };
  const field = names.userId ?? 'the names of its members';
  const what = `${field}, such as ${quote(ids.example)}, has no ids of Discord`;
  const better = map?.id === undefined ? fieldsWithIds(list).find((name) => name !== names.userId) : undefined;
  if (better !== undefined) {
    if (OPEN_FORMATS.has(format))
      throw unknownFields(file, list, `has ids of Discord in ${better}, and none in ${field}`, advice);
    return { lines: [], doubts: [`${file}: ${what}, and ${better} has`] };
  }
  if (list.values.numeric > 0 && ids.numbersRows)
    return {
      lines: [],
      doubts: [
        `${file}: its ids are the numbers from 1 to ${digits(ids.count)}: if these are levels or ranks, it has no members`,
      ],
    };
  // Ids that are short numbers get no warning: they are no names, and a bot can have such ids.
  const canBeNames = !/^\d+$/.test(ids.example);
  return {
    lines: canBeNames ? [`${file}: ${what}: if these are names, export the user ids instead`] : [],
    doubts: [],
  };
}

/** Returns a line about ids of which some are of Discord, and most are not. */
function mixedIdLines(chosen: ChosenFormat, { snowflakes, filled, hasIds }: FoundField, file: string): string[] {
  if (snowflakes === 0 || hasIds || isOwnExport(chosen)) return [];
  const field = chosen.names.userId ?? 'the names of its members';
  const others = filled - snowflakes;
  return [
    `${file}: ${field} has ${withNoun(snowflakes, 'id')} of Discord, and ${digits(others)} others: are these names, or rows of another table?`,
  ];
}
