import type { ClientStore } from '../core/store/store.ts';

/**
 * Returns the servers that Guildrank knows: the bot has stored their names, or they have a configuration or members. O(n), one round trip.
 * @throws StoreUnavailableError
 */
export async function knownServers({ client, redisKeys }: ClientStore, guildIds: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    guildIds.map((guildId) => {
      const { about, config, xp, hidden } = redisKeys.guild(guildId);
      return client.exists(about, config, xp, hidden);
    }),
  );
  return guildIds.filter((_, i) => found[i] !== 0);
}
