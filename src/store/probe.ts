import { StoreUnavailableError } from '../errors.ts';
import { isLoading, LOADING } from './lifecycle.ts';
import { defineScript } from './script.ts';
import type { ScriptStore } from './scripts.ts';
import type { ClientStore } from './store.ts';

export const probe = defineScript('probe', ['quota', 'xp', 'stats']);

/** Guilds that cannot exist, because "~" is in no guild id. In a Cluster they spread over the nodes. */
const RESERVED_GUILDS = Array.from({ length: 16 }, (_, index) => `~ready${index}`);

/**
 * Tries what a request does, without a change to the data. One round trip. In a Cluster it succeeds while any node serves, because the
 * guilds of that node are served.
 * @throws StoreUnavailableError
 */
export async function probeStore({ client, scripts, redisKeys }: ClientStore & ScriptStore): Promise<void> {
  const guilds = client.isCluster ? RESERVED_GUILDS : RESERVED_GUILDS.slice(0, 1);
  const probes = guilds.map((guildId) => {
    const { xp, stats } = redisKeys.guild(guildId);
    return probe<string>(scripts, { quota: redisKeys.quota(guildId), xp, stats });
  });
  await Promise.any(probes).catch(async ({ errors: [error] }: AggregateError) => {
    if (await isLoading(client)) throw new StoreUnavailableError(new Error(LOADING));
    throw error;
  });
}
