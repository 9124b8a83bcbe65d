import { BotWriter } from './bot/bot-writer.ts';
import { InvalidIdError, InvalidInputError, RecordRefusedError, StoreUnavailableError } from './errors.ts';
import { RedisKeys } from './redis/redis-keys.ts';
import { type RedisClient, Scripts } from './redis/scripts.ts';

/** The package's entry `guildrank/writer`: a bot writes XP with it, on its own ioredis connection. */

/** The bot's ioredis connection, a Redis or a Cluster. Only its shape counts, so the bot can use its own version of ioredis. */
export interface WriterClient {
  evalsha(sha: string, numberOfKeys: number, ...keysAndArguments: (string | number)[]): Promise<unknown>;
  eval(script: string, numberOfKeys: number, ...keysAndArguments: (string | number)[]): Promise<unknown>;
}

export interface WriterOptions {
  /** The service's KEY_PREFIX; "gr" unless it was changed. */
  readonly keyPrefix?: string;
}

/**
 * Returns a writer on an open connection, which the caller closes.
 * @throws InvalidInputError when the connection puts a prefix of its own before each key.
 */
export function createWriter(client: WriterClient, { keyPrefix = 'gr' }: WriterOptions = {}): BotWriter {
  const own = prefixOf(client);
  if (own) {
    throw new InvalidInputError(
      `The connection has the keyPrefix ${JSON.stringify(own)}, and the service would not find the data: give the writer a connection without one`,
    );
  }
  return new BotWriter(new Scripts(client as RedisClient), new RedisKeys(keyPrefix));
}

/** Returns the `keyPrefix` of a connection of ioredis, a Redis or a Cluster. */
function prefixOf(client: WriterClient): string | undefined {
  const { options } = client as { readonly options?: { keyPrefix?: string; redisOptions?: { keyPrefix?: string } } };
  return options?.keyPrefix || options?.redisOptions?.keyPrefix;
}

export type { Award, AwardRequest } from './bot/award.ts';
export type { ProfileUpdate } from './bot/bot-writer.ts';
export type { Claim, ClaimRequest } from './bot/claim.ts';
export type { Gain } from './bot/gain.ts';
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
