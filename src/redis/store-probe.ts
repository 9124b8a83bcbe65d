import { StoreUnavailableError } from '../errors.ts';
import { isLoading } from './lifecycle.ts';
import type { RedisKeys } from './redis-keys.ts';
import { type RedisClient, type Scripts, withStoreErrors } from './scripts.ts';
import type { TimeoutQueue } from './timeouts.ts';

/** Guilds that cannot exist, because "~" is in no guild id. In a Cluster they spread over the nodes. */
const RESERVED_GUILDS = Array.from({ length: 16 }, (_, index) => `~ready${index}`);

/**
 * Tries what a request does, without a change to the data. One round trip. In a Cluster it succeeds while any node serves, because the
 * guilds of that node are served.
 * @throws StoreUnavailableError
 */
export async function probeStore(
  client: RedisClient,
  scripts: Scripts,
  redisKeys: RedisKeys,
  timeouts: TimeoutQueue,
): Promise<void> {
  const guilds = client.isCluster ? RESERVED_GUILDS : RESERVED_GUILDS.slice(0, 1);
  const probes = guilds.map((guildId) => {
    const { xp, stats } = redisKeys.guild(guildId);
    // Apart from the script: the least rights of the service allow no script with a quota's key and others.
    return Promise.all([
      scripts.run<string>('probe', [redisKeys.quota(guildId)]),
      timeouts.limit(withStoreErrors(client.hget(stats, 'rev'))),
      timeouts.limit(withStoreErrors(client.zrevrange(xp, 0, 0))),
    ]);
  });
  await Promise.any(probes).catch(async ({ errors: [error] }: AggregateError) => {
    if (await isLoading(client)) throw new StoreUnavailableError(new Error('LOADING Redis is loading its data'));
    throw error;
  });
}
