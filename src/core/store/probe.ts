import { StoreUnavailableError } from '../errors.ts';
import { isCluster, type RedisClient, reconnect } from './client.ts';
import { masterCheck } from './master-check.ts';
import { reconnectOnReplica } from './reconnect.ts';

/** Returns a probe that only pings, and leaves a replica as {@link onMaster} says. */
export function pingProbe(client: RedisClient): () => Promise<void> {
  return onMaster(client, async () => {
    await client.ping().catch((error) => {
      throw StoreUnavailableError.of(error);
    });
  });
}

/**
 * Returns a probe that also finds out whether the connection leads to a replica, as it does when another server has become the master behind
 * the same address: a read there is stale, and shows no error. It then connects anew, once a second at most.
 */
export function onMaster(client: RedisClient, probe: () => Promise<void>): () => Promise<void> {
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
