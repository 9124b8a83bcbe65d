import { InvalidInputError } from '../core/errors.ts';
import { digits } from '../core/format-numbers.ts';
import { guessField } from './fields.ts';
import { type FoundList, whereIs } from './found-list.ts';
import { DOCUMENT_IDS, type FoundMembers } from './found-members.ts';
import { hasGuildsAsNames } from './list-facts.ts';
import { quote } from './row-values.ts';

/**
 * Refuses members whose guild cannot be told when the list is read: XP by ids of guilds inside each member, and lists of members inside several
 * objects of guilds. O(lists and fields).
 * @param list the list of the members.
 * @throws InvalidInputError with the command that takes one guild out of the file.
 */
export function refuseInnerGuilds(list: FoundList, found: FoundMembers, file: string): void {
  if (hasGuildsAsNames(list)) throw guildsInMembers(list, file);
  for (const around of found.lists) {
    const isInside = around.path.endsWith('.*') && list.path.startsWith(`${around.path}.`);
    const id = isInside && around.count > 1 ? idOfGuilds(around) : undefined;
    if (id !== undefined) throw membersInGuilds(list, around, id, file);
  }
}

/** Returns the error for a file that has the XP of each member by ids of guilds. */
export function guildsInMembers(list: FoundList, file: string): InvalidInputError {
  const [, inner] = /^#\.(\w+)\.#$/.exec(list.path) ?? [];
  const command =
    inner === undefined ? '' : `, such as with jq 'map_values(.${inner}["GUILD"] // empty)' FILE > members.json`;
  return new InvalidInputError(
    `${file} has the XP of each member by the ids of guilds, in ${whereIs(list)}: write the XP of one guild alone${command}`,
  );
}

/** Returns the error for a file that has lists of members inside several objects of guilds. */
function membersInGuilds(list: FoundList, around: FoundList, id: string, file: string): InvalidInputError {
  const [outer, inner] = [around, list].map(({ path }) => path.replace(/\.[*#]$/, ''));
  const name = inner?.slice(around.path.length + 1) ?? '';
  const areSimple = [outer, name, id].every((each) => /^\w+$/.test(each ?? ''));
  const command = areSimple
    ? `, such as with jq '.${outer}[] | select(.${id} == "GUILD") | .${name}' FILE > members.json`
    : '';
  const example = around.fields.get(id)?.example;
  return new InvalidInputError(
    `${file} has its members inside ${digits(around.count)} objects of ${whereIs(around)}, such as ${id} ${quote(example)}: write the members of one object alone${command}`,
  );
}

/** Returns the field of objects that can be their guild: a field that is called so, or else their own id if all its values are ids of Discord. */
function idOfGuilds({ fields }: FoundList): string | undefined {
  const called = [...fields.keys()].find((name) => guessField(name) === 'guildId' && !/name$/i.test(name));
  if (called !== undefined) return called;
  return DOCUMENT_IDS.find((name) => {
    const field = fields.get(name);
    return field !== undefined && field.snowflakes > 0 && field.snowflakes === field.filled;
  });
}
