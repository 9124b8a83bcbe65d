import { randomUUID } from 'node:crypto';
import type { Store } from '../cli/store.ts';
import { InvalidInputError } from '../errors.ts';
import { REPLACE_START, type XpRecord } from '../leaderboard/writer.ts';
import type { StagingKeys } from '../redis/redis-keys.ts';

const LOCK_MS = 10_000;
const RENEW_MS = 2500;
/** Members touched in one step of the swap: a few milliseconds, in which readers wait. */
const SWAP_BUDGET = 250;
const CLEAR_AT_ONCE = 1000;

/**
 * A guild's next members, built aside and then put in the place of the present ones. Only one replacement of a guild
 * runs at a time: two would sweep each other's members away.
 */
export class Replacement {
  private readonly token = randomUUID();
  private readonly keys: StagingKeys;
  private renewal: NodeJS.Timeout | undefined;

  private constructor(
    private readonly store: Store,
    private readonly guild: string,
  ) {
    this.keys = store.redisKeys.staging(guild);
  }

  /**
   * Takes the guild's staging area, and empties it of what a killed run left.
   * @throws InvalidInputError while another replacement runs, or was killed less than ten seconds ago.
   */
  static async begin(store: Store, guild: string): Promise<Replacement> {
    const replacement = new Replacement(store, guild);
    await replacement.acquire();
    await replacement.clear();
    return replacement;
  }

  stage(records: readonly XpRecord[]) {
    return this.store.writer.stage(this.guild, records);
  }

  /**
   * Puts the staged members in place, step by step; readers see old and new ones meanwhile, never none.
   * @param staged how many there must be.
   * @param onStep is told the members in place so far, and answers whether to go on.
   * @returns how many members were taken out, and whether the swap came to its end.
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

  /** Removes what is staged, and lets the next replacement begin. */
  async end(): Promise<void> {
    clearInterval(this.renewal);
    if ((await this.store.client.get(this.keys.lock)) !== this.token) return;
    await this.clear();
    await this.store.client.del(this.keys.lock);
  }

  private async acquire(): Promise<void> {
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
    // A failure to renew is met by the run's own commands as well, and reported there.
    this.renewal = setInterval(() => void renew().catch(() => {}), RENEW_MS).unref();
  }

  private async clear(): Promise<void> {
    const { client } = this.store;
    const { xp, stats, memberPrefix } = this.keys;
    for (;;) {
      const ids = await client.zrange(xp, 0, CLEAR_AT_ONCE - 1);
      if (ids.length === 0) break;
      // Profiles first: they are found through the ranking only.
      await client.unlink(...ids.map((id) => memberPrefix + id));
      await client.zremrangebyrank(xp, 0, ids.length - 1);
    }
    await client.unlink(stats);
  }
}
