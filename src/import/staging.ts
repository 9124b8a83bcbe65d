import { randomUUID } from 'node:crypto';
import { InvalidInputError } from '../errors.ts';
import { type LeaderboardWriter, REPLACE_START, type XpRecord } from '../leaderboard/writer.ts';
import type { RedisKeys, StagingKeys } from '../redis/redis-keys.ts';
import type { RedisClient } from '../redis/scripts.ts';

const LOCK_MS = 10_000;
const RENEW_MS = 2500;
/** Members touched in one step of the swap. Readers wait meanwhile: a few milliseconds. */
const SWAP_BUDGET = 250;
const CLEAR_AT_ONCE = 1000;

interface StagingStore {
  readonly client: RedisClient;
  readonly redisKeys: RedisKeys;
  readonly writer: LeaderboardWriter;
}

/**
 * The replacement of a guild's members: stages the new ones under keys of their own, then swaps them in. Only one
 * replacement of a guild runs at a time, because two would remove each other's members. See ADR 7.
 */
export class Replacement {
  private readonly token = randomUUID();
  private readonly keys: StagingKeys;
  private renewal: NodeJS.Timeout | undefined;

  private constructor(
    private readonly store: StagingStore,
    private readonly guild: string,
  ) {
    this.keys = store.redisKeys.staging(guild);
  }

  /**
   * Locks the guild's staging keys, and clears what a killed run left there.
   * @throws InvalidInputError while another replacement runs, or when one was killed less than ten seconds ago.
   */
  static async begin(store: StagingStore, guild: string): Promise<Replacement> {
    const replacement = new Replacement(store, guild);
    await replacement.lock();
    await replacement.clear();
    return replacement;
  }

  stage(records: readonly XpRecord[]) {
    return this.store.writer.stage(this.guild, records);
  }

  /**
   * Swaps the staged members in, step by step. Readers see old and new members meanwhile, never an empty guild.
   * @param staged number of members that must be staged.
   * @param onStep called with the members in place so far; returns whether to go on.
   * @returns the number of members removed, and whether the swap is complete.
   */
  async swap(staged: number, onStep: (moved: number) => boolean): Promise<{ removed: number; done: boolean }> {
    let progress = REPLACE_START;
    while (!progress.done) {
      const [owner, present] = await Promise.all([
        this.store.client.get(this.keys.lock),
        this.store.client.zcard(this.keys.xp),
      ]);
      if (owner !== this.token || present !== staged) {
        throw new Error('The staged members are gone or were changed: did another --replace take over?');
      }
      progress = await this.store.writer.replaceStep(this.guild, progress, SWAP_BUDGET);
      if (!progress.done && !onStep(progress.moved)) break;
    }
    return { removed: progress.removed, done: progress.done };
  }

  /** Removes the staged members and the lock. */
  async end(): Promise<void> {
    clearInterval(this.renewal);
    if ((await this.store.client.get(this.keys.lock)) !== this.token) return;
    await this.clear();
    await this.store.client.del(this.keys.lock);
  }

  private async lock(): Promise<void> {
    const { client } = this.store;
    if ((await client.set(this.keys.lock, this.token, 'PX', LOCK_MS, 'NX')) === null) {
      throw new InvalidInputError(
        `Another --replace of ${this.guild} is running, or was killed a moment ago: try again in ${LOCK_MS / 1000} s`,
      );
    }
    const renew = async (): Promise<void> => {
      // A run that was held up for too long must not take the lock back from its successor.
      if ((await client.get(this.keys.lock)) === this.token)
        await client.set(this.keys.lock, this.token, 'PX', LOCK_MS, 'XX');
    };
    // When a renewal fails, the run's own commands fail too and report it.
    this.renewal = setInterval(() => void renew().catch(() => {}), RENEW_MS).unref();
  }

  private async clear(): Promise<void> {
    const { client } = this.store;
    const { xp, stats, memberPrefix } = this.keys;
    for (;;) {
      const ids = await client.zrange(xp, 0, CLEAR_AT_ONCE - 1);
      if (ids.length === 0) break;
      // Profiles first: only the ranking names them.
      await client.unlink(...ids.map((id) => memberPrefix + id));
      await client.zremrangebyrank(xp, 0, ids.length - 1);
    }
    await client.unlink(stats);
  }
}
