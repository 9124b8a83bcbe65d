import { randomUUID } from 'node:crypto';
import { RefusedError } from '../errors.ts';
import { stageScript } from '../members/record-script.ts';
import { changesOf, type FileRecord, type XpRecord } from '../members/xp-record.ts';
import { DEFAULT_CURVE } from '../ranking/curves.ts';
import { reasonsIn } from '../ranking/model.ts';
import type { GuildKeys, StagingKeys } from '../store/redis-keys.ts';
import { membersOf, scanHash, scanSortedSet } from '../store/scan.ts';
import type { Script } from '../store/script.ts';
import type { Store } from '../store/store.ts';
import {
  carryHiddenScript,
  clearStagedScript,
  endReplacementScript,
  hideStagedScript,
  lockReplacementScript,
  noteChangesScript,
  replacementKeys,
  swapMembersScript,
} from './replace-scripts.ts';

/** How long the lock outlives the last step of its owner. */
const LOCK_MS = 10_000;
/** Members of one step. Redis serves nobody else during a step, which takes a few milliseconds. */
const MEMBERS_PER_STEP = 250;
/** Most changed hidden members that the swap carries itself. More than in other steps, so that a swap succeeds beside a busy bot. */
const MAX_NOTED = 1000;
/** Most tries of a swap. Between two tries, hidden members that changed are carried again. */
const MAX_SWAPS = 20;

/**
 * The members that wait to replace the members of a guild, under keys that no reader sees. One owner at a time holds the lock of the
 * guild. Every step checks the lock in its script, so an owner that was suspended changes nothing after another owner has taken over. See ADR 7.
 */
export class StagedMembers {
  /** Number of members that a killed run had left staged. */
  leftBehind = 0;
  /** Members that the file hides, with its reasons. They are hidden in the replacement before it is put in place. */
  private readonly toHide = new Map<string, string>();
  /** Members that Redis must have in the staged ranking, and hidden staged members. A failover can lose some of them. */
  private ranked = 0;
  private hidden = 0;
  private readonly token = randomUUID();
  private readonly guild: GuildKeys;
  private readonly staging: StagingKeys;

  private constructor(
    private readonly store: Store,
    private readonly guildId: string,
  ) {
    this.guild = store.redisKeys.guild(guildId);
    this.staging = store.redisKeys.staging(guildId);
  }

  /**
   * Takes the lock, and clears the members that a killed run left staged.
   * @param curveFields the curve that the guild will have, as fields of its config; the default curve unless given.
   * @throws RefusedError while another owner holds the lock, also if that owner was killed less than ten seconds ago.
   * @throws StoreUnavailableError
   */
  static async lock(
    store: Store,
    guildId: string,
    curveFields: readonly string[] = ['xp_curve', DEFAULT_CURVE],
  ): Promise<StagedMembers> {
    const staged = new StagedMembers(store, guildId);
    const { isBusy } = await staged.step(lockReplacementScript, {});
    if (isBusy) throw new RefusedError('guild_busy', { guild: guildId });
    staged.leftBehind = await staged.step(clearStagedScript, { config: curveFields });
    return staged;
  }

  /** Keeps the lock of an owner that waits for its input. @throws RefusedError "lock" when another owner has it. */
  async renew(): Promise<void> {
    const { client } = this.store;
    if ((await client.get(this.staging.lock)) !== this.token) throw new RefusedError('lock', { index: 0 });
    await client.pexpire(this.staging.lock, LOCK_MS);
  }

  /** The key and the token with which a script checks the lock in the same step. */
  get held(): { readonly lock: string; readonly token: string } {
    return { lock: this.staging.lock, token: this.token };
  }

  /**
   * Stages all given members, or none of them.
   * @returns the number of members that were not staged before.
   * @throws as GuildWriter.recordMany, and RefusedError "lock".
   */
  async stage(records: readonly FileRecord[]): Promise<{ readonly created: number }> {
    for (const { userId, hidden, hiddenReasons = ['moderator'] } of records)
      if (hidden) {
        const named = [this.toHide.get(userId) ?? '', ...hiddenReasons].join(' ');
        this.toHide.set(userId, reasonsIn(named).join(' '));
      }
    const visible = records.map((record) => ({ ...record, hidden: false }) as XpRecord);
    const { created } = await stageScript.run(this.store.scripts, this.staging, {
      token: this.token,
      changes: changesOf(visible),
    });
    this.ranked += created;
    return { created };
  }

  /**
   * Counts the present ranked members that are not staged, by their ranks. A member whose rank changes during the count can be missed or
   * counted twice. O(n log m), two round trips for 250 members.
   */
  async countUnstaged(): Promise<number> {
    const { client } = this.store;
    let unstaged = 0;
    for (let first = 0; ; first += MEMBERS_PER_STEP) {
      const members = await client.zrange(this.guild.xp, first, first + MEMBERS_PER_STEP - 1);
      if (members.length === 0) break;
      const staged = await client.zmscore(this.staging.xp, ...members);
      unstaged += staged.filter((score) => score === null).length;
    }
    return unstaged;
  }

  /**
   * Puts all staged members in the place of the present members, at one moment. Members that are hidden stay hidden, whether they are staged or not:
   * they are carried into the replacement before that moment, and again if they change. O(h log m) for h hidden members.
   * @param curve the curve that the guild must still have, as its config names it; "" = the config names no curve, undefined = any curve.
   * @throws RefusedError when a counter would leave 64 bits, the lock was lost, a failover lost staged members, the guild has
   *   another curve, or the bot changes hidden members all the time; then nothing was changed.
   */
  async putInPlace(curve?: string): Promise<void> {
    let { staged, server } = await this.step(noteChangesScript, {});
    if (staged !== this.ranked) throw new RefusedError('staged', { index: 0 });
    if (this.ranked === 0) return;
    for (const members of stepsOf([...this.toHide])) await this.hideOrReturn(hideStagedScript, { members });
    await this.carryHidden();
    for (let swap = 1; swap <= MAX_SWAPS; swap++) {
      const maxCarried = Math.min(swap * MEMBERS_PER_STEP, MAX_NOTED);
      const { ranked, hidden } = this;
      const swapped = await this.step(swapMembersScript, { ranked, hidden, server, maxCarried, curve });
      if (swapped.status === 'done') {
        this.ranked = 0;
        this.hidden = 0;
        return;
      }
      if (swapped.status === 'other curve') throw new RefusedError('curve_changed', { guild: this.guildId });
      if (swapped.status === 'carry these') await this.carry(swapped.userIds);
      if (swapped.status === 'carry all') {
        server = swapped.server;
        await this.carryAll();
      }
    }
    throw new RefusedError('hiding_disturbed', { guild: this.guildId });
  }

  /** Removes everything that is staged, and gives the lock back. @throws RefusedError "lock". */
  async end(): Promise<void> {
    await this.step(endReplacementScript, {});
  }

  private async carryHidden(): Promise<void> {
    for await (const scored of scanSortedSet(this.store.client, this.guild.hidden, MEMBERS_PER_STEP)) {
      await this.carry(membersOf(scored));
    }
  }

  /** Carries all hidden members, and all members that were carried before, because the guild may no longer hide them. */
  private async carryAll(): Promise<void> {
    for await (const carried of scanHash(this.store.client, this.staging.carried, MEMBERS_PER_STEP)) {
      await this.carry(membersOf(carried));
    }
    await this.carryHidden();
  }

  private async carry(userIds: readonly string[]): Promise<void> {
    for (const step of stepsOf(userIds)) await this.hideOrReturn(carryHiddenScript, { userIds: step });
  }

  /** Runs a script that hides staged members, or returns them to the staged ranking, and keeps count of these members. */
  private async hideOrReturn<Fields extends object>(
    script: StepScript<Fields, { readonly left: number; readonly copied: number }>,
    fields: Fields,
  ): Promise<void> {
    const { left, copied } = await this.step(script, fields);
    this.ranked -= left;
    this.hidden += left + copied;
  }

  /** Runs a script with the token of the lock. @throws RefusedError, StoreUnavailableError */
  private step<Fields extends object, Result>(script: StepScript<Fields, Result>, fields: Fields): Promise<Result> {
    const keys = replacementKeys(this.guild, this.staging);
    return script.run(this.store.scripts, keys, { ...fields, token: this.token });
  }
}

/** A script that takes the token of the lock beside its own fields. */
type StepScript<Fields extends object, Result> = Script<
  keyof ReturnType<typeof replacementKeys>,
  Fields & { readonly token: string },
  Result
>;

/** Cuts a list into pieces of one step each. */
function* stepsOf<T>(list: readonly T[]): Iterable<readonly T[]> {
  for (let from = 0; from < list.length; from += MEMBERS_PER_STEP) yield list.slice(from, from + MEMBERS_PER_STEP);
}
