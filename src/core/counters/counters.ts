import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { RefusedError } from '../errors.ts';
import type { CurveText } from '../ranking/curves.ts';
import { type BoardName, GUILD_KEYS } from '../store/keys.ts';
import { defineScript } from '../store/script.ts';
import type { ScriptStore } from '../store/scripts.ts';

export const recount = defineScript('recount', GUILD_KEYS);

/** What is counted of a ranking: that of a guild, or a board. */
interface Sums {
  /** Members with XP > 0. */
  readonly members: bigint;
  readonly totalXp: bigint;
  /** Sum of the levels of the members with XP > 0. */
  readonly levelSum: bigint;
}

/** All that is counted in a guild. */
export interface Counters extends Sums {
  /** Hidden members, which the others do not count. */
  readonly hidden: bigint;
  /** The counters of its boards, by their names. None for a guild without boards. */
  readonly boards: Readonly<Partial<Record<BoardName, Sums>>>;
}

/** Stored counters and counters computed from the members, both of one moment. */
export interface CounterCheck {
  readonly stored: Counters;
  readonly actual: Counters;
  /** Whether both are equal. */
  readonly exact: boolean;
  /** The moment, by Redis's clock. */
  readonly at: Date;
}

type Status = 'OK' | 'DONE' | 'BUSY' | 'LOST' | 'UNSEEN';

/** The decoded reply of recount.lua. */
interface Slice extends CounterCheck {
  readonly status: Status;
  readonly revision: string;
  readonly counted: number;
}

/** Members counted in one script call. Redis serves nobody else meanwhile: a few milliseconds. */
const SLICE = 250;
/** Counts that something other than the scripts disturbs, before the command gives up. */
const MAX_ATTEMPTS = 3;
/** Waits for another count of the guild; the scripts drop an abandoned one after a minute. */
const BUSY_RETRY_MS = 250;
const MAX_BUSY_RETRIES = 300;

/**
 * Recomputes counters from the members, in slices, while a bot keeps writing. A guild that nobody changes meanwhile is only read. For
 * another one the scripts that change members keep the sums of the count exact until its end. See ADR 4.
 */
export class GuildCounters {
  /** @param sliceSize members counted in one script call. */
  constructor(
    private readonly store: ScriptStore,
    private readonly sliceSize = SLICE,
  ) {}

  /**
   * Compares the stored counters with the members. O(n log n).
   * @throws RefusedError when something changes the guild without the scripts all the time.
   * @throws StoreUnavailableError
   */
  async check(guildId: string): Promise<CounterCheck> {
    return (await this.checkUndisturbed(guildId)) ?? this.countBesideWrites(guildId, '', []);
  }

  /**
   * Stores the counters that the members give, and raises the revision. O(n log n).
   * @param curve to count levels on; '' = the guild's own.
   * @param fields of the config to store in the same step, the curve among them: field, value, ...
   * @returns the counters before and after.
   * @throws as {@link check}.
   */
  async rebuild(guildId: string, curve: CurveText | '' = '', fields: readonly string[] = []): Promise<CounterCheck> {
    return this.countBesideWrites(guildId, curve, ['commit', ...fields]);
  }

  /**
   * Returns the counters that the members would give on another curve. Writes nothing. A member that moves in the ranking meanwhile can be
   * missed or counted twice. O(n log n).
   * @throws StoreUnavailableError
   */
  async preview(guildId: string, curve: CurveText): Promise<Counters> {
    let slice = await this.run(guildId, 'read', 0, curve, []);
    let sum = slice.actual;
    for (let counted = slice.counted; slice.status !== 'DONE'; counted += slice.counted) {
      slice = await this.run(guildId, 'read', counted, curve, []);
      sum = plus(sum, slice.actual);
    }
    return sum;
  }

  /** The same without writing. @returns undefined when the guild changed meanwhile. @throws StoreUnavailableError */
  async checkUndisturbed(guildId: string): Promise<CounterCheck | undefined> {
    const read = (first: number) => this.run(guildId, 'read', first, '', []);
    let slice = await read(0);
    let sum = slice;
    let counted = slice.counted;
    while (slice.status !== 'DONE') {
      slice = await read(counted);
      if (slice.revision !== sum.revision) return undefined;
      counted += slice.counted;
      sum = { ...slice, ...compare(slice.stored, plus(sum.actual, slice.actual)) };
    }
    return sum;
  }

  /** Counts while the scripts keep the sums exact. */
  private async countBesideWrites(guildId: string, curve: CurveText | '', commit: readonly string[]) {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const token = randomUUID();
      let slice = await this.begin(guildId, token, curve);
      while (slice.status === 'OK') slice = await this.run(guildId, 'step', token, curve, commit);
      if (slice.status === 'DONE') return slice;
      if (slice.status === 'LOST') {
        throw new RefusedError('count_interrupted', { guild: guildId });
      }
    }
    throw new RefusedError('count_disturbed', { guild: guildId });
  }

  private async begin(guildId: string, token: string, curve: CurveText | ''): Promise<Slice> {
    for (let attempt = 0; attempt < MAX_BUSY_RETRIES; attempt++) {
      const slice = await this.run(guildId, 'begin', token, curve, []);
      if (slice.status !== 'BUSY') return slice;
      await delay(BUSY_RETRY_MS);
    }
    throw new RefusedError('count_busy', { guild: guildId });
  }

  /** Runs recount.lua, which documents the arguments. */
  private async run(
    guildId: string,
    mode: 'read' | 'begin' | 'step',
    tokenOrFirst: string | number,
    curve: CurveText | '',
    commit: readonly string[],
  ): Promise<Slice> {
    const args = [mode, tokenOrFirst, curve, this.sliceSize, ...commit];
    const reply = await recount(this.store.scripts, this.store.redisKeys.guild(guildId), args);
    const texts = reply.map(String);
    const [status, revision, at, , counted] = texts as [Status, string, string, string, string];
    return {
      ...compare(countersOf(texts.slice(9, 13), texts[14]), countersOf(texts.slice(5, 9), texts[13])),
      status,
      revision,
      at: new Date(Number(at)),
      counted: Number(counted),
    };
  }
}

function compare(stored: Counters, actual: Counters): Pick<CounterCheck, 'stored' | 'actual' | 'exact'> {
  return { stored, actual, exact: isDeepStrictEqual(stored, actual) };
}

function plus(one: Counters, other: Counters): Counters {
  const boards = Object.entries(other.boards).map(([name, counters]) => {
    return [name, sum(one.boards[name as BoardName] ?? sumsOf([]), counters)];
  });
  // Each slice counts all hidden members.
  return { ...sum(one, other), hidden: other.hidden, boards: Object.fromEntries(boards) };
}

function sum(one: Sums, other: Sums): Sums {
  return {
    members: one.members + other.members,
    totalXp: one.totalXp + other.totalXp,
    levelSum: one.levelSum + other.levelSum,
  };
}

/** @param boards as recount.lua replies them: NAME:MEMBERS:XP:LEVELS, with spaces between. */
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

function sumsOf([members, totalXp, levelSum]: readonly string[]): Sums {
  return { members: integer(members), totalXp: integer(totalXp), levelSum: integer(levelSum) };
}

/** Parses a stored counter. One that is missing or not an integer counts as 0, so that the comparison shows the drift. */
function integer(text = ''): bigint {
  return /^-?\d+$/.test(text) ? BigInt(text) : 0n;
}
