import { StoreUnavailableError } from '../errors.ts';
import { isCluster, type RedisClient, reconnect } from './client.ts';
import type { CommandBatcher } from './command-batcher.ts';
import { isLoading, LOADING } from './lifecycle.ts';
import { masterCheck } from './master-check.ts';
import { reconnectOnReplica } from './reconnect.ts';

/** Guilds that cannot exist, because "~" is in no guild id. They spread over the nodes of a Cluster, and over the servers behind one address. */
const RESERVED_GUILDS = Array.from({ length: 16 }, (_, index) => `~ready${index}`);
/** Two of these guilds, with slots in different halves of all slots: a host with several servers refuses a command on both. */
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

/**
 * Returns a probe of requests that also finds out whether the connection leads to a replica, as it does when another server has become the
 * master behind the same address: a read there is stale, and shows no error. It then connects anew, once a second at most.
 */
export function storeProbe(client: RedisClient, commands: CommandBatcher): () => Promise<void> {
  return onMaster(client, () => probeRequests(client, commands));
}

/** Returns a probe that only pings, and leaves a replica as {@link storeProbe} does. */
export function pingProbe(client: RedisClient): () => Promise<void> {
  return onMaster(client, async () => {
    await client.ping().catch((error) => {
      throw StoreUnavailableError.of(error);
    });
  });
}

function onMaster(client: RedisClient, probe: () => Promise<void>): () => Promise<void> {
  if (isCluster(client)) return probe;
  const requireMaster = masterCheck(client);
  const mustReconnect = reconnectOnReplica();
  return async () => {
    try {
      await Promise.all([probe(), requireMaster()]);
    } catch (failure) {
      if (failure instanceof Error && mustReconnect(failure)) reconnect(client);
      throw failure;
    }
  };
}
