import { checkFields, wholeText } from '../core/check-fields.ts';
import { InvalidInputError, RefusedError, StoreUnavailableError } from '../core/errors.ts';
import { GuildWriter } from '../core/guild-writer.ts';
import { EVENT_TTL_MS } from '../core/members/event.ts';
import { type BotClient, type BotOptions, keysUnder, scriptsOn } from '../core/store/bot-client.ts';
import { connectionOptions } from '../core/store/connection-options.ts';
import { plainText } from '../pictures/plain-text.ts';

/** The package's entry `guildrank-kit/writer`: a bot writes XP with it, on its own connection. */

const MAX_EVENT_TTL_MS = 86_400_000;
const MAX_REPLICAS = 100;

/** The options of {@link createWriter}. */
export interface WriterOptions extends BotOptions {
  /** How long the reply of a call with an `eventId` is kept for its repeats, up to a day; ten minutes unless given. */
  readonly eventTtlMs?: number;
  /**
   * Replicas that must have a call before it succeeds. With all replicas that may be promoted, no failover loses a call that succeeded. A
   * call that fewer have after a second fails with StoreUnavailableError, and may be done. Unless given, replicas are not asked.
   * With `replicas`, each call also waits for a round trip from the master to its replicas.
   */
  readonly replicas?: number;
}

/**
 * Returns a writer on an open connection, which the caller closes. ioredis 6.0 rounds an explicit level above 2^53-49.
 * @throws InvalidInputError for a connection of another kind, for a connection that puts a prefix of its own before each key, for an unfit
 * option, and for `replicas` on a Cluster or an object of the bot's own.
 */
export function createWriter(client: BotClient, options: WriterOptions = {}): GuildWriter {
  checkFields(options, 'the options of createWriter', ['keyPrefix', 'eventTtlMs', 'replicas']);
  const { keyPrefix, eventTtlMs = EVENT_TTL_MS, replicas } = options;
  wholeText('eventTtlMs', eventTtlMs, 1, MAX_EVENT_TTL_MS);
  if (replicas !== undefined) wholeText('replicas', replicas, 1, MAX_REPLICAS);
  const scripts = scriptsOn(client, replicas);
  return new GuildWriter({ scripts, redisKeys: keysUnder(keyPrefix) }, Date.now, eventTtlMs);
}

export type { DashboardLinkOptions } from '../core/access/dashboard-link.ts';
export type { RefusalCode, Sentences } from '../core/errors.ts';
export type { GuildDescription } from '../core/guilds/describe.ts';
export type { GuildChannel, GuildRole } from '../core/guilds/description.ts';
export type { Award, AwardRequest } from '../core/members/award.ts';
export type { Claim, ClaimRequest } from '../core/members/claim.ts';
export type { OnceOptions } from '../core/members/event.ts';
export type { Gain } from '../core/members/gain.ts';
export type { HiddenMember, HideOptions, HideResult } from '../core/members/hiding.ts';
export type { LevelChange, ProfileUpdate, RecordResult } from '../core/members/record-members.ts';
export type { MemberChange, XpChange } from '../core/members/record-script.ts';
export type { PresentMembers, SyncOptions, SyncResult } from '../core/members/sync.ts';
export type { ProfileChange, XpRecord } from '../core/members/xp-record.ts';
export type { HideReason } from '../core/ranking/model.ts';
export type { SeasonOptions, SeasonResult } from '../core/seasons/season.ts';
export type { BotClient as WriterClient } from '../core/store/bot-client.ts';
export type { ConnectionOptions } from '../core/store/connection-options.ts';
export { connectionOptions, type GuildWriter, InvalidInputError, plainText, RefusedError, StoreUnavailableError };
