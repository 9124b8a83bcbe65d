import { InvalidInputError, RefusedError, StoreUnavailableError } from '../errors.ts';
import { checkFields, wholeText } from '../guild/members/check-fields.ts';
import { EVENT_TTL_MS } from '../guild/members/event.ts';
import { type BotClient, type BotOptions, keysUnder, scriptsOn } from './bot-client.ts';
import { BotWriter } from './bot-writer.ts';
import { connectionOptions } from './connection-options.ts';
import { plainText } from './plain-text.ts';

/** The package's entry `guildrank/writer`: a bot writes XP with it, on its own connection. */

const MAX_EVENT_TTL_MS = 86_400_000;
const MAX_REPLICAS = 100;

export interface WriterOptions extends BotOptions {
  /** How long the reply of a call with an `eventId` is kept for its repeats, up to a day; ten minutes unless given. */
  readonly eventTtlMs?: number;
  /**
   * Replicas that must have a call before it succeeds. With all replicas that may be promoted, no failover loses a call that succeeded. A
   * call that fewer have after a second fails with StoreUnavailableError, and may be done. Unless given, replicas are not asked.
   * Each call then takes a round trip from the master to its replicas more.
   */
  readonly replicas?: number;
}

/**
 * Returns a writer on an open connection, which the caller closes. ioredis 6.0 rounds an explicit level above 2^53-49.
 * @throws InvalidInputError for a connection of another kind, for one that puts a prefix of its own before each key, for an unfit option, and for
 * `replicas` on a Cluster or an object of the bot's own.
 */
export function createWriter(client: BotClient, options: WriterOptions = {}): BotWriter {
  checkFields(options, 'the options of createWriter', ['keyPrefix', 'eventTtlMs', 'replicas']);
  const { keyPrefix, eventTtlMs = EVENT_TTL_MS, replicas } = options;
  wholeText('eventTtlMs', eventTtlMs, 1, MAX_EVENT_TTL_MS);
  if (replicas !== undefined) wholeText('replicas', replicas, 1, MAX_REPLICAS);
  const scripts = scriptsOn(client, replicas);
  return new BotWriter({ scripts, redisKeys: keysUnder(keyPrefix) }, Date.now, eventTtlMs);
}

export type { RefusalCode, Sentences } from '../errors.ts';
export type { Award, AwardRequest } from '../guild/members/award.ts';
export type { Claim, ClaimRequest } from '../guild/members/claim.ts';
export type { OnceOptions } from '../guild/members/event.ts';
export type { Gain } from '../guild/members/gain.ts';
export type { HiddenMember, HideOptions, PlaceChange } from '../guild/members/hiding.ts';
export type { ProfileChange, XpRecord } from '../guild/members/records.ts';
export type { PresentMembers, SyncOptions, SyncResult } from '../guild/members/sync.ts';
export type { LeaderboardWriter, MemberChange, RecordResult, XpChange } from '../guild/members/writer.ts';
export type { HideReason } from '../guild/ranking/model.ts';
export type { SeasonOptions, SeasonResult } from '../guild/season/season.ts';
export type { BotClient as WriterClient } from './bot-client.ts';
export type { LevelChange, ProfileUpdate } from './bot-writer.ts';
export type { ConnectionOptions } from './connection-options.ts';
export type { DashboardLinkOptions } from './dashboard-link.ts';
export { type BotWriter, connectionOptions, InvalidInputError, plainText, RefusedError, StoreUnavailableError };
