import { checkFields } from '../core/check-fields.ts';
import { InvalidInputError, RefusedError, StoreUnavailableError } from '../core/errors.ts';
import { CommandBatcher } from '../core/reads/command-batcher.ts';
import { GuildReader } from '../core/reads/guild-reader.ts';
import { type BotClient, type BotOptions, keysUnder, scriptsOn } from '../core/store/bot-client.ts';

/** The package's entry `guildrank-kit/reader`: a bot reads rankings with it, on its own connection. */

/**
 * Returns a reader on an open connection, which the caller closes.
 * @throws InvalidInputError for a connection of another kind, for a connection that puts a prefix of its own before each key, and for an unfit option.
 */
export function createReader(client: BotClient, options: BotOptions = {}): GuildReader {
  checkFields(options, 'the options of createReader', ['keyPrefix']);
  const scripts = scriptsOn(client);
  const redisKeys = keysUnder(options.keyPrefix);
  const commands = new CommandBatcher(scripts, redisKeys);
  return new GuildReader({ scripts, redisKeys, commands }, () => performance.now());
}

export type { RefusalCode, Sentences } from '../core/errors.ts';
export type { HideReason } from '../core/ranking/model.ts';
export type { CardProgress, MemberCard, RankedMember } from '../core/reads/card.ts';
export type { MemberLevel, RankingOptions } from '../core/reads/guild-reader.ts';
export type { Period } from '../core/reads/period.ts';
export type { GuildStats, Member, RankingPage, RankingPart } from '../core/reads/rankings.ts';
export type { Rules } from '../core/rules/parsed-rules.ts';
export type { BotClient as ReaderClient, BotOptions as ReaderOptions } from '../core/store/bot-client.ts';
export type { BoardName } from '../core/store/redis-keys.ts';
export { type GuildReader, InvalidInputError, RefusedError, StoreUnavailableError };
