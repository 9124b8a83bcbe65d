import { ApiKeyIssuer } from './access/api-key-issuer.ts';
import { GuildCounters } from './counters/counters.ts';
import { GuildWriter } from './guild-writer.ts';
import { type BatcherOptions, CommandBatcher } from './reads/command-batcher.ts';
import { NameSearch } from './reads/name-search.ts';
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
  /** Finds members by name. */
  readonly search: NameSearch;
  /** Compares the counters of a guild with its data, and counts anew. */
  readonly counters: GuildCounters;
  readonly guildConfig: GuildConfig;
  readonly apiKeys: ApiKeyIssuer;
}

/** What a process may choose about the parts: the time limit and the observer of its scripts, and its clock. */
export interface CoreOptions extends ScriptsOptions, Pick<BatcherOptions, 'onSharded'> {
  /** Milliseconds on a clock that never goes back; the clock of the process unless given. */
  readonly monotonic?: () => number;
}

/**
 * Composes the parts on an open connection, which the caller closes. It sends nothing.
 * @param keyPrefix first part of all Redis keys, without its colon.
 */
export function openCore(client: RedisClient, keyPrefix: string, options: CoreOptions = {}): Core {
  const { onSharded, monotonic = () => performance.now() } = options;
  const store = openStore(client, keyPrefix, options);
  const commands = new CommandBatcher(store.scripts, store.redisKeys, { client, onSharded });
  return {
    ...store,
    commands,
    writer: new GuildWriter(store, Date.now),
    members: new StoredMembers(store),
    search: new NameSearch({ ...store, commands }, monotonic),
    counters: new GuildCounters(store),
    guildConfig: new GuildConfig(store),
    apiKeys: new ApiKeyIssuer(store, Date.now),
  };
}
