import { InvalidInputError } from '../errors.ts';
import type { Scripts } from '../redis/commands.ts';
import type { RedisKeys } from '../redis/redis-keys.ts';
import { CURVE_TABLE, type CurveName } from './curves.ts';

/** The counters of a guild. */
export interface Counters {
  /** Members with XP > 0. */
  readonly members: bigint;
  readonly totalXp: bigint;
  /** Sum of the levels of the members with XP > 0. */
  readonly levelSum: bigint;
}

/** What is stored beside what the members say, of one moment. */
export interface CounterCheck {
  readonly stored: Counters;
  readonly actual: Counters;
  readonly exact: boolean;
}

export interface GuildConfigChange {
  readonly plan?: string;
  readonly xpCurve?: CurveName;
  readonly xpMultiplier?: number;
}

interface Recount extends CounterCheck {
  readonly revision: string;
}

/** The reply as recount.lua documents it. */
type RecountReply = [
  ...[revision: string, members: string, hi: string, lo: string, levels: string, ranked: string],
  ...[storedMembers: string, storedXp: string, storedLevels: string],
];

/** Members read in one script call: a few milliseconds in which Redis serves nobody else. */
const SLICE = 2000;
const OPTIMISTIC_ATTEMPTS = 3;

/**
 * Recomputes counters from the members, beside a bot that goes on writing. It reads in slices and starts again when the
 * guild changed meanwhile; after three such attempts it reads the guild in one step (about a second per million members,
 * during which Redis serves nobody else), because a busy guild may never hold still.
 */
export class CounterAudit {
  constructor(
    private readonly scripts: Scripts,
    private readonly redisKeys: RedisKeys,
  ) {}

  /** Compares the stored counters with the members. O(n log n). */
  async check(guildId: string): Promise<CounterCheck> {
    return (await this.recountOptimistically(guildId, '')) ?? this.recount(guildId, '', 0, -1);
  }

  /** Makes the counters say what the members say. @returns what was stored before, and what is now. */
  async rebuild(guildId: string): Promise<CounterCheck> {
    return this.commit(guildId, '', []);
  }

  /**
   * Stores config fields and raises the revision. A new curve moves every computed level, so the counters are
   * recomputed and stored with it in the same step: O(n log n) then, O(1) otherwise.
   */
  async configure(guildId: string, change: GuildConfigChange): Promise<void> {
    const fields: string[] = [];
    if (change.plan !== undefined) fields.push('plan', change.plan);
    if (change.xpCurve !== undefined) fields.push('xp_curve', change.xpCurve);
    if (change.xpMultiplier !== undefined) fields.push('xp_multiplier', String(change.xpMultiplier));
    if (fields.length === 0) throw new InvalidInputError('Nothing to set: give a plan, a curve or a multiplier');
    if (change.xpCurve !== undefined) await this.commit(guildId, change.xpCurve, fields);
    else await this.configureAt(guildId, 'any', [], fields);
  }

  private async commit(guildId: string, curve: CurveName | '', fields: string[]): Promise<CounterCheck> {
    const counted = await this.recountOptimistically(guildId, curve);
    if (counted) {
      const { members, totalXp, levelSum } = counted.actual;
      const counters = ['members', `${members}`, 'total_xp', `${totalXp}`, 'level_sum', `${levelSum}`];
      if (await this.configureAt(guildId, counted.revision, counters, fields)) return counted;
    }
    return this.recount(guildId, curve, 0, -1, ['commit', ...fields]);
  }

  /** @returns whether the guild was at `revision`, and so the values were stored. */
  private async configureAt(guildId: string, revision: string, counters: string[], fields: string[]): Promise<boolean> {
    const { stats, config } = this.redisKeys.guild(guildId);
    const reply = await this.scripts.run<string>(
      'configure',
      stats,
      config,
      revision,
      counters.length / 2,
      ...counters,
      ...fields,
    );
    return reply !== '';
  }

  private async recountOptimistically(guildId: string, curve: CurveName | ''): Promise<Recount | undefined> {
    for (let attempt = 0; attempt < OPTIMISTIC_ATTEMPTS; attempt++) {
      let sum = await this.recount(guildId, curve, 0, SLICE - 1);
      for (let first = SLICE; first < sum.ranked; first += SLICE) {
        const slice = await this.recount(guildId, curve, first, first + SLICE - 1);
        if (slice.revision !== sum.revision) break;
        sum = {
          ...slice,
          ...compare(sum.stored, plus(sum.actual, slice.actual)),
          counted: sum.counted + slice.counted,
        };
      }
      if (sum.counted === sum.ranked) return sum;
    }
    return undefined;
  }

  private async recount(guildId: string, curve: CurveName | '', first: number, last: number, commit: string[] = ['']) {
    const { xp, stats, config, memberPrefix } = this.redisKeys.guild(guildId);
    const reply = await this.scripts.run(
      'recount',
      xp,
      stats,
      config,
      memberPrefix,
      CURVE_TABLE,
      curve,
      first,
      last,
      ...commit,
    );
    const [revision, members, hi, lo, levels, ranked, storedMembers, storedXp, storedLevels] = reply.map(
      String,
    ) as RecountReply;
    const actual = {
      members: BigInt(members),
      totalXp: BigInt(hi) * 100_000_000n + BigInt(lo),
      levelSum: BigInt(levels),
    };
    const stored = { members: integer(storedMembers), totalXp: integer(storedXp), levelSum: integer(storedLevels) };
    const total = Number(ranked);
    const counted = Math.max(0, (last < 0 ? total : Math.min(total, last + 1)) - first);
    return { revision, ...compare(stored, actual), ranked: total, counted };
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

/** A counter that is missing, or is no integer, counts as 0: the drift then shows in the comparison. */
function integer(text: string): bigint {
  return /^-?\d+$/.test(text) ? BigInt(text) : 0n;
}
