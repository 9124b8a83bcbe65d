import type { CurveName } from '../leaderboard/curves.ts';
import { curveWarning } from './polaris-settings.ts';
import { type FieldNames, OWN_NAMES } from './rows.ts';

/** Where a JSON document keeps its members, and what it calls their fields. */
export interface JsonLayout {
  /** Top-level keys that hold the members; a top-level array holds them as well. */
  readonly containers: readonly string[];
  /** The members are `{id: XP}` or `{id: {...}}` pairs, not array elements. */
  readonly keyedById?: true;
  readonly names: FieldNames;
  /** A top-level object beside the members, and what a person should know of it. */
  readonly metadata?: { readonly key: string; readonly warning: (value: unknown) => string | undefined };
}

export interface Format {
  /** The curve by which the bot that wrote the file counts levels. */
  readonly curve?: CurveName;
  /** Absent for the formats that are not one JSON document. */
  readonly json?: JsonLayout;
}

/** Every format that the seed command reads. */
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
      names: { userId: 'id', xp: 'xp' },
      metadata: { key: 'settings', warning: curveWarning },
    },
  },
  /** Tatsu publishes scores, but no formula for levels. */
  tatsu: { curve: 'standard', json: { containers: ['rankings'], names: { userId: 'user_id', xp: 'score' } } },
} as const satisfies Record<string, Format>;

export type FormatName = keyof typeof FORMATS;
export const FORMAT_NAMES = Object.keys(FORMATS) as [FormatName, ...FormatName[]];

/** The format's entry under its general type. */
export function formatNamed(name: FormatName): Format {
  return FORMATS[name];
}
