import { InvalidInputError } from '../errors.ts';
import { type RedisClient, Scripts } from '../redis/scripts.ts';

/** The bot's ioredis connection, a Redis or a Cluster. Only its shape counts, so the bot can use its own version of ioredis. */
export interface BotClient {
  evalsha(sha: string, numberOfKeys: number, ...keysAndArguments: (string | number)[]): Promise<unknown>;
  eval(script: string, numberOfKeys: number, ...keysAndArguments: (string | number)[]): Promise<unknown>;
}

export interface BotOptions {
  /** The service's KEY_PREFIX; "gr" unless it was changed. */
  readonly keyPrefix?: string;
}

/**
 * Returns the scripts on a bot's connection.
 * @throws InvalidInputError when the connection puts a prefix of its own before each key.
 */
export function scriptsOn(client: BotClient): Scripts {
  const { options } = client as { readonly options?: { keyPrefix?: string; redisOptions?: { keyPrefix?: string } } };
  const own = options?.keyPrefix || options?.redisOptions?.keyPrefix;
  if (own) {
    throw new InvalidInputError(
      `The connection has the keyPrefix ${JSON.stringify(own)}, and the service would not find the data: give the writer a connection without one`,
    );
  }
  return new Scripts(client as RedisClient);
}
