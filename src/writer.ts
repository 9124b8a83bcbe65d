import { type BotClient, type BotOptions, scriptsOn } from './bot/bot-client.ts';
import { BotWriter } from './bot/bot-writer.ts';
import { InvalidIdError, InvalidInputError, RecordRefusedError, StoreUnavailableError } from './errors.ts';
import { RedisKeys } from './redis/redis-keys.ts';

/** The package's entry `guildrank/writer`: a bot writes XP with it, on its own connection. */

/**
 * Returns a writer on an open connection, which the caller closes.
 * @throws InvalidInputError for a connection of another kind, and for one that puts a prefix of its own before each key.
 */
export function createWriter(client: BotClient, { keyPrefix = 'gr' }: BotOptions = {}): BotWriter {
  return new BotWriter(scriptsOn(client), new RedisKeys(keyPrefix));
}

export type { Award, AwardRequest } from './bot/award.ts';
export type { BotClient as WriterClient, BotOptions as WriterOptions } from './bot/bot-client.ts';
export type { ProfileUpdate } from './bot/bot-writer.ts';
export type { Claim, ClaimRequest } from './bot/claim.ts';
export type { DashboardLinkOptions } from './bot/dashboard-link.ts';
export type { Gain } from './bot/gain.ts';
export type { SeasonOptions, SeasonResult } from './bot/season.ts';
export type { RefusalReason } from './errors.ts';
export type {
  LeaderboardWriter,
  MemberChange,
  ProfileChange,
  RecordResult,
  XpChange,
  XpRecord,
} from './leaderboard/writer.ts';
export { type BotWriter, InvalidIdError, InvalidInputError, RecordRefusedError, StoreUnavailableError };
