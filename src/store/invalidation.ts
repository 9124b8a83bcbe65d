import type { RedisClient } from './client.ts';
import type { RedisKeys } from './keys.ts';

/**
 * Tells every process of the service to drop its cached keys and plan of a guild. One round trip.
 * @throws StoreUnavailableError
 */
export async function publishInvalidation(client: RedisClient, redisKeys: RedisKeys, guildId: string): Promise<void> {
  await client.publish(redisKeys.invalidationChannel, guildId);
}
