import { randomUUID } from 'node:crypto';
import { DataConflictError, InvalidInputError } from '../../errors.ts';
import type { RedisClient } from '../../store/client.ts';
import { GUILD_KEYS, type GuildKeys, type LockedKeys, type RedisKeys } from '../../store/keys.ts';
import { membersOf, scanSortedSet } from '../../store/scan.ts';
import { defineScript } from '../../store/script.ts';
import type { Scripts } from '../../store/scripts.ts';
import { recordArguments, stage, throwRefusal, type XpRecord } from '../members/writer.ts';
import { DEFAULT_CURVE } from '../ranking/curves.ts';

export const unstage = defineScript('unstage', [...GUILD_KEYS, 'lock']);
export const replace = defineScript('replace', [
  ...GUILD_KEYS,
  ...(['nextXp', 'nextStats', 'nextConfig', 'nextHidden', 'nextMembers', 'lock'] as const),
]);

/** How long the lock outlives the last step of its owner. */
const LOCK_MS = 10_000;
/** Members looked at in one step. Redis serves nobody else meanwhile: a few milliseconds. */
const MEMBERS_PER_STEP = 500;

/** Hidden members of a replacement. The swap looks at each in one script. */
const MAX_HIDDEN = 20_000;

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
  private readonly staging: LockedKeys;

  private constructor(
    private readonly store: Store,
    guildId: string,
  ) {
    this.guild = store.redisKeys.guild(guildId);
    this.staging = store.redisKeys.staging(guildId);
  }

  /**
   * Takes the lock, and clears the members that a killed run left staged.
   * @param curveFields the curve that the guild will have, as fields of its config; the default curve unless given.
   * @throws DataConflictError while another owner holds the lock, or when one was killed less than ten seconds ago.
   * @throws StoreUnavailableError
   */
  static async lock(
    store: Store,
    guildId: string,
    curveFields: readonly string[] = ['xp_curve', DEFAULT_CURVE],
  ): Promise<StagedMembers> {
    const staged = new StagedMembers(store, guildId);
    const taken = await store.client.set(staged.staging.lock, staged.token, 'PX', LOCK_MS, 'NX');
    if (taken === null) {
      throw new DataConflictError(
        `Another replacement or deletion of ${guildId} is running, or was killed a moment ago: try again in ${LOCK_MS / 1000} s`,
      );
    }
    staged.leftBehind = Number(await staged.unstage('', ...curveFields));
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
   * @throws as LeaderboardWriter.recordMany, RecordRefusedError "lock", and InvalidInputError for too many hidden members.
   */
  async stage(records: readonly XpRecord[]): Promise<{ readonly created: number }> {
    for (const { userId, hidden } of records) if (hidden) this.hidden.add(userId);
    if (this.hidden.size > MAX_HIDDEN)
      throw new InvalidInputError(`More than ${MAX_HIDDEN} hidden members cannot be put in place at one moment`);
    const visible = records.map((record) => ({ ...record, hidden: false }) as XpRecord);
    const reply = await stage(this.store.scripts, this.staging, [this.token, ...recordArguments(visible)]);
    throwRefusal(reply);
    return { created: Number(reply[2]) };
  }

  /** Counts the present ranked members that are not staged. O(n log m). */
  async countUnstaged(): Promise<number> {
    const { client } = this.store;
    let unstaged = 0;
    for await (const scored of scanSortedSet(client, this.guild.xp, MEMBERS_PER_STEP)) {
      if (scored.length === 0) continue;
      const staged = await client.zmscore(this.staging.xp, ...membersOf(scored));
      unstaged += staged.filter((score) => score === null).length;
    }
    return unstaged;
  }

  /**
   * Puts all staged members in the place of the present ones, at one moment. O(h log m) for h hidden members. These stay hidden, whether they
   * are staged or not.
   * @throws RecordRefusedError when a counter would leave 64 bits or the lock was lost; then nothing was changed.
   */
  async putInPlace(): Promise<void> {
    const { xp, stats, config, hidden, members, lock } = this.staging;
    const next = { nextXp: xp, nextStats: stats, nextConfig: config, nextHidden: hidden, nextMembers: members };
    throwRefusal(await replace(this.store.scripts, { ...this.guild, ...next, lock }, [this.token, ...this.hidden]));
  }

  /** Removes what is staged, and gives the lock back. @throws RecordRefusedError "lock". */
  async end(): Promise<void> {
    await this.unstage('unlock');
  }

  /** @returns the number of members that were staged. @throws RecordRefusedError, StoreUnavailableError */
  private async unstage(...args: string[]): Promise<string | number | undefined> {
    const reply = await unstage(this.store.scripts, this.staging, [this.token, ...args]);
    throwRefusal(reply);
    return reply[1];
  }
}
