import { type EntryCode, RefusedError } from '../errors.ts';
import { GUILD_KEYS } from '../store/keys.ts';
import { defineScript } from '../store/script.ts';
import type { ScriptStore } from '../store/scripts.ts';
import { checkFields, checkIds } from './check-fields.ts';
import { EVENT_TTL_MS, type EventCall, eventCall, isRepeated, NO_EVENT, type OnceOptions } from './event.ts';
import { checkRecords, FILE_FIELDS, recordArguments, type XpRecord } from './records.ts';
import { ENTRIES_A_CALL, inSlices, sumOf } from './slices.ts';

export const record = defineScript('record', GUILD_KEYS);
/** Its keys end with the cooldowns of the members. */
export const remove = defineScript('remove', [...GUILD_KEYS, 'seasonXp', 'hiddenReasons']);
/** Records members of a guild under a lock. */
export const stage = defineScript('stage', [...GUILD_KEYS, 'lock']);

/**
 * Total XP and level of a member before and after a write. Without an explicit level, a greater level after it is a level-up, and a smaller
 * one a level-down.
 */
export interface XpChange {
  readonly xpBefore: number;
  readonly levelBefore: number;
  readonly xp: number;
  readonly level: number;
}

/** One member of a write. */
export interface MemberChange extends XpChange {
  readonly userId: string;
  /** Whether the user was no member before. */
  readonly created: boolean;
  /** Whether the member is hidden. */
  readonly hidden: boolean;
}

/** The result of a write. The change is that of the last member recorded. */
export interface RecordResult extends XpChange {
  /** The guild's new revision. */
  readonly revision: string;
  /** Members that were not in the ranking before. */
  readonly created: number;
  /** One for each record, in the same order. */
  readonly members: readonly MemberChange[];
  /** Whether the event had this reply before, in all its parts. Then nothing was changed. */
  readonly repeated: boolean;
}

/**
 * Writes XP. Sorted set, profiles, counters and revision change together or not at all. Every method is one script call and one round
 * trip; with more than 500 members one for each 500, in order, so that Redis serves others between.
 */
export class LeaderboardWriter {
  /** @param now milliseconds since 1970. */
  constructor(
    protected readonly store: ScriptStore,
    protected readonly now: () => number,
    protected readonly eventTtlMs = EVENT_TTL_MS,
  ) {}

  /**
   * Records one member's XP. O(log m).
   * @throws InvalidInputError when an id is bad; nothing was sent.
   * @throws RefusedError when XP is not an integer in range or a field is bad; nothing was changed.
   * @throws StoreUnavailableError when Redis did not confirm; the write may have happened.
   */
  record(guildId: string, record: XpRecord, options: OnceOptions = {}): Promise<RecordResult> {
    return this.recordMany(guildId, [record], options);
  }

  /**
   * Records many members, all or none of each 500. A member named twice is recorded twice, in order. O(n log m).
   * @throws as {@link record}. When a script refuses an entry, those before its 500 were recorded.
   */
  async recordMany(guildId: string, records: readonly XpRecord[], options: OnceOptions = {}): Promise<RecordResult> {
    checkFields(options, 'the options of record', ['eventId']);
    const { eventId } = options;
    checkIds(guildId, checkRecords(records, this.now()));
    // Before the first call, so that a value without a form that Redis takes stops all of them.
    if (records.length > ENTRIES_A_CALL) recordArguments(records);
    const results = await inSlices(records, async (slice, part) => {
      const event = this.eventOf(guildId, eventId, part);
      const reply = await this.sendRecords(guildId, ['each', ...recordArguments(slice)], event);
      return recordResult(
        slice.map(({ userId }) => userId),
        reply,
      );
    });
    const last = results.at(-1) ?? results[0];
    const members = results.flatMap((result) => result.members);
    const repeated = results.every((result) => result.repeated);
    return { ...last, created: sumOf(results.map(({ created }) => created)), members, repeated };
  }

  /**
   * Records many members as {@link recordMany}, in less time, because it does not answer what each had.
   * @returns the number of members that were not in the ranking before.
   * @throws as {@link record}.
   */
  async load(guildId: string, records: readonly XpRecord[]): Promise<{ readonly created: number }> {
    checkIds(guildId, checkRecords(records, this.now(), FILE_FIELDS));
    const created = await inSlices(records, async (slice) => {
      const reply = await this.sendRecords(guildId, recordArguments(slice));
      throwRefusal(reply);
      return Number(reply[2]);
    });
    return { created: sumOf(created) };
  }

  /** Runs record.lua. */
  protected sendRecords(guildId: string, args: readonly (string | number)[], event: EventCall = NO_EVENT) {
    return record(this.store.scripts, this.store.redisKeys.guild(guildId), [...event.args, ...args], event.keys);
  }

  protected eventOf(guildId: string, eventId: string | undefined, part = 0): EventCall {
    return eventCall(this.store.redisKeys.guild(guildId), eventId, this.eventTtlMs, part);
  }

  /**
   * Erases members, ranked or hidden, with all that is stored of them in the guild. O(n log m).
   * @returns the number of them that were members.
   * @throws InvalidInputError when an id is bad; nothing was sent.
   * @throws StoreUnavailableError
   */
  async remove(guildId: string, userIds: readonly string[]): Promise<number> {
    checkIds(guildId, userIds);
    const guild = this.store.redisKeys.guild(guildId);
    const removed = await inSlices(userIds, async (slice) => {
      const cooldowns = slice.map((userId) => guild.cooldownPrefix + userId);
      return Number(await remove<unknown>(this.store.scripts, guild, slice, cooldowns));
    });
    return sumOf(removed);
  }
}

/** Decodes the reply of record.lua. @throws RefusedError */
export function recordResult(userIds: readonly string[], reply: (string | number)[]): RecordResult {
  throwRefusal(reply);
  const [, revision, created] = reply;
  const members = userIds.map((userId, index) => memberChange(userId, String(reply[index + 5])));
  const { xpBefore, levelBefore, xp, level } = members.at(-1) ?? { xpBefore: 0, levelBefore: 0, xp: 0, level: 0 };
  return {
    revision: String(revision),
    created: Number(created),
    xpBefore,
    levelBefore,
    xp,
    level,
    members,
    repeated: isRepeated(reply),
  };
}

/** Decodes the text of one member in a reply of record.lua. */
function memberChange(userId: string, text: string): MemberChange {
  const [xpBefore, levelBefore, xp, level, state] = text.split(' ');
  return {
    userId,
    xpBefore: Number(xpBefore),
    levelBefore: Number(levelBefore),
    xp: Number(xp),
    level: Number(level),
    created: state === 'new',
    hidden: state === 'hidden',
  };
}

/** @throws RefusedError when a script's reply is a refusal. */
export function throwRefusal(reply: (string | number)[]): void {
  if (reply[0] === 'REFUSED') throw new RefusedError(reply[2] as EntryCode, { index: Number(reply[1]) });
}
