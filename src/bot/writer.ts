import { InvalidIdError, InvalidInputError, RecordRefusedError, StoreUnavailableError } from '../errors.ts';
import { RedisKeys } from '../store/keys.ts';
import { type BotClient, type BotOptions, scriptsOn } from './bot-client.ts';
import { BotWriter } from './bot-writer.ts';

/** The package's entry `guildrank/writer`: a bot writes XP with it, on its own connection. */

/**
 * Returns a writer on an open connection, which the caller closes.
 * @throws InvalidInputError for a connection of another kind, and for one that puts a prefix of its own before each key.
 */
export function createWriter(client: BotClient, { keyPrefix = 'gr' }: BotOptions = {}): BotWriter {
  return new BotWriter(scriptsOn(client), new RedisKeys(keyPrefix));
}

export type { RefusalReason } from '../errors.ts';
export type { Award, AwardRequest } from '../guild/members/award.ts';
export type { Claim, ClaimRequest } from '../guild/members/claim.ts';
export type { Gain } from '../guild/members/gain.ts';
export type {
  LeaderboardWriter,
  MemberChange,
  ProfileChange,
  RecordResult,
  XpChange,
  XpRecord,
} from '../guild/members/writer.ts';
export type { SeasonOptions, SeasonResult } from '../guild/season/season.ts';
export type { BotClient as WriterClient, BotOptions as WriterOptions } from './bot-client.ts';
export type { ProfileUpdate } from './bot-writer.ts';
export type { DashboardLinkOptions } from './dashboard-link.ts';
export { type BotWriter, InvalidIdError, InvalidInputError, RecordRefusedError, StoreUnavailableError };
