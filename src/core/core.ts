import { ApiKeyStore } from './access/api-keys.ts';
import { GuildCounters } from './counters/counters.ts';
import { GuildWriter } from './guild-writer.ts';
import { type BatcherOptions, CommandBatcher } from './reads/command-batcher.ts';
import { StoredMembers } from './reads/stored-members.ts';
import { GuildConfig } from './settings/guild-config.ts';
import type { RedisClient } from './store/client.ts';
import type { ScriptsOptions } from './store/scripts.ts';
import { openStore, type Store } from './store/store.ts';

/** The parts that read and change guilds, on one connection. */
export interface Core extends Store {
  /** Reads pages, members and statistics, many in one command. */
  readonly commands: CommandBatcher;
  /** Writes XP and places of members, and ends seasons. */
  readonly writer: GuildWriter;
  /** Lists members as Redis has them, ranked and hidden. */
  readonly members: StoredMembers;
  /** Compares the counters of a guild with its data, and counts anew. */
  readonly counters: GuildCounters;
  readonly guildConfig: GuildConfig;
  readonly apiKeys: ApiKeyStore;
}

export interface CoreOptions extends ScriptsOptions, Pick<BatcherOptions, 'onSharded'> {}

/**
 * Composes the parts on an open connection, which the caller closes. It sends nothing.
 * @param keyPrefix first part of all Redis keys, without its colon.
 */
export function openCore(client: RedisClient, keyPrefix: string, options: CoreOptions = {}): Core {
  const store = openStore(client, keyPrefix, options);
  return {
    ...store,
    commands: new CommandBatcher(store.scripts, store.redisKeys, { client, onSharded: options.onSharded }),
    writer: new GuildWriter(store, Date.now),
    members: new StoredMembers(store),
    counters: new GuildCounters(store),
    guildConfig: new GuildConfig(store),
    apiKeys: new ApiKeyStore(store, Date.now),
  };
}
