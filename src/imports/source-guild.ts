import { InvalidInputError } from '../core/errors.ts';
import { count, digits } from '../core/readable.ts';
import type { Reporter } from './advice.ts';
import type { ChosenFormat, GivenFormat } from './choose-format.ts';
import type { RawRow } from './rows.ts';

/** Guilds that a message lists. */
const MAX_GUILDS_SHOWN = 5;

/** Returns how many members each guild has, in a file that names guilds. */
function guildsOf({ list, names }: ChosenFormat): ReadonlyMap<string, number> {
  const field = names.guildId === undefined ? undefined : list?.fields.get(names.guildId);
  return field?.guilds ?? list?.outerKeys.guilds ?? new Map();
}

/** Returns the guild of a file whose members are all of one guild; undefined for another file. */
export function onlyGuild(chosen: ChosenFormat): string | undefined {
  const guilds = [...guildsOf(chosen).keys()];
  return guilds.length === 1 ? guilds[0] : undefined;
}

/**
 * Returns a function that tells whether a row is of the guild that is loaded.
 * @throws InvalidInputError when the file has several and none is chosen, or when it does not have the chosen one.
 */
export function guildFilter(
  chosen: ChosenFormat,
  { sourceGuild }: GivenFormat,
  file: string,
  { advice, write }: Reporter,
): (raw: RawRow) => boolean {
  const guilds = [...guildsOf(chosen)].filter(([id]) => id !== '').sort(([, one], [, other]) => other - one);
  const shown = guilds.slice(0, MAX_GUILDS_SHOWN).map(([id, n]) => `${id} (${digits(n)})`);
  const list = `${shown.join(', ')}${guilds.length > shown.length ? ', …' : ''}`;
  if (sourceGuild === undefined) {
    if (guilds.length > 1)
      throw new InvalidInputError(
        `${file} has members of ${count(guilds.length, 'guild')}: ${list}: ${advice.chooseGuild}`,
      );
    return () => true;
  }
  const chosenRows = guilds.find(([id]) => id === sourceGuild)?.[1];
  if (chosenRows === undefined)
    throw new InvalidInputError(`${file} has no members of guild ${sourceGuild}: it has ${list || 'no guild ids'}`);
  const others = guilds.reduce((sum, [id, n]) => (id === sourceGuild ? sum : sum + n), 0);
  if (others > 0) write(`${file}: left out: ${count(others, 'row')} of other guilds`);
  return ({ guildId }) => String(guildId ?? '') === sourceGuild;
}
