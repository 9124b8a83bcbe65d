import { createDashboardLink, type DashboardLinkOptions } from './access/dashboard-link.ts';
import { checkGuildAndUsers } from './check-fields.ts';
import { describeGuild, type GuildDescription } from './guilds/describe.ts';
import { type Award, type AwardRequest, awardFields, awardKeys, awardScript } from './members/award.ts';
import { type Claim, type ClaimRequest, claimFields, claimScript } from './members/claim.ts';
import { EVENT_TTL_MS, eventCall, type OnceOptions } from './members/event.ts';
import { changeReason, type HideOptions, type HideResult } from './members/hiding.ts';
import {
  type LevelChange,
  type ProfileUpdate,
  type RecordResult,
  recordMembers,
  setMemberLevel,
  setMemberProfiles,
  type WriterContext,
} from './members/record-members.ts';
import { removeMembers } from './members/remove.ts';
import { type PresentMembers, type SyncOptions, type SyncResult, syncMembers } from './members/sync.ts';
import type { XpRecord } from './members/xp-record.ts';
import { type SeasonOptions, SeasonReset, type SeasonResult } from './seasons/season.ts';
import type { ScriptStore } from './store/scripts.ts';

/**
 * Writes what a levelling bot needs. Each call is one script and one round trip, goes by Redis's clock, and changes everything or nothing. A call
 * with more than 500 members runs one script for each 500 members, in order, so that Redis serves other clients in between. All methods throw
 * InvalidInputError when an argument is bad, RefusedError when the data do not allow the call, and StoreUnavailableError when Redis did not confirm
 * the call; then the write may have happened.
 */
export class GuildWriter {
  private readonly context: WriterContext;

  /**
   * @param now milliseconds since 1970.
   * @param eventTtlMs milliseconds that an event keeps its reply.
   */
  constructor(
    private readonly store: ScriptStore,
    now: () => number,
    eventTtlMs = EVENT_TTL_MS,
  ) {
    this.context = { now, eventTtlMs };
  }

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
   * Records many members, all or none of each group of 500. A member named twice is recorded twice, in order. O(n log m).
   * @throws as {@link record}. When a script refuses an entry, all earlier groups of 500 were recorded.
   */
  recordMany(guildId: string, records: readonly XpRecord[], options: OnceOptions = {}): Promise<RecordResult> {
    return recordMembers(this.store, this.context, guildId, records, options);
  }

  /**
   * Erases members, ranked or hidden, with all that is stored of them in the guild. O(n log m).
   * @returns how many of the users were members.
   * @throws InvalidInputError when an id is bad; nothing was sent.
   * @throws StoreUnavailableError
   */
  remove(guildId: string, userIds: readonly string[]): Promise<number> {
    return removeMembers(this.store, guildId, userIds);
  }

  /** Adds XP for a message, times the guild's multiplier, unless the member's cooldown runs. O(log m). */
  async award(guildId: string, request: AwardRequest): Promise<Award> {
    const award = awardFields(request);
    const { userId, eventId } = request;
    checkGuildAndUsers(guildId, [userId]);
    const guild = this.store.redisKeys.guild(guildId);
    const event = eventCall(guild, eventId, this.context.eventTtlMs, 0);
    const keys = { ...guild, cooldown: guild.cooldownPrefix + userId };
    return awardScript.run(this.store.scripts, keys, { event, userId, award }, awardKeys(guild, request, event));
  }

  /** Gives the reward of the day, once for each calendar day of the member, and counts the streak. O(log m). */
  async claimDaily(guildId: string, request: ClaimRequest): Promise<Claim> {
    const claim = claimFields(request);
    const { userId, eventId } = request;
    checkGuildAndUsers(guildId, [userId]);
    const guild = this.store.redisKeys.guild(guildId);
    const event = eventCall(guild, eventId, this.context.eventTtlMs, 0);
    return claimScript.run(this.store.scripts, guild, { event, userId, claim }, event.keys);
  }

  /**
   * Sets the XP of a member to the least XP of a level, by the guild's curve, and drops an explicit level. Makes a user who is not a member yet a
   * member. O(log m).
   * @throws RefusedError "level" for a level that no XP gives: a level above the highest level, or a level that the curve rounds away.
   */
  async setLevel(guildId: string, change: LevelChange): Promise<RecordResult> {
    return setMemberLevel(this.store, this.context, guildId, change);
  }

  /**
   * Changes profiles of members, ranked or hidden. Passes over users who are not members, and creates nobody. O(n log m).
   * @returns the user ids of the members that were found.
   */
  async setProfiles(guildId: string, updates: readonly ProfileUpdate[]): Promise<string[]> {
    return setMemberProfiles(this.store, this.context, guildId, updates);
  }

  /**
   * Gives members a reason to be hidden: they have left, they have asked for it, or a moderator wants it. A hidden member is in no ranking, total or
   * counter, keeps its XP and profile, and can still gain XP. The call passes over users who are not members. O(n log m).
   * @throws InvalidInputError for an unknown reason; nothing was sent.
   */
  hide(guildId: string, userIds: readonly string[], options?: HideOptions): Promise<HideResult> {
    return changeReason(this.store, 'hide', guildId, userIds, options);
  }

  /**
   * Lifts a reason from hidden members. A member that has no other reason comes back into the ranking, with all its XP. O(n log m).
   * @throws InvalidInputError for an unknown reason; nothing was sent.
   */
  unhide(guildId: string, userIds: readonly string[], options?: HideOptions): Promise<HideResult> {
    return changeReason(this.store, 'unhide', guildId, userIds, options);
  }

  /**
   * Hides the ranked members who are not on the server, with the reason "left", and lifts this reason from the hidden members who are on the
   * server. Call it when a bot starts, because the bot has missed which members have left or come in the meantime. O(n log n) in steps of a few
   * milliseconds, and memory for the ids of both lists. The same call goes on after an interruption.
   * @param presentIds all members of the server, such as `guild.members.cache` of discord.js after a fetch.
   * @throws InvalidInputError for an empty list or an unfit share, and RefusedError when more than `maxShare` of the ranked members
   *   would be hidden; nothing was changed.
   */
  syncMembers(
    guildId: string,
    presentIds: PresentMembers | readonly string[],
    options?: SyncOptions,
  ): Promise<SyncResult> {
    return syncMembers(this.store, guildId, presentIds, options);
  }

  /**
   * Ends a season: copies all members, with XP and profile, into the guild `archiveAs`. When the archive has all members, takes the archived XP and
   * the explicit levels from the members. XP that a member gains meanwhile counts for the new season. The same call goes on after an interruption,
   * and does nothing after its end. Hidden members stay hidden in the guild and in the archive. O(n log n), in steps of a few milliseconds of Redis.
   * @throws RefusedError when another call, an import or a deletion of either guild runs, or the archive has other data.
   */
  resetSeason(guildId: string, options: SeasonOptions): Promise<SeasonResult> {
    return new SeasonReset(this.store, guildId, options).run();
  }

  /**
   * Stores what the guild, its roles and its channels are called, in place of what was stored before. Call it at the start of a bot, and when one of
   * these names changes. A guild that is described is in the lists of guilds, also while it has no members. O(n) for n bytes.
   * @returns whether the description has changed. Then the revision rises, and pages show the change at once.
   * @throws InvalidInputError for a field that is unfit, or above its bound: 250 roles, 500 channels, 100 characters a name, and 262,144 bytes
   *   of UTF-8 in all; nothing was sent.
   */
  async describeGuild(guildId: string, description: GuildDescription): Promise<boolean> {
    return describeGuild(this.store, guildId, description);
  }

  /**
   * Makes a link that signs its reader in to the dashboard of the guild, once. O(1).
   * @throws InvalidInputError when the address or the time is bad.
   */
  async createDashboardLink(guildId: string, options: DashboardLinkOptions): Promise<string> {
    return createDashboardLink(this.store, guildId, options);
  }
}
