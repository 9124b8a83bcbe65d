import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { RefusedError } from '../errors.ts';
import type { CurveText } from '../ranking/curves.ts';
import type { BoardName } from '../store/redis-keys.ts';
import type { ScriptStore } from '../store/scripts.ts';
import {
  beginCountScript,
  type CountedSlice,
  type CounterCheck,
  type Counters,
  commitCountScript,
  compare,
  readCountScript,
  type Sums,
  stepCountScript,
  sumsOf,
} from './recount-scripts.ts';

/** Members counted in one script call. Redis serves no other client during a call, which takes a few milliseconds. */
const SLICE = 250;
/** How often a count may be disturbed by something other than the scripts before the command gives up. */
const MAX_ATTEMPTS = 3;
/** Milliseconds between two tries while another count of the guild runs. The scripts drop an abandoned count after a minute. */
const BUSY_RETRY_MS = 250;
const MAX_BUSY_RETRIES = 300;

/**
 * Recomputes counters from the members, in slices, while a bot keeps writing. If nobody changes the guild meanwhile, the count only reads. Otherwise
 * the scripts that change members keep the sums of the count exact until the count ends. See ADR 4.
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
    return (await this.checkUndisturbed(guildId)) ?? this.countBesideWrites(guildId, '');
  }

  /**
   * Stores the counters that the members give, and raises the revision. O(n log n).
   * @param curve to count levels on; '' = the guild's own.
   * @param fields of the config to store in the same step, the curve among them: field, value, ...
   * @returns the counters before and after.
   * @throws as {@link check}.
   */
  async rebuild(guildId: string, curve: CurveText | '' = '', fields: readonly string[] = []): Promise<CounterCheck> {
    return this.countBesideWrites(guildId, curve, fields);
  }

  /**
   * Returns the counters that the members would give on another curve. Writes nothing. A member that moves in the ranking meanwhile can be
   * missed or counted twice. O(n log n).
   * @throws StoreUnavailableError
   */
  async preview(guildId: string, curve: CurveText): Promise<Counters> {
    let slice = await this.read(guildId, 0, curve);
    let sum = slice.actual;
    for (let counted = slice.counted; slice.status !== 'DONE'; counted += slice.counted) {
      slice = await this.read(guildId, counted, curve);
      sum = plus(sum, slice.actual);
    }
    return sum;
  }

  /** Checks the counters without writing. @returns undefined when the guild changed meanwhile. @throws StoreUnavailableError */
  async checkUndisturbed(guildId: string): Promise<CounterCheck | undefined> {
    let slice = await this.read(guildId, 0, '');
    let sum = slice;
    let counted = slice.counted;
    while (slice.status !== 'DONE') {
      slice = await this.read(guildId, counted, '');
      if (slice.revision !== sum.revision) return undefined;
      counted += slice.counted;
      sum = { ...slice, ...compare(slice.stored, plus(sum.actual, slice.actual)) };
    }
    return sum;
  }

  /** Counts while the scripts keep the sums exact. @param config stored with the counters at the end; without it nothing is stored. */
  private async countBesideWrites(guildId: string, curve: CurveText | '', config?: readonly string[]) {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const token = randomUUID();
      await this.begin(guildId, token, curve);
      let slice = await this.step(guildId, token, config);
      while (slice.status === 'OK') slice = await this.step(guildId, token, config);
      if (slice.status === 'DONE') return slice;
      if (slice.status === 'LOST') {
        throw new RefusedError('count_interrupted', { guild: guildId });
      }
    }
    throw new RefusedError('count_disturbed', { guild: guildId });
  }

  private async begin(guildId: string, token: string, curve: CurveText | ''): Promise<void> {
    for (let attempt = 0; attempt < MAX_BUSY_RETRIES; attempt++) {
      const keys = this.store.redisKeys.guild(guildId);
      const { isBusy } = await beginCountScript.run(this.store.scripts, keys, { token, curve });
      if (!isBusy) return;
      await delay(BUSY_RETRY_MS);
    }
    throw new RefusedError('count_busy', { guild: guildId });
  }

  /** Counts a slice from a rank on, without writing. */
  private read(guildId: string, firstRank: number, curve: CurveText | ''): Promise<CountedSlice> {
    const fields = { firstRank, curve, size: this.sliceSize };
    return readCountScript.run(this.store.scripts, this.store.redisKeys.guild(guildId), fields);
  }

  private step(guildId: string, token: string, config?: readonly string[]): Promise<CountedSlice> {
    const keys = this.store.redisKeys.guild(guildId);
    const fields = { token, size: this.sliceSize };
    return config
      ? commitCountScript.run(this.store.scripts, keys, { ...fields, config })
      : stepCountScript.run(this.store.scripts, keys, fields);
  }
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

export type { CounterCheck, Counters };
