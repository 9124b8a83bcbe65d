import { type BotClient, type BotOptions, scriptsOn } from './bot/bot-client.ts';
import { GuildReader } from './bot/guild-reader.ts';
import { InvalidIdError, InvalidInputError, StoreUnavailableError } from './errors.ts';
import { RedisKeys } from './redis/redis-keys.ts';

/** The package's entry `guildrank/reader`: a bot reads rankings with it, on its own ioredis connection. */

/** A connection of {@link BotClient}; `isCluster` as ioredis sets it. */
export interface ReaderClient extends BotClient {
  readonly isCluster?: boolean;
}

/**
 * Returns a reader on an open connection, which the caller closes.
 * @throws InvalidInputError when the connection puts a prefix of its own before each key.
 */
export function createReader(client: ReaderClient, { keyPrefix = 'gr' }: BotOptions = {}): GuildReader {
  return new GuildReader({ isCluster: client.isCluster === true }, scriptsOn(client), new RedisKeys(keyPrefix));
}

export type { GuildStats, LeaderboardEntry, LeaderboardPage, Member } from './leaderboard/model.ts';
export { type GuildReader, InvalidIdError, InvalidInputError, StoreUnavailableError };
