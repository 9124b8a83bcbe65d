/** The fields that a member in a file can have, and their names in files. */

/** The fields of a member that are imported, and the guild of the row. */
const IMPORT_FIELDS = [
  'userId',
  'xp',
  'username',
  'level',
  'dailyStreak',
  'lastDailyClaim',
  'explicitLevel',
  'hidden',
  'hiddenReasons',
  'avatar',
  'guildId',
] as const;
/** The name of a field of {@link IMPORT_FIELDS}. */
export type ImportField = (typeof IMPORT_FIELDS)[number];

/** The name of each field in a file. A dot leads into an object, as in `user.username`. A field without a name is not read. */
export type FieldNames = { readonly [Field in ImportField]?: string };

/** The field names of Guildrank's own files. */
export const OWN_NAMES = {
  userId: 'user_id',
  xp: 'xp',
  username: 'username',
  level: 'level',
  dailyStreak: 'daily_streak',
  lastDailyClaim: 'last_daily_claim',
  explicitLevel: 'explicit_level',
  hidden: 'hidden',
  hiddenReasons: 'hidden_reasons',
  avatar: 'avatar',
} as const satisfies FieldNames;

/** The words for a field in `--map` and on the pages. */
export const FIELD_WORDS = {
  id: 'userId',
  xp: 'xp',
  name: 'username',
  level: 'level',
  streak: 'dailyStreak',
  claim: 'lastDailyClaim',
  hidden: 'hidden',
  avatar: 'avatar',
  guild: 'guildId',
} as const satisfies Record<string, ImportField>;
/** A word for a field, as `--map` takes it. */
export type FieldWord = keyof typeof FIELD_WORDS;
/** The fields that a person names, by the words of `--map`. */
export type FieldMap = { readonly [Word in FieldWord]?: string };

/**
 * Names that people give to the fields: in English the names that other bots show, and names in German, French, Spanish, Portuguese and Italian. The
 * first pattern that fits wins. Names are compared in lower case, without accents and `_`.
 */
const LIKENESS: readonly (readonly [field: ImportField, pattern: RegExp])[] = [
  ['guildId', /^(?:guild|server)\.?(?:id|name)?$/],
  [
    'userId',
    /^(?:(?:user|member|discord|player|account|nutzer|benutzer|mitglieds?)?id|id(?:user|member|membre|utilisateur|usuario|miembro|membro|utente)|(?:user|member)(?:snowflake)?|id\$oid)$/,
  ],
  [
    'xp',
    /^(?:(?:user|member)?(?:total|current|lifetime|overall|all|server|guild|text|chat|voice)?(?:xp|exp|experience|score)(?:total|points|amount)?|(?:total)?points|total|erfahrung(?:spunkte)?|punkte|experiencia|puntos|pontos|esperienza|punti)$/,
  ],
  ['level', /^(?:(?:current|user|member|text)?(?:level|lvl)|stufe|niveau|nivel|livello)$/],
  [
    'username',
    /^(?:user|member|display|global|nick)?(?:name|tag)$|^(?:nick|displayname|user\.(?:username|globalname|tag)|benutzername|nutzername|nom|pseudo|nombre|nome)$/,
  ],
];
const ACCENTS = /\p{M}/gu;

/** The beginning of a name that a database or a pair puts around the fields of a member, such as `value.`. */
const WRAPPER = /^(?:_id|value|data|\d+)\./i;

/** Returns the field that a name probably means, such as the guild for `server_id` or `value.guild`; undefined for any other name. */
export function guessField(name: string): ImportField | undefined {
  const plain = name.replace(WRAPPER, '').normalize('NFD').replace(ACCENTS, '').toLowerCase().replace(/[_ -]/g, '');
  return LIKENESS.find(([, pattern]) => pattern.test(plain))?.[0];
}

/** Whether texts are names of columns: one text probably means the user id, and one means XP. */
export function areColumnNames(texts: readonly string[]): boolean {
  const kinds = new Set(texts.map((text) => guessField(text.trim())));
  return kinds.has('userId') && kinds.has('xp');
}

/** Returns the value of a field of an object. @param name can lead into inner objects with dots. A field that has the whole name comes first. */
export function valueAt(object: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(object, name)) return unwrapped(object[name]);
  if (!name.includes('.')) return undefined;
  let value: unknown = object;
  for (const key of name.split('.')) value = isObject(value) ? value[key] : undefined;
  return unwrapped(value);
}

/** The wrappings of MongoDB's extended JSON. */
const WRAPPINGS = ['$numberLong', '$numberInt', '$numberDouble', '$oid', '$date'];

/** Returns what an object such as `{"$numberLong": "5"}` wraps, and other values as they are. */
export function unwrapped(value: unknown): unknown {
  if (!isObject(value)) return value;
  const wrapping = WRAPPINGS.find((name) => Object.hasOwn(value, name));
  return wrapping === undefined ? value : unwrapped(value[wrapping]);
}

/** Returns the name of a field without the wrappings of MongoDB. */
export function unwrappedName(name: string): string {
  const wrapping = WRAPPINGS.find((each) => name.endsWith(`.${each}`));
  return wrapping === undefined ? name : unwrappedName(name.slice(0, -wrapping.length - 1));
}

/** Whether a JSON value is an object, and not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
