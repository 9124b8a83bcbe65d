import type { CurveText } from '../core/ranking/curves.ts';
import { type FieldNames, type ImportField, OWN_NAMES } from './fields.ts';
import type { FoundList } from './found-list.ts';
import type { FoundMembers } from './found-members.ts';
import type { JsonPath } from './json-path.ts';

/** The names that a field can have in the files of a bot, the current name first. */
type Alternatives = { readonly [Field in ImportField]?: readonly string[] };

/** A format of files with members: how it is recognised, and how its fields are named. */
export interface Format {
  /** Level curve of the bot that writes such files. */
  readonly curve?: CurveText;
  /** Paths of the members in JSON documents. CSV and NDJSON have no paths. */
  readonly paths: readonly JsonPath[];
  /** The names of its fields. At a path with `#`, the key of the object is the user id, and the key of an outer `#` is the guild. */
  readonly names: Alternatives;
  /** Whether a list must be of this format: it has a field that no other bot has, or a path and fields that together only this bot has. */
  readonly fits: (list: FoundList, found: FoundMembers) => boolean;
  /** Set if the bot stores XP with decimals, and cuts them off for its levels. */
  readonly cutsFractions?: true;
  /** Set if the bot leaves out the XP of members that have 0 XP. */
  readonly leavesOutZero?: true;
  /** Set if the pages have no numbers, and their ranks continue from page to page. */
  readonly pagesByRank?: true;
  /** What a person has to know about the members that the file hides. */
  readonly aboutHidden?: string;
}

const single = (names: FieldNames): Alternatives =>
  Object.fromEntries(Object.entries(names).map(([field, name]) => [field, [name]]));

const NAMES_OF_POLARIS = ['xp', 'cooldown', 'hidden'];
/** XP to reach level n is 100 n^2. */
const SQUARES = 'custom=0,100,0,0,1,1';

const isPolarisSettings = ({ settings }: FoundMembers): boolean => settings.has('settings');
const own = { ...single(OWN_NAMES), guildId: ['guild_id'] };

/**
 * Whether a list has the field names of Guildrank's own files. In a list that is an object, the keys must be the ids, and no other field may stand in
 * it.
 */
function isOwn(list: FoundList): boolean {
  if (!list.path.endsWith('#')) return list.has('user_id', 'xp');
  return list.has('xp') && list.hasOnly(Object.values<string>(OWN_NAMES));
}

/** Whether a list stands under a name in its document. */
const isNamed = ({ path }: FoundList): boolean => path.includes('.');

/** The formats of members that are read. */
export const FORMATS = {
  csv: { paths: [], names: own, fits: isOwn },
  ndjson: { paths: [], names: own, fits: isOwn },
  /** An array, a page of the API of Guildrank (`data`), or an object with the XP by user id. */
  json: {
    paths: ['*', 'data.*', 'members.*', 'users.*', '', '#', 'users.#', 'xp.#'],
    names: own,
    fits: (list, found) =>
      !isPolarisSettings(found) &&
      (list.fields.size === 0 ? list.values.numeric === list.count + list.values.count : isOwn(list)),
  },
  mee6: {
    curve: 'standard',
    paths: ['players.*', '*'],
    names: {
      userId: ['id'],
      xp: ['xp'],
      username: ['username'],
      level: ['level'],
      avatar: ['avatar'],
      guildId: ['guild_id'],
    },
    fits: (list) => list.has('id', 'xp', 'detailed_xp') || (list.path === 'players.*' && list.has('id', 'xp', 'level')),
  },
  amari: {
    curve: 'amari',
    paths: ['data.*', 'members.*', '*'],
    names: { userId: ['id'], xp: ['exp'], username: ['username'], level: ['level'] },
    fits: (list) => list.has('id', 'exp', 'weeklyExp') || (isNamed(list) && list.has('id', 'exp', 'level')),
  },
  lurkr: {
    curve: 'lurkr',
    paths: ['levels.*', '*'],
    names: {
      userId: ['userId'],
      xp: ['xp'],
      username: ['user.username', 'tag', 'username'],
      level: ['level'],
      avatar: ['user.avatar'],
    },
    fits: (list) => list.has('userId', 'xp') && (list.path === 'levels.*' || list.has('messageCount')),
  },
  arcane: {
    curve: 'arcane',
    paths: ['levels.*'],
    names: { userId: ['id'], xp: ['xp'], username: ['username', 'tag', 'name'], level: ['level'] },
    fits: (list) => list.path === 'levels.*' && list.has('id', 'xp', 'level'),
  },
  polaris: {
    curve: 'polaris',
    paths: ['users.#', 'xp.#', '#'],
    names: { xp: ['xp'], hidden: ['hidden'] },
    aboutHidden:
      'Polaris shows them again at their next message, and here they stay hidden until somebody unhides them',
    fits: (list, found) => isPolarisSettings(found) || (list.has('xp', 'cooldown') && list.hasOnly(NAMES_OF_POLARIS)),
  },
  /** Tatsu publishes scores, but no formula for levels. */
  tatsu: {
    curve: 'standard',
    paths: ['rankings.*', '*'],
    names: { userId: ['user_id'], xp: ['score'], guildId: ['guild_id'] },
    fits: (list) => list.has('user_id', 'score', 'rank') && !list.has('xp'),
    pagesByRank: true,
  },
  levelup: {
    curve: SQUARES,
    paths: ['users.#', 'configs.#.users.#', '#.GUILD.#.users.#'],
    names: { xp: ['xp'], level: ['level'] },
    fits: (list) => list.has('xp') && ['last_active', 'voice', 'stars', 'prestige'].some((name) => list.has(name)),
    cutsFractions: true,
    leavesOutZero: true,
  },
  'discord-xp': {
    curve: SQUARES,
    paths: ['*', ''],
    names: { userId: ['userID'], xp: ['xp'], level: ['level'], guildId: ['guildID'] },
    fits: (list) => list.has('userID', 'guildID', 'xp'),
    cutsFractions: true,
  },
  'robojs-xp': {
    curve: 'custom=10,165,755,0,6,1',
    paths: ['#', 'users.#', '*', ''],
    names: { userId: ['userId'], xp: ['xp'], level: ['level'], guildId: ['guildId'] },
    fits: (list) => list.has('xp', 'level', 'xpMessages'),
    cutsFractions: true,
  },
} as const satisfies Record<string, Format>;

/** The name of a format, as `--format` takes it. */
export type FormatName = keyof typeof FORMATS;
/** The names of all formats. */
export const FORMAT_NAMES = Object.keys(FORMATS) as [FormatName, ...FormatName[]];

/** The formats that any program can write. In them, "XP" can be the XP within a level, of a week or of all time, and an "id" can be a name. */
export const OPEN_FORMATS: ReadonlySet<FormatName | undefined> = new Set(['csv', 'ndjson', 'json']);

/** Returns a format by its name. */
export function formatNamed(name: FormatName): Format {
  return FORMATS[name];
}
