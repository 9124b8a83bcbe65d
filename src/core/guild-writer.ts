import { createDashboardLink, type DashboardLinkOptions } from './access/dashboard-link.ts';
import { type Award, type AwardRequest, award, awardArguments, decodeAward } from './members/award.ts';
import { checkFields, checkIds, checkList, wholeText } from './members/check-fields.ts';
import { type Claim, type ClaimRequest, claim, claimArguments, decodeClaim } from './members/claim.ts';
import type { OnceOptions } from './members/event.ts';
import { changeReason, type HideOptions, type PlaceChange } from './members/hiding.ts';
import { checkProfile, type ProfileChange, placeIn, profileChange } from './members/records.ts';
import { inSlices } from './members/slices.ts';
import { type PresentMembers, type SyncOptions, type SyncResult, syncMembers } from './members/sync.ts';
import { LeaderboardWriter, type RecordResult, recordResult, throwRefusal } from './members/writer.ts';
import { MAX_XP } from './ranking/curves.ts';
import { type SeasonOptions, SeasonReset, type SeasonResult } from './seasons/season.ts';

/** New profile fields of one member. */
export interface ProfileUpdate {
  readonly userId: string;
  readonly profile: ProfileChange;
}

/** A new level of one member. */
export interface LevelChange extends OnceOptions {
  readonly userId: string;
  /** A whole number from 0. */
  readonly level: number;
}

const LEVEL_FIELDS: readonly (keyof LevelChange)[] = ['userId', 'level', 'eventId'];
const UPDATE_FIELDS: readonly (keyof ProfileUpdate)[] = ['userId', 'profile'];

/**
 * Writes what a levelling bot needs. Each call is one script and one round trip, by Redis's clock: it changes everything or nothing.
 * With more than 500 members it is one script for each 500, in order.
 * All of them throw InvalidInputError when an argument is bad, RefusedError when the data do not allow the call, and StoreUnavailableError when
 * Redis did not confirm; then the write may have happened.
 */
export class GuildWriter extends LeaderboardWriter {
  /** Adds XP for a message, times the guild's multiplier, unless the member's cooldown runs. O(log m). */
  award(guildId: string, request: AwardRequest): Promise<Award> {
    return this.runOnMember(award, guildId, request, awardArguments, decodeAward);
  }

  /** Gives the reward of the day, once for each calendar day of the member, and counts the streak. O(log m). */
  claimDaily(guildId: string, request: ClaimRequest): Promise<Claim> {
    return this.runOnMember(claim, guildId, request, claimArguments, decodeClaim);
  }

  /**
   * Sets the XP of a member to the least of a level, by the guild's curve, and drops an explicit level. A user who is no member becomes one.
   * O(log m).
   * @throws RefusedError "level" for a level that no XP gives: one above the highest, or one that the curve rounds away.
   */
  async setLevel(guildId: string, change: LevelChange): Promise<RecordResult> {
    checkFields(change, 'a level', LEVEL_FIELDS);
    const { userId, level, eventId } = change;
    checkIds(guildId, [userId]);
    const digits = wholeText('level', level, 0, MAX_XP);
    const args = ['each', `level ${digits}`, userId, 'none - -'];
    return recordResult([userId], await this.sendRecords(guildId, args, this.eventOf(guildId, eventId)));
  }

  /**
   * Changes profiles of members, ranked or hidden. Passes over users who are none, and creates nobody. O(n log m).
   * @returns the user ids of the members that were found.
   */
  async setProfiles(guildId: string, updates: readonly ProfileUpdate[]): Promise<string[]> {
    checkList(updates, 'The updates');
    const now = this.now();
    for (const [index, update] of updates.entries()) {
      const path = placeIn('updates', updates, index);
      checkFields(update, 'an update', UPDATE_FIELDS, path);
      checkProfile(update.profile, path, now);
    }
    const userIds = updates.map(({ userId }) => userId);
    checkIds(guildId, userIds);
    const calls = updates.map(({ userId, profile }, index) => {
      return { userId, args: ['keep', userId, profileChange(profile, index)] };
    });
    const found = await inSlices(calls, async (slice) => {
      const reply = await this.sendRecords(guildId, ['each', ...slice.flatMap(({ args }) => args)]);
      throwRefusal(reply);
      return slice.filter((_, index) => !String(reply[index + 5]).endsWith(' none'));
    });
    return found.flat().map(({ userId }) => userId);
  }

  /**
   * Gives members a reason to be hidden: they left, want it, or a moderator wants it. A hidden member is in no ranking, total or counter. It
   * keeps XP and profile, and gains on. Passes over users who are no members. O(n log m).
   * @throws InvalidInputError for an unknown reason; nothing was sent.
   */
  hide(guildId: string, userIds: readonly string[], options?: HideOptions): Promise<PlaceChange> {
    return changeReason(this.store, 'hide', guildId, userIds, options);
  }

  /**
   * Lifts a reason from hidden members. One without another reason comes back into the ranking, with all its XP. O(n log m).
   * @throws InvalidInputError for an unknown reason; nothing was sent.
   */
  unhide(guildId: string, userIds: readonly string[], options?: HideOptions): Promise<PlaceChange> {
    return changeReason(this.store, 'unhide', guildId, userIds, options);
  }

  /**
   * Hides with the reason "left" the ranked members who are not on the server, and lifts it from the hidden ones who are: for the start of a
   * bot, which missed who left and who came. O(n log n) in steps of a few milliseconds, and memory for the ids of both lists. The same call
   * goes on after an interruption.
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
   * Ends a season: copies all members, with XP and profile, into the guild `archiveAs`. When all are there, takes that XP and the explicit
   * levels from them. XP that a member gains meanwhile counts for the new season. The same call goes on after an interruption, and does
   * nothing after its end. Hidden members stay hidden in both. O(n log n), in steps of a few milliseconds of Redis.
   * @throws RefusedError when another call, an import or a deletion of either guild runs, or the archive has other data.
   */
  resetSeason(guildId: string, options: SeasonOptions): Promise<SeasonResult> {
    return new SeasonReset(this.store, guildId, options).run();
  }

  /**
   * Makes a link that signs its reader in to the dashboard of the guild, once. O(1).
   * @throws InvalidInputError when the address or the time is bad.
   */
  async createDashboardLink(guildId: string, options: DashboardLinkOptions): Promise<string> {
    return createDashboardLink(this.store, guildId, options);
  }

  /** Runs a script on one member. @throws RefusedError */
  private async runOnMember<Request extends { readonly userId: string; readonly eventId?: string }, Result>(
    script: typeof award | typeof claim,
    guildId: string,
    request: Request,
    argumentsOf: (request: Request) => string[],
    decode: (reply: readonly (string | number)[]) => Result,
  ): Promise<Result> {
    const args = argumentsOf(request);
    const { userId, eventId } = request;
    checkIds(guildId, [userId]);
    const guild = this.store.redisKeys.guild(guildId);
    const event = this.eventOf(guildId, eventId);
    const keys = { ...guild, cooldown: guild.cooldownPrefix + userId };
    const reply = await script(this.store.scripts, keys, [...event.args, userId, ...args], event.keys);
    throwRefusal(reply);
    return decode(reply);
  }
}
