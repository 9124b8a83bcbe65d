import type { RedisKeys } from '../redis/redis-keys.ts';
import type { Scripts } from '../redis/scripts.ts';
import { CURVE_TABLE, type CurveName } from './curves.ts';

/** The counters of a guild. */
export interface Counters {
  /** Members with XP > 0. */
  readonly members: bigint;
  readonly totalXp: bigint;
  /** Sum of the levels of the members with XP > 0. */
  readonly levelSum: bigint;
}

/** Stored counters and counters computed from the members, both read at one moment. */
export interface CounterCheck {
  readonly stored: Counters;
  readonly actual: Counters;
  /** Whether both are equal. */
  readonly exact: boolean;
}

/** Config fields to store together with the counters. */
export interface ConfigChange {
  /** Curve to count levels on; '' = the guild's own. */
  readonly curve: CurveName | '';
  /** Field, value, field, value, ... */
  readonly fields: readonly string[];
}

const NO_CHANGE: ConfigChange = { curve: '', fields: [] };

interface Recount extends CounterCheck {
  readonly revision: string;
  /** Members in the ranking. */
  readonly ranked: number;
  /** Members that were read. */
  readonly counted: number;
}

/** The reply of recount.lua, as text. */
type RecountReply = [
  ...[revision: string, members: string, hi: string, lo: string, levels: string, ranked: string],
  ...[storedMembers: string, storedXp: string, storedLevels: string],
];

/** Members read in one script call. Redis serves nobody else meanwhile: a few milliseconds. */
const SLICE = 2000;
const OPTIMISTIC_ATTEMPTS = 3;

/**
 * Recomputes counters from the members while a bot keeps writing. It reads the guild in slices and starts again when
 * the guild changes meanwhile. After three attempts it reads the guild in one step, because a busy guild may change all
 * the time: about a second per million members, in which Redis serves nobody else. See ADR 4.
 */
export class CounterAudit {
  constructor(
    private readonly scripts: Scripts,
    private readonly redisKeys: RedisKeys,
  ) {}

  /** Compares the stored counters with the members. O(n log n). @throws StoreUnavailableError */
  async check(guildId: string): Promise<CounterCheck> {
    return (await this.recountOptimistically(guildId, '')) ?? this.recount(guildId, '', 0, -1);
  }

  /**
   * Stores the counters that the members give, and raises the revision. O(n log n).
   * @param change stored in the same step, the curve among its fields.
   * @returns the counters before and after.
   * @throws StoreUnavailableError
   */
  async rebuild(guildId: string, { curve, fields }: ConfigChange = NO_CHANGE): Promise<CounterCheck> {
    const recount = await this.recountOptimistically(guildId, curve);
    if (recount && (await this.storeAt(guildId, recount, fields))) return recount;
    return this.recount(guildId, curve, 0, -1, ['commit', ...fields]);
  }

  /** Stores what was counted. @returns false, with nothing stored, when the guild has left the revision of the count. */
  private async storeAt(guildId: string, { revision, actual }: Recount, fields: readonly string[]): Promise<boolean> {
    const { stats, config } = this.redisKeys.guild(guildId);
    const { members, totalXp, levelSum } = actual;
    const counters = ['members', `${members}`, 'total_xp', `${totalXp}`, 'level_sum', `${levelSum}`];
    const args = [revision, counters.length / 2, ...counters, ...fields];
    return (await this.scripts.run<string>('configure', stats, config, ...args)) !== '';
  }

  /** Counts in slices. @returns undefined when the guild changed in the middle of every attempt. */
  private async recountOptimistically(guildId: string, curve: CurveName | ''): Promise<Recount | undefined> {
    for (let attempt = 0; attempt < OPTIMISTIC_ATTEMPTS; attempt++) {
      let sum = await this.recount(guildId, curve, 0, SLICE - 1);
      for (let first = SLICE; first < sum.ranked; first += SLICE) {
        const slice = await this.recount(guildId, curve, first, first + SLICE - 1);
        if (slice.revision !== sum.revision) break;
        const total = compare(sum.stored, plus(sum.actual, slice.actual));
        sum = { ...slice, ...total, counted: sum.counted + slice.counted };
      }
      if (sum.counted === sum.ranked) return sum;
    }
    return undefined;
  }

  /**
   * Counts the members from rank `first` to `last` (from 0; -1 = the last one) in one script call.
   * @param curve to count with; '' = the guild's own.
   * @param commit '' to read only; 'commit', field, value, ... to store the counters and the config fields.
   */
  private async recount(
    guildId: string,
    curve: CurveName | '',
    first: number,
    last: number,
    commit: readonly string[] = [''],
  ): Promise<Recount> {
    const { xp, stats, config, memberPrefix } = this.redisKeys.guild(guildId);
    const args = [memberPrefix, CURVE_TABLE, curve, first, last, ...commit];
    const reply = await this.scripts.run('recount', xp, stats, config, ...args);
    const texts = reply.map(String) as RecountReply;
    const [revision, members, hi, lo, levels, rankedText, storedMembers, storedXp, storedLevels] = texts;
    const totalXp = BigInt(hi) * 100_000_000n + BigInt(lo);
    const actual = { members: BigInt(members), totalXp, levelSum: BigInt(levels) };
    const stored = { members: integer(storedMembers), totalXp: integer(storedXp), levelSum: integer(storedLevels) };
    const ranked = Number(rankedText);
    const end = last < 0 ? ranked : Math.min(ranked, last + 1);
    return { revision, ...compare(stored, actual), ranked, counted: Math.max(0, end - first) };
  }
}

function compare(stored: Counters, actual: Counters): CounterCheck {
  const exact =
    stored.members === actual.members && stored.totalXp === actual.totalXp && stored.levelSum === actual.levelSum;
  return { stored, actual, exact };
}

function plus(one: Counters, other: Counters): Counters {
  return {
    members: one.members + other.members,
    totalXp: one.totalXp + other.totalXp,
    levelSum: one.levelSum + other.levelSum,
  };
}

/** Parses a stored counter. One that is missing or not an integer counts as 0, so that the comparison shows the drift. */
function integer(text: string): bigint {
  return /^-?\d+$/.test(text) ? BigInt(text) : 0n;
}
