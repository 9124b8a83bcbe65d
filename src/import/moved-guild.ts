/** The stream of "guild export": one JSON value a line. Ids, names and values are texts of bytes (latin1), so that they arrive as they were. */
export const FORMAT = 'guildrank-guild-1';

/** Members of one line, and of one step in Redis. Redis serves nobody else meanwhile: a few milliseconds. */
export const MEMBERS_PER_LINE = 125;

/** Field, value, and so on. */
export type Fields = readonly string[];

/** One member as it is stored. A later line about the same member replaces this one. */
export type MovedMember =
  | readonly [userId: string, place: 'ranked' | 'hidden', xp: string, cooldownUntilMs: number, profile: string]
  | readonly [userId: string, place: 'gone'];

/** The rest of a guild, which ends the stream. */
export interface MovedRest {
  readonly ranked: number;
  readonly hidden: number;
  readonly rev: string;
  readonly stats: Fields;
  readonly config: Fields;
  readonly season: Fields;
  readonly keys: readonly { readonly id: string; readonly sha256: string; readonly record: Fields }[];
  /** When each API key was used last, and requests by hour and API key. */
  readonly used: Fields;
  readonly usage: Fields;
  readonly quota: { readonly used: string; readonly untilMs: number };
}

export type Line =
  | { readonly format: typeof FORMAT; readonly guild: string; readonly model: string }
  | { readonly members: readonly MovedMember[] }
  | { readonly end: MovedRest };
