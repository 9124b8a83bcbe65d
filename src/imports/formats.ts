import type { CurveName } from '../core/ranking/curves.ts';
import { type FieldNames, OWN_NAMES } from './rows.ts';

/** The place of the members in a JSON document, and the names of their fields. */
export interface JsonLayout {
  /** Top-level keys that can hold the members. A top-level array can hold them too. */
  readonly containers: readonly string[];
  /** The members are `{id: XP}` or `{id: {...}}` pairs, not array elements. */
  readonly keyedById?: true;
  readonly names: FieldNames;
}

interface Format {
  /** Level curve of the bot that wrote the file. */
  readonly curve?: CurveName;
  /** Absent for the formats that are not one JSON document. */
  readonly json?: JsonLayout;
}

/** The formats of members that are read. */
export const FORMATS = {
  csv: {},
  ndjson: {},
  /** An array, or a page as this service answers it (`data`). */
  json: { json: { containers: ['data'], names: OWN_NAMES } },
  mee6: {
    curve: 'standard',
    json: { containers: ['players'], names: { userId: 'id', xp: 'xp', username: 'username', level: 'level' } },
  },
  amari: {
    curve: 'amari',
    json: { containers: ['data', 'members'], names: { userId: 'id', xp: 'exp', username: 'username', level: 'level' } },
  },
  lurkr: {
    curve: 'lurkr',
    json: { containers: ['levels'], names: { userId: 'userId', xp: 'xp', username: 'user.username', level: 'level' } },
  },
  polaris: {
    curve: 'polaris',
    json: {
      containers: ['users', 'xp'],
      keyedById: true,
      names: { userId: 'id', xp: 'xp', hidden: 'hidden' },
    },
  },
  /** Tatsu publishes scores, but no formula for levels. */
  tatsu: { curve: 'standard', json: { containers: ['rankings'], names: { userId: 'user_id', xp: 'score' } } },
} as const satisfies Record<string, Format>;

export type FormatName = keyof typeof FORMATS;
export const FORMAT_NAMES = Object.keys(FORMATS) as [FormatName, ...FormatName[]];

/** Returns a format by its name. */
export function formatNamed(name: FormatName): Format {
  return FORMATS[name];
}
