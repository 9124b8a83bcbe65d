import { randomUUID } from 'node:crypto';
import { InvalidInputError } from '../errors.ts';
import type { RedisClient } from '../redis/redis-client.ts';
import type { GuildKeys, RedisKeys, StagingKeys } from '../redis/redis-keys.ts';
import { membersOf, scanSortedSet } from '../redis/scan.ts';
import { type ScriptName, type Scripts, withStoreErrors } from '../redis/scripts.ts';
import { memberKeys, recordArguments, throwRefusal, type XpRecord } from './writer.ts';

/** How long the lock outlives the last step of its owner. */
const LOCK_MS = 10_000;
/** Members touched in one step. Redis serves nobody else meanwhile: a few milliseconds. */
const MEMBERS_PER_STEP = 125;
const LISTED_PER_STEP = 500;

interface Store {
  readonly client: RedisClient;
  readonly redisKeys: RedisKeys;
  readonly scripts: Scripts;
}

/**
 * The members that wait to replace those of a guild, under keys that no reader sees. One owner at a time holds their lock; every step
 * checks it in the same script, so an owner that was suspended changes nothing after another has taken over. See ADR 7.
 */
export class StagedMembers {
  /** Members that a killed run had left staged. */
  leftBehind = 0;
  /** Members to hide when they are put in place. */
  private readonly hidden = new Set<string>();
  private readonly token = randomUUID();
  private readonly guild: GuildKeys;
  private readonly staging: StagingKeys;

  private constructor(
    private readonly store: Store,
    guildId: string,
  ) {
    this.guild = store.redisKeys.guild(guildId);
    this.staging = store.redisKeys.staging(guildId);
  }

  /**
   * Takes the lock, and clears the members that a killed run left staged.
   * @throws InvalidInputError while another owner holds the lock, or when one was killed less than ten seconds ago.
   * @throws StoreUnavailableError
   */
  static async lock(store: Store, guildId: string): Promise<StagedMembers> {
    const staged = new StagedMembers(store, guildId);
    const taken = await withStoreErrors(store.client.set(staged.staging.lock, staged.token, 'PX', LOCK_MS, 'NX'));
    if (taken === null) {
      throw new InvalidInputError(
        `Another --replace or deletion of ${guildId} is running, or was killed a moment ago: try again in ${LOCK_MS / 1000} s`,
      );
    }
    staged.leftBehind = await staged.clear();
    return staged;
  }

  /** Keeps the lock of an owner that waits for its input. Does nothing when another owner has it. */
  async renew(): Promise<void> {
    const { client } = this.store;
    if ((await client.get(this.staging.lock)) === this.token) await client.pexpire(this.staging.lock, LOCK_MS);
  }

  /**
   * Stages members, all or none.
   * @returns the number of members that were not staged before.
   * @throws as LeaderboardWriter.recordMany, and RecordRefusedError "lock".
   */
  async stage(records: readonly XpRecord[]): Promise<{ readonly created: number }> {
    const { xp, stats, config, hidden, lock, memberPrefix } = this.staging;
    const userIds = records.map(({ userId }) => userId);
    const keys = [xp, stats, config, hidden, lock, ...memberKeys(memberPrefix, userIds)];
    for (const { userId, hidden } of records) hidden ? this.hidden.add(userId) : this.hidden.delete(userId);
    const visible = records.map((record) => ({ ...record, hidden: false }) as XpRecord);
    const reply = await this.store.scripts.run('stage', keys, this.token, ...recordArguments(visible));
    throwRefusal(reply);
    return { created: Number(reply[2]) };
  }

  /** Lists the present members, ranked and hidden, that are not staged. Members that come later stay in the guild. O(n log m). */
  async listUnstaged(): Promise<void> {
    for (const key of [this.guild.xp, this.guild.hidden]) await this.listUnstagedOf(key);
  }

  private async listUnstagedOf(key: string): Promise<void> {
    const { unstaged, lock, xp } = this.staging;
    for await (const scored of scanSortedSet(this.store.client, key, LISTED_PER_STEP)) {
      await this.run('list-unstaged', [xp, unstaged, lock], this.token, ...membersOf(scored));
    }
  }

  /**
   * Puts some staged members in place. Each member changes as a whole; the counters are exact after every step.
   * @returns how many; 0 = all are in place.
   * @throws RecordRefusedError when a counter would leave 64 bits or the lock was lost; then the step changed nothing.
   */
  async putInPlace(): Promise<number> {
    const { guild, staging } = this;
    const userIds = await this.first(staging.xp);
    if (userIds.length === 0) return 0;
    const keys = userIds.flatMap((userId) => [guild.memberPrefix + userId, staging.memberPrefix + userId]);
    const marked = userIds.map((userId) => (this.hidden.has(userId) ? `!${userId}` : userId));
    const shared = [guild.xp, guild.stats, guild.config, staging.xp, staging.lock, guild.hidden];
    await this.run('replace', [...shared, ...keys], this.token, ...marked);
    return userIds.length;
  }

  /** Removes some of the listed members from the guild. @returns how many were listed, and ranked still. @throws as {@link putInPlace}. */
  async sweep(): Promise<{ readonly listed: number; readonly removed: number }> {
    const { guild, staging } = this;
    const userIds = await this.first(staging.unstaged);
    if (userIds.length === 0) return { listed: 0, removed: 0 };
    const keys = userIds.map((userId) => guild.memberPrefix + userId);
    const shared = [guild.xp, guild.stats, guild.config, staging.unstaged, staging.lock, guild.hidden];
    const removed = await this.run('sweep', [...shared, ...keys], this.token, ...userIds);
    return { listed: userIds.length, removed: Number(removed) };
  }

  /** Removes what is staged, and gives the lock back when asked. @returns the number of members. @throws RecordRefusedError "lock". */
  async clear({ unlock = false } = {}): Promise<number> {
    const { xp, stats, unstaged, lock, memberPrefix } = this.staging;
    for (let cleared = 0; ; ) {
      const userIds = await this.first(xp);
      const keys = [xp, stats, unstaged, lock, ...userIds.map((userId) => memberPrefix + userId)];
      const left = await this.run('unstage', keys, this.token, unlock ? 'unlock' : '', ...userIds);
      cleared += userIds.length;
      if (left === 0) return cleared;
    }
  }

  /** Runs a script whose reply is one value or a refusal. @throws RecordRefusedError, StoreUnavailableError */
  private async run(name: ScriptName, keys: readonly string[], ...args: (string | number)[]): Promise<string | number> {
    const reply = await this.store.scripts.run(name, keys, ...args);
    throwRefusal(reply);
    return reply[1] as string | number;
  }

  private first(key: string): Promise<string[]> {
    return withStoreErrors(this.store.client.zrange(key, 0, MEMBERS_PER_STEP - 1));
  }
}
