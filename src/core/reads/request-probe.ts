import { StoreUnavailableError } from '../errors.ts';
import type { RedisClient } from '../store/client.ts';
import { isLoading, LOADING } from '../store/lifecycle.ts';
import { onMaster } from '../store/probe.ts';
import type { CommandBatcher } from './command-batcher.ts';

/** Guilds that cannot exist, because "~" is in no guild id. They spread over the nodes of a Cluster, and over the servers behind one address. */
const RESERVED_GUILDS = Array.from({ length: 16 }, (_, index) => `~ready${index}`);
/** Two of these guilds, with slots in different halves of all slots: a host with several servers refuses a command for the two guilds. */
const TWO_HALVES = ['~ready0', '~ready2'];

/**
 * Tries what a request does, on the same path and without changing data. One round trip. On a host with several servers it succeeds while any
 * of them serves, because the guilds of that server are served.
 * @throws StoreUnavailableError
 */
export async function probeRequests(client: RedisClient, commands: CommandBatcher): Promise<void> {
  let probes: Promise<string>[] = [];
  commands.collect(() => {
    const guilds = commands.isSharded ? RESERVED_GUILDS : TWO_HALVES;
    probes = guilds.map((guildId) => commands.run(guildId, 'probe', (reply) => reply));
  });
  await Promise.any(probes).catch(async ({ errors: [error] }: AggregateError) => {
    if (await isLoading(client)) throw new StoreUnavailableError(new Error(LOADING));
    throw error;
  });
}

/** Returns a probe of requests that leaves a replica, as {@link onMaster} does. */
export function requestProbe(client: RedisClient, commands: CommandBatcher): () => Promise<void> {
  return onMaster(client, () => probeRequests(client, commands));
}
