import { isDeepStrictEqual } from 'node:util';
import type { CurveText } from '../ranking/curves.ts';
import { type BoardName, GUILD_KEYS } from '../store/redis-keys.ts';
import { defineScript, type ScriptReply } from '../store/script.ts';

/** The scripts that count the members of a guild, over lib-recount.lua. */

/** The counters of one ranking: the ranking of a guild, or a board. */
export interface Sums {
  /** Members with XP > 0. */
  readonly members: bigint;
  readonly totalXp: bigint;
  /** Sum of the levels of the members with XP > 0. */
  readonly levelSum: bigint;
}

/** All counters of a guild. */
export interface Counters extends Sums {
  /** Hidden members, which no other counter counts. */
  readonly hidden: bigint;
  /** The counters of each board, by the name of the board; empty for a guild without boards. */
  readonly boards: Readonly<Partial<Record<BoardName, Sums>>>;
}

/** Stored counters, and the counters computed from the members at the same moment. */
export interface CounterCheck {
  readonly stored: Counters;
  readonly actual: Counters;
  /** Whether the stored counters equal the computed counters. */
  readonly exact: boolean;
  /** The moment, by Redis's clock. */
  readonly at: Date;
}

/** The state of a count after one call. */
export interface CountedSlice extends CounterCheck {
  /**
   * "OK": there are more members to count. "DONE": all members are counted. "LOST": Redis does not know the count any more. "UNSEEN": something other
   * than the scripts raised the revision meanwhile, so the sums may be wrong, and the count was ended.
   */
  readonly status: 'OK' | 'DONE' | 'LOST' | 'UNSEEN';
  readonly revision: string;
  /** Members counted: in this call of a count that only reads, else in all calls so far. */
  readonly counted: number;
}

interface ReadFields {
  /** Rank of the first member, from 0. */
  readonly firstRank: number;
  /** The curve to count levels on; "" = the guild's own. */
  readonly curve: CurveText | '';
  /** Members to count in this call, 1 to 2000. */
  readonly size: number;
}

/** Counts from a rank on, and writes nothing. */
export const readCountScript = defineScript({
  name: 'recount-read',
  keys: GUILD_KEYS,
  boards: true,
  args: ({ firstRank, curve, size }: ReadFields) => [firstRank, curve, size],
  decode: decodeSlice,
});

/** Begins a count with a token, which the scripts keep exact while members change. */
export const beginCountScript = defineScript({
  name: 'recount-begin',
  keys: ['stats', 'config'],
  args: ({ token, curve }: { token: string } & Pick<ReadFields, 'curve'>) => [token, curve],
  decode: ([status]: ScriptReply) => ({ isBusy: status === 'BUSY' }),
});

interface StepFields extends Pick<ReadFields, 'size'> {
  /** The token that the count was begun with. */
  readonly token: string;
}

/** Goes on with a count. The sums in the reply cover all members counted so far. */
export const stepCountScript = defineScript({
  name: 'recount-step',
  keys: GUILD_KEYS,
  boards: true,
  args: ({ token, size }: StepFields) => [token, size],
  decode: decodeSlice,
});

/** Counts the next members, as stepCountScript does. The call that ends the count stores the sums as counters, and fields of the config with them: field, value, ... */
export const commitCountScript = defineScript({
  name: 'recount-commit',
  keys: GUILD_KEYS,
  boards: true,
  args: ({ token, size, config }: StepFields & { config: readonly string[] }) => [token, size, ...config],
  decode: decodeSlice,
});

/** Returns stored counters, counters computed from the members, and whether they are equal. */
export function compare(stored: Counters, actual: Counters): Pick<CounterCheck, 'stored' | 'actual' | 'exact'> {
  return { stored, actual, exact: isDeepStrictEqual(stored, actual) };
}

/** Decodes a reply that lib-recount.lua has made. */
function decodeSlice(reply: ScriptReply): CountedSlice {
  const texts = reply.map(String);
  const [status, revision = '', at, , counted] = texts;
  return {
    ...compare(countersOf(texts.slice(9, 13), texts[14]), countersOf(texts.slice(5, 9), texts[13])),
    status: status as CountedSlice['status'],
    revision,
    at: new Date(Number(at)),
    counted: Number(counted),
  };
}

/** @param boards NAME:MEMBERS:XP:LEVELS, with spaces between. */
function countersOf(texts: readonly string[], boards = ''): Counters {
  const byBoard = boards
    .split(' ')
    .filter(Boolean)
    .map((text) => {
      const [name, ...counters] = text.split(':');
      return [name, sumsOf(counters)];
    });
  return { ...sumsOf(texts), hidden: integer(texts[3]), boards: Object.fromEntries(byBoard) };
}

/** Parses the sums of a ranking. A missing text, or a text that is not an integer, counts as 0. */
export function sumsOf([members, totalXp, levelSum]: readonly string[]): Sums {
  return { members: integer(members), totalXp: integer(totalXp), levelSum: integer(levelSum) };
}

/** Parses a stored counter. A counter that is missing or not an integer counts as 0, so that the comparison shows the drift. */
function integer(text = ''): bigint {
  return /^-?\d+$/.test(text) ? BigInt(text) : 0n;
}
