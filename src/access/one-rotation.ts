import { randomUUID } from 'node:crypto';
import { DataConflictError } from '../errors.ts';
import type { RedisClient } from '../store/client.ts';
import type { RedisKeys } from '../store/keys.ts';

/** How long a rotation that was killed keeps others away. */
const LOCK_MS = 10_000;

/**
 * Runs the one rotation of an API key at a time, in all processes. Three round trips beside it.
 * @throws DataConflictError while another one runs, or when one was killed a moment ago.
 * @throws StoreUnavailableError
 */
export async function oneRotation<T>(
  client: RedisClient,
  redisKeys: RedisKeys,
  guildId: string,
  keyId: string,
  rotate: () => Promise<T>,
): Promise<T> {
  const lock = redisKeys.rotation(guildId, keyId);
  const token = randomUUID();
  if ((await client.set(lock, token, 'PX', LOCK_MS, 'NX')) === null)
    throw new DataConflictError(
      `Key ${keyId} of guild ${guildId} is being rotated by another call, or one was killed a moment ago: see the keys, and try again in ${LOCK_MS / 1000} s`,
    );
  try {
    return await rotate();
  } finally {
    // After a suspension it can be the lock of another one. Without Redis it ends by itself.
    const isOwn = await client.get(lock).then(
      (owner) => owner === token,
      () => false,
    );
    if (isOwn) await client.del(lock).catch(() => {});
  }
}
