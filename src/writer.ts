import { RecordRefusedError, StoreUnavailableError } from './errors.ts';
import { LeaderboardWriter } from './leaderboard/writer.ts';
import { type RedisClient, Scripts } from './redis/commands.ts';
import { RedisKeys } from './redis/redis-keys.ts';

/** The package's entry `guildrank/writer`: what a bot writes XP with, on its own ioredis connection. */

/** What is needed of the ioredis connection, Redis or Cluster; told by shape, so the bot's own copy of ioredis will do. */
export interface WriterClient {
  defineCommand(name: string, definition: { readonly lua: string; readonly numberOfKeys?: number }): void;
}

export interface WriterOptions {
  /** The service's KEY_PREFIX; "gr" unless it was changed. */
  readonly keyPrefix?: string;
}

/**
 * A writer on an open connection, which stays the caller's to close. Make it once, at start: it defines the Lua
 * commands on the connection.
 */
export function createWriter(client: WriterClient, { keyPrefix = 'gr' }: WriterOptions = {}): LeaderboardWriter {
  return new LeaderboardWriter(new Scripts(client as unknown as RedisClient), new RedisKeys(keyPrefix));
}

export type { RefusalReason } from './errors.ts';
export type { ProfileChange, RecordResult, XpRecord } from './leaderboard/writer.ts';
export { type LeaderboardWriter, RecordRefusedError, StoreUnavailableError };
