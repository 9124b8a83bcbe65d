import { InvalidInputError } from '../core/errors.ts';
import { FIELD_WORDS, type FieldMap, type FieldNames, type FieldWord, guessField } from './fields.ts';
import type { FoundList } from './found-list.ts';
import type { FoundMembers } from './found-members.ts';
import { hasGuildsAsNames, isKeyed } from './list-facts.ts';

/**
 * Returns the largest list of a file that has the fields which a person names, and the names of the fields in the list.
 * @throws InvalidInputError when no list has them, or when nothing tells which field is the id.
 */
export function mapFields(
  found: FoundMembers,
  map: FieldMap,
  file: string,
): { readonly list: FoundList; readonly names: FieldNames } {
  const words = Object.entries(map) as [FieldWord, string][];
  const wanted = words.map(([, name]) => name);
  const bySize = [...found.lists].sort(
    (one, other) => Number(hasGuildsAsNames(one)) - Number(hasGuildsAsNames(other)) || other.count - one.count,
  );
  const list =
    bySize.find(({ path, values }) => values.count > 0 && path === `${map.xp}.#`) ??
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
  return { list, names: { ...names, ...(id !== undefined && { userId: id }) } };
}

/** Returns the name of a field as a list has it: the same name, else the same name in other case. */
function named({ fields }: FoundList, name: string): string | undefined {
  if (fields.has(name)) return name;
  return [...fields.keys()].find((each) => each.toLowerCase() === name.toLowerCase());
}

/** Returns the field with the user id, if a single field can be the user id. */
function onlyId(list: FoundList): string | undefined {
  const ids = [...list.fields.keys()].filter((name) => guessField(name) === 'userId' && !name.startsWith('_'));
  return ids.length === 1 ? ids[0] : undefined;
}
