import { InvalidInputError } from '../core/errors.ts';
import { count } from '../core/readable.ts';
import type { Advice } from './advice.ts';
import { type ImportField, likeness } from './fields.ts';
import { type FoundField, isSnowflake } from './found-field.ts';
import type { FoundList } from './found-list.ts';
import { quote } from './row-values.ts';

/** Fields that a message shows, and readings that it proposes. */
const MAX_SHOWN = 12;
const MAX_READINGS = 3;

/** A file whose fields can be read in several ways, or in none that is known. A person has to say which field is which. */
export class UnknownFieldsError extends InvalidInputError {
  /**
   * @param fields the fields that it has, with an example of each.
   * @param readings the ways to read it, as `--map` takes them, the likeliest first.
   */
  constructor(
    message: string,
    readonly fields: readonly { readonly name: string; readonly example: string }[],
    readonly readings: readonly string[],
  ) {
    super(message);
  }
}

/**
 * Returns the error that lists what a file has, and the ways to read it. A way that can be wrong is called a guess.
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
  const named = objectsByName(list);
  if (named)
    return new InvalidInputError(
      `${file} has objects by names that are no ids of Discord, such as ${named.map(quote).join(' and ')}: write them as an array of objects, each with the id of its member in user_id`,
    );
  const fields = [...list.fields].map(([name, { example }]) => ({ name, example }));
  const shown = fields.slice(0, MAX_SHOWN).map(({ name, example }) => (example ? `${name} ${quote(example)}` : name));
  if (fields.length > MAX_SHOWN) shown.push(`${fields.length - MAX_SHOWN} more`);
  const { readings, doubt } = readingsOf(list);
  const begin = `${file} ${why}. It has ${count(list.count, 'row')} with ${shown.join(', ')}`;
  if (readings.length === 0) return new UnknownFieldsError(`${begin}, and ${doubt}`, fields, readings);
  const guess = doubt === undefined ? ': ' : `. ${doubt}, so this is a guess: `;
  return new UnknownFieldsError(`${begin}${guess}${advice.mapFields(readings)}`, fields, readings);
}

/** Returns the error that lists the objects of numbers by user id, of which a person has to say which has the XP. */
export function unknownMaps(file: string, maps: readonly FoundList[], advice: Advice): UnknownFieldsError {
  const fields = maps
    .slice(0, MAX_SHOWN)
    .map(({ place, values }) => ({ name: place.slice(0, -2), example: values.example }));
  const shown = fields.map(({ name, example }) => `${name} with ${quote(example)}`);
  const readings = fields.slice(0, MAX_READINGS).map(({ name }) => `xp=${name}`);
  return new UnknownFieldsError(
    `${file} has numbers by user id in ${shown.join(', ')}, and nothing tells which of them are XP: ${advice.mapFields(readings)}`,
    fields,
    readings,
  );
}

/** Ways to read the fields of a list. */
interface Proposal {
  /** One for each field that can be XP, as `--map` takes them, the likeliest first. */
  readonly readings: readonly string[];
  /** Why there are none, or why they can be wrong; undefined when they cannot. */
  readonly doubt?: string;
}

/** Returns the ways to read the fields of a list. */
function readingsOf(list: FoundList): Proposal {
  const fields = [...list.fields];
  const like = (field: ImportField) => fields.filter(([name]) => likenessIn(name) === field);
  const id = list.place.endsWith('#') ? 'names' : idOf(list);
  const numbers = fields
    .filter(([, field]) => field.numeric > 0 && !field.numbersRows && !hasIds(field))
    .sort(([, one], [, other]) => other.digits - one.digits);
  const called = numbers.filter(([name]) => likenessIn(name) === 'xp');
  const uncalled = numbers.filter(([name]) => likenessIn(name) === undefined);
  const xps = (called.length > 0 ? called : uncalled).map(([name]) => name);
  if (xps.length === 0) return { readings: [], doubt: 'none of these can be XP' };
  if (id === undefined) return { readings: [], doubt: withoutIds(list) };
  const rest = (
    [
      ['name', 'username'],
      ['level', 'level'],
      ['guild', 'guildId'],
    ] as const
  ).flatMap(([word, field]) => {
    const first = like(field)[0];
    return first ? [`${word}=${first[0]}`] : [];
  });
  // What is called a total is one more often than what is called XP.
  const ordered = xps.sort((one, other) => Number(/total/i.test(other)) - Number(/total/i.test(one)));
  const readings = ordered
    .slice(0, MAX_READINGS)
    .map((xp) => [...(id === 'names' ? [] : [`id=${id.name}`]), `xp=${xp}`, ...rest].join(','));
  const doubt =
    (id === 'names' ? undefined : id.doubt) ?? (called.length === 0 ? 'None of these is called XP' : undefined);
  return { readings, ...(doubt !== undefined && { doubt }) };
}

/** Returns the field that a name is like, also in an object in a member, such as `value.xp` and `user.id`. */
function likenessIn(name: string): ImportField | undefined {
  const whole = likeness(name);
  if (whole !== undefined || !name.includes('.')) return whole;
  const inner = likeness(name.slice(name.lastIndexOf('.') + 1));
  const isOfUser = /^(?:user|member|author|profile)\./i.test(name);
  return inner === 'xp' || inner === 'level' || isOfUser ? inner : undefined;
}

/** Whether most values of a field are ids of Discord. */
const hasIds = ({ snowflakes, filled }: FoundField): boolean => snowflakes > 0 && snowflakes * 2 >= filled;
/** Fields with ids of Discord that are no members. */
export const OTHER_IDS = /guild|server|channel|role|message|emoji/i;
const ID_IN_TEXT = /\d{15,20}/;

/** A field that has the ids of the members, or can have them. */
interface FoundId {
  readonly name: string;
  /** Why it can be another one. */
  readonly doubt?: string;
}

/** Returns the field with the ids of members: one with ids of Discord that is called so, else the first with such ids, else one that is called so. */
function idOf(list: FoundList): FoundId | undefined {
  const fields = [...list.fields].filter(([name]) => likenessIn(name) !== 'guildId' && !OTHER_IDS.test(name));
  const withIds = fields.filter(([, field]) => hasIds(field)).map(([name]) => name);
  // MongoDB's own id is the last choice.
  const called = fields
    .filter(([name]) => likenessIn(name) === 'userId')
    .map(([name]) => name)
    .sort((one, other) => Number(one.startsWith('_')) - Number(other.startsWith('_')));
  const sure = called.find((name) => withIds.includes(name));
  if (sure !== undefined) return { name: sure };
  const [first, second] = withIds;
  if (first !== undefined)
    return second === undefined
      ? { name: first }
      : { name: first, doubt: `${first} and ${second} both have ids of Discord` };
  const possible = called.filter((name) => !ID_IN_TEXT.test(list.fields.get(name)?.example ?? ''));
  const name = possible.find((each) => !list.fields.get(each)?.numbersRows) ?? possible[0];
  return name === undefined ? undefined : { name, doubt: 'None of these has ids of Discord' };
}

/** Returns what a person has to know of a list in which no field has ids of Discord. */
function withoutIds({ fields }: FoundList): string {
  const inText = [...fields].find(([, { example }]) => ID_IN_TEXT.test(example) && !isSnowflake(example));
  if (inText) {
    const [name, { example }] = inText;
    return `${name} has ids in longer texts, such as ${quote(example)}: write the id of the member alone into a field user_id`;
  }
  return 'none of these has the ids of the members: add them in a field user_id';
}

/** Names of objects that a message has. */
const MAX_NAMES = 2;

/** Returns the names of the first objects of a document that has its members by names which are no ids; undefined for another document. */
function objectsByName(list: FoundList): readonly string[] | undefined {
  const id = idOf(list);
  if (list.place !== '' || list.count > 1 || (id && !id.name.includes('.'))) return undefined;
  const xps = [...list.fields].filter(([name, { numeric }]) => numeric > 0 && likenessIn(name) === 'xp');
  const names = xps.map(([name]) => name.slice(0, Math.max(0, name.indexOf('.'))));
  if (names.length === 0 || names.some((name) => name === '' || likeness(name) !== undefined)) return undefined;
  return [...new Set(names)].slice(0, MAX_NAMES);
}
