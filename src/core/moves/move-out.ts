import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { RefusedError } from '../errors.ts';
import { reasonsIn } from '../ranking/model.ts';
import { isPictureHash } from '../ranking/picture-hash.ts';
import { BOARDS, boardKeys, type LockedKeys } from '../store/redis-keys.ts';
import { membersOf, scanSortedSet } from '../store/scan.ts';
import { type ClientStore, transact } from '../store/store.ts';
import { BOUNDS, isAbove } from '../text-bounds.ts';
import {
  FORMAT,
  isFitProfile,
  type LastLine,
  MEMBERS_PER_LINE,
  type MovedMember,
  type MoveLine,
} from './move-lines.ts';
import { readLastLine } from './read-last-line.ts';

/** Where the stream goes, and what the move waits for. */
interface MoveOutOptions {
  /** Writes one line of the stream. */
  readonly write: (line: MoveLine) => Promise<void>;
  /** Asks for the pause of the bot, and settles when it has begun. @param seconds how long a round takes. */
  readonly pause: (members: number, seconds: number) => Promise<void>;
  readonly signal: AbortSignal;
}

/** The longest time that a lock has left, as in lib-lock.lua. */
const LOCK_MS = 10_000;
/** Time between two rounds while the bot writes. */
const ROUND_EVERY_MS = 3000;
/** Rounds after the pause has begun, half a second apart, for the last writes of the bot. */
const LAST_ROUNDS = 6;

/**
 * Moves a guild out of its Redis: writes the guild as a stream while its bot goes on writing. Each round reads the guild, and writes the members
 * that changed since the round before. The last round is one state of the guild: the revision is the same at the beginning and at the end of the
 * round.
 */
export class GuildMoveOut {
  private readonly keys: LockedKeys;
  /**
   * A digest of each member as it was written last. Each round removes the members that it finds, so that the members which remain are gone from the
   * guild.
   */
  private written = new Map<string, number>();

  constructor(
    private readonly store: ClientStore,
    private readonly guildId: string,
    private readonly options: MoveOutOptions,
  ) {
    this.keys = store.redisKeys.locked(guildId);
  }

  /**
   * Writes the stream. O(n log n) for each round, in steps of 125 members. Reads only.
   * @returns the number of members.
   * @throws RefusedError when the guild has no data, another command works on it or left it unfinished, or it changes after the pause has begun;
   *   and for values written by hand that the other end of the move refuses: a member in two places, a user id that is no text, an API key, a text
   *   above its bound.
   * @throws StoreUnavailableError
   */
  async run(): Promise<number> {
    const { write, pause, signal } = this.options;
    const stats = await this.checkIdle();
    // Before the first line is written, refuses what the other end of the move would refuse.
    await readLastLine(this.store, this.guildId, stats);
    await write({ format: FORMAT, guild: this.guildId, model: stats.model ?? '' });
    await this.round();
    const startedAt = performance.now();
    await this.round();
    let isPaused = false;
    const paused = pause(this.written.size, (performance.now() - startedAt) / 1000).then(() => {
      isPaused = true;
    });
    while (!isPaused) {
      await Promise.race([paused, delay(ROUND_EVERY_MS, undefined, { signal })]);
      if (!isPaused) await this.round();
    }
    for (let left = LAST_ROUNDS; ; left--) {
      const end = await this.readEnd(await this.round());
      if (end) {
        if (end.ranked + end.hidden !== this.written.size) await this.refuseMemberTwice();
        await write({ end });
        return this.written.size;
      }
      if (left === 1) throw new RefusedError('move_out_disturbed', { guild: this.guildId });
      await delay(500, undefined, { signal });
    }
  }

  /** Reads all members, and writes the members that changed since the round before. @returns the revision at the beginning of the round. */
  private async round(): Promise<string | null> {
    const before = await this.revision();
    const found = new Map<string, number>();
    for (const place of ['xp', 'hidden'] as const) {
      for await (const scored of scanSortedSet(this.store.client, this.keys[place], MEMBERS_PER_LINE)) {
        this.options.signal.throwIfAborted();
        await this.writeMembers(place, scored, found);
      }
    }
    const gone = [...this.written.keys()];
    this.written = found;
    for (let from = 0; from < gone.length; from += MEMBERS_PER_LINE) {
      const slice = gone.slice(from, from + MEMBERS_PER_LINE);
      await this.options.write({ members: slice.map((userId) => [userId, 'gone'] as const) });
    }
    return before;
  }

  /** @throws RefusedError for a member who is both in the ranking and hidden, which only a raw write can cause. */
  private async refuseMemberTwice(): Promise<void> {
    const { guildId, keys } = this;
    const { client } = this.store;
    for await (const scored of scanSortedSet(client, keys.hidden, MEMBERS_PER_LINE)) {
      const userIds = membersOf(scored);
      const scores = await client.zmscore(keys.xp, ...userIds);
      const userId = userIds.find((_, index) => scores[index] !== null);
      if (userId !== undefined) throw new RefusedError('member_twice', { guild: guildId, user: userId });
    }
  }

  /** Adds the members of a slice to `found`, and writes the changed members. @param scored user ids and XP in turn. */
  private async writeMembers(place: 'xp' | 'hidden', scored: readonly string[], found: Map<string, number>) {
    const userIds = membersOf(scored);
    const { keys } = this;
    const unfit = userIds.find((userId) => userId.includes('\ufffd') || isAbove(userId, BOUNDS.userId.bytes));
    if (unfit !== undefined)
      throw new RefusedError('user_id_unfit', { guild: this.guildId, user: unfit, list: keys[place] });
    const pipeline = this.store.client
      .pipeline()
      .hmgetBuffer(keys.members, ...userIds)
      .hmget(keys.hiddenReasons, ...userIds)
      .hmget(keys.avatars, ...userIds);
    for (const board of BOARDS) pipeline.zmscore(boardKeys(keys.xp, board)[place], ...userIds);
    for (const userId of userIds) pipeline.pttl(keys.cooldownPrefix + userId);
    const [profiles, reasons, avatars, ...rest] = await transact(pipeline);
    const gains = rest.slice(0, BOARDS.length) as (string | null)[][];
    const ttls = rest.slice(BOARDS.length);
    const changed: MovedMember[] = [];
    for (const [index, userId] of userIds.entries()) {
      const xp = scored[2 * index + 1] as string;
      const ttl = Number(ttls[index]);
      const until = ttl > 0 ? Date.now() + ttl : 0;
      const profile = (profiles as (Buffer | null)[])[index]?.toString('latin1') ?? '';
      if (!isFitProfile(profile)) throw new RefusedError('name_unfit', { guild: this.guildId, user: userId });
      const text = (reasons as (string | null)[])[index] ?? '';
      const kind = place === 'hidden' ? `hidden ${reasonsIn(text).join(' ')}` : 'ranked';
      const onBoards = gains.map((board) => board[index] ?? '0');
      const gained = onBoards.some((gain) => gain !== '0') ? onBoards.join(',') : '';
      const stored = (avatars as (string | null)[])[index];
      const avatar = isPictureHash(stored) ? stored : '';
      const member: MovedMember = [userId, kind, xp, until, profile, gained, avatar];
      // Two readings of the same time to live are some milliseconds apart.
      const digest = digestOf([kind, xp, Math.round(until / 1000), profile, gained, avatar]);
      if ((found.get(userId) ?? this.written.get(userId)) !== digest) changed.push(member);
      found.set(userId, digest);
      this.written.delete(userId);
    }
    if (changed.length > 0) await this.options.write({ members: changed });
  }

  /** Returns what is stored beside the members, or undefined if the guild has changed since `membersRevision`. */
  private async readEnd(membersRevision: string | null): Promise<LastLine | undefined> {
    const end = await readLastLine(this.store, this.guildId, await this.checkIdle());
    return end.rev === (membersRevision ?? '') && (await this.revision()) === membersRevision ? end : undefined;
  }

  /** Returns the counters. @throws RefusedError when the guild has no data, or another command works on it or left it unfinished. */
  private async checkIdle(): Promise<Record<string, string>> {
    const { keys } = this;
    const { client } = this.store;
    const [stats, phase, isMarked, lock, ranked, lockMs] = await Promise.all([
      client.hgetall(keys.stats),
      client.hget(keys.season, 'phase'),
      client.exists(keys.seasonXp),
      client.get(keys.lock),
      client.zcard(keys.xp),
      client.pttl(keys.lock),
    ]);
    if (Object.keys(stats).length + ranked === 0) throw new RefusedError('guild_empty', { guild: this.guildId });
    // In the phase "copy" without marked members, the end of a season has done nothing yet.
    const isSeasonEnding = phase === 'reset' || isMarked === 1;
    // A lock with more time left than LOCK_MS was taken while the clock of Redis was ahead. It counts as expired, as in lib-lock.lua.
    const isLocked = lock !== null && lockMs <= LOCK_MS;
    if (isLocked || stats.moving || isSeasonEnding) throw new RefusedError('guild_unfinished', { guild: this.guildId });
    return stats;
  }

  private async revision(): Promise<string | null> {
    return this.store.client.hget(this.keys.stats, 'rev');
  }
}

/** Returns 48 bits that differ for different values. */
function digestOf(value: unknown): number {
  return createHash('sha1').update(JSON.stringify(value)).digest().readUIntBE(0, 6);
}
