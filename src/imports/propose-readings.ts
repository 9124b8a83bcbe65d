import { type FieldMap, guessField, type ImportField } from './fields.ts';
import { isSnowflake } from './found-field.ts';
import type { FoundList } from './found-list.ts';
import { PairedIds, type PairedKeys } from './paired-ids.ts';
import { quote } from './row-values.ts';

/** Readings that a message proposes. */
export const MAX_READINGS = 3;
/** Names of fields whose ids of Discord are not ids of members. */
const OTHER_IDS = /guild|server|channel|role|message|emoji/i;
const ID_IN_TEXT = /\d{15,20}/;

/** Ways to read the fields of a list. */
interface Proposal {
  /** One for each field that can be XP, the likeliest first. */
  readonly readings: readonly FieldMap[];
  /** Why there are no readings, or why they can be wrong; undefined when there is no doubt. */
  readonly doubt?: string;
}

/** Returns the ways to read the fields of a list. O(n log n) of its fields. */
export function proposeReadings(list: FoundList): Proposal {
  const fields = [...list.fields];
  const like = (field: ImportField) => fields.filter(([name]) => likenessIn(name) === field);
  const id = list.path.endsWith('#') ? 'names' : idOf(list);
  const numbers = fields
    .filter(([name, field]) => field.numeric > 0 && !field.numbersRows && !(field.hasIds && likenessIn(name) !== 'xp'))
    .sort(([, one], [, other]) => other.digits - one.digits);
  const called = numbers.filter(([name]) => likenessIn(name) === 'xp');
  const uncalled = numbers.filter(([name]) => likenessIn(name) === undefined);
  const xps = (called.length > 0 ? called : uncalled).map(([name]) => name);
  if (xps.length === 0) return { readings: [], doubt: withoutXp(list) };
  if (id === undefined) return { readings: [], doubt: withoutIds(list) };
  const [name, level, guild] = (['username', 'level', 'guildId'] as const).map((field) => like(field)[0]?.[0]);
  // A field whose name has "total" is more often the total XP than a field called XP.
  const ordered = xps.sort((one, other) => Number(/total/i.test(other)) - Number(/total/i.test(one)));
  const readings = ordered.slice(0, MAX_READINGS).map((xp) => ({
    ...(id !== 'names' && { id: id.name }),
    xp,
    ...(name !== undefined && { name }),
    ...(level !== undefined && { level }),
    ...(guild !== undefined && { guild }),
  }));
  const doubt =
    (id === 'names' ? undefined : id.doubt) ?? (called.length === 0 ? 'None of these is called XP' : undefined);
  return { readings, ...(doubt !== undefined && { doubt }) };
}

/** Returns the field that a name probably means, also in an inner object, such as `value.xp`, `xp.text` and `user.id`. */
function likenessIn(name: string): ImportField | undefined {
  const whole = guessField(name);
  if (whole !== undefined || !name.includes('.')) return whole;
  const inner = guessField(name.slice(name.lastIndexOf('.') + 1));
  const isOfUser = /^(?:user|member|author|profile)\./i.test(name);
  if (inner === 'xp' || inner === 'level' || isOfUser) return inner;
  return guessField(name.slice(0, name.indexOf('.'))) === 'xp' ? 'xp' : undefined;
}

/** Returns the fields whose values are mostly ids of Discord, without ids of guilds, channels or roles, and without XP that is as long as an id. */
export function fieldsWithIds({ fields }: FoundList): string[] {
  const canBeId = (name: string) => [undefined, 'userId'].includes(likenessIn(name)) && !OTHER_IDS.test(name);
  return [...fields].filter(([name, { hasIds }]) => hasIds && canBeId(name)).map(([name]) => name);
}

/** A field that has the ids of the members, or can have them. */
interface FoundId {
  readonly name: string;
  /** Why another field can be the id. */
  readonly doubt?: string;
}

/**
 * Returns the field with the ids of members: a field with ids of Discord whose name means an id, else the first field with ids of Discord, else a
 * field whose name means an id.
 */
function idOf(list: FoundList): FoundId | undefined {
  const fields = [...list.fields].filter(([name]) => !OTHER_IDS.test(name));
  const withIds = fieldsWithIds(list);
  // The id `_id` of MongoDB comes last.
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

/** Returns why no field of a list can be XP, for a person. */
function withoutXp({ fields, path }: FoundList): string {
  const packed = [...fields].find(([, { example }]) => /^\s*(?:\{"|\[[\d"{[])/.test(example));
  return packed
    ? `${packed[0]} has JSON inside texts, such as ${quote(packed[1].example)}: parse these texts before you save the file${orParse(path, packed[0])}`
    : 'none of these can be XP';
}

/** Returns why no field of a list has ids of Discord, for a person. */
function withoutIds(list: FoundList): string {
  const { fields } = list;
  const inText = [...fields].find(([, { example }]) => ID_IN_TEXT.test(example) && !isSnowflake(example));
  if (inText) {
    const [name, { example }] = inText;
    const command = list.path === '*' ? commandForRows(list, name) : undefined;
    return `${name} has ids in longer texts, such as ${quote(example)}: write the id of the member alone into a field user_id${orCommand(command)}`;
  }
  const named = [...fields.keys()].find((name) => ID_IN_TEXT.test(name));
  if (named !== undefined)
    return `the ids are in longer names, such as ${quote(named)}: write the id of the member alone as the name${orCommand(commandForNames(list))}`;
  return 'none of these has the ids of the members: add them in a field user_id';
}

const orCommand = (command: string | undefined): string =>
  command === undefined ? '' : `, such as with ${command} FILE > members.csv`;

/** Returns the command that parses the texts of a field in an array; "" for another path. */
function orParse(path: string, field: string): string {
  const rows = /^(?:(\w+)\.)?\*$/.exec(path);
  if (!rows || !/^\w+$/.test(field)) return '';
  return `, such as with jq '[.${rows[1] ?? ''}[] | . + (.${field} | fromjson)]' FILE > members.json`;
}

/** Returns the command that makes members of an array of keys and values, as quick.db has them; undefined if nothing shows how. */
function commandForRows({ fields }: FoundList, id: string): string | undefined {
  const keys = fields.get(id)?.pairs.keys;
  const others = [...fields].filter(([name]) => name !== id);
  const numbers = others.filter(([, { numeric }]) => numeric > 0);
  const xp = numbers.find(([name]) => likenessIn(name) === 'xp') ?? (numbers.length === 1 ? numbers[0] : undefined);
  const areSimple = xp !== undefined && [id, xp[0]].every((name) => /^\w+(?:\.\w+)*$/.test(name));
  return keys && areSimple ? commandFor('.[]', keys, `.${id}`, `.${xp[0]}`) : undefined;
}

/** Returns the command that makes members of an object with such keys; undefined if nothing shows how. */
function commandForNames({ fields }: FoundList): string | undefined {
  const pairs = new PairedIds();
  for (const name of fields.keys()) pairs.add(name);
  return pairs.keys && commandFor('to_entries[]', pairs.keys, '.key', '.value');
}

/** Returns the `jq` command that writes the ids and the XP of one guild as CSV. */
function commandFor(rows: string, { begin, end, separator, memberPart }: PairedKeys, key: string, xp: string): string {
  const ofEnd = end === '' ? '' : ` and endswith("${end}")`;
  const member = `${key} | split("${separator}")[${memberPart}]`;
  return `jq -r '"user_id,xp", (${rows} | select(${key} | startswith("${begin}")${ofEnd}) | "\\(${member}),\\(${xp})")'`;
}

/** Most names of objects in a message. */
const MAX_NAMES = 2;

/** Returns the first keys of a document whose members stand under keys that are no ids; undefined for any other document. */
export function objectsByName(list: FoundList): readonly string[] | undefined {
  const id = idOf(list);
  if (list.path !== '' || list.count > 1 || (id && !id.name.includes('.'))) return undefined;
  const xps = [...list.fields].filter(([name, { numeric }]) => numeric > 0 && likenessIn(name) === 'xp');
  const names = xps.map(([name]) => name.slice(0, Math.max(0, name.indexOf('.'))));
  if (names.length === 0 || names.some((name) => name === '' || guessField(name) !== undefined)) return undefined;
  return [...new Set(names)].slice(0, MAX_NAMES);
}
