import { randomUUID } from 'node:crypto';
import { RefusedError } from '../errors.ts';
import type { ClientStore } from '../store/store.ts';

/** How long a rotation keeps others away. */
const LOCK_MS = 10_000;

/**
 * Runs a rotation of an API key, in all processes one in ten seconds. One that fails can be tried again at once. Three round trips at most
 * beside it.
 * @throws RefusedError while another one runs, and for ten seconds from its start.
 * @throws StoreUnavailableError
 */
export async function oneRotation<T>(
  { client, redisKeys }: ClientStore,
  guildId: string,
  keyId: string,
  rotate: () => Promise<T>,
): Promise<T> {
  const lock = redisKeys.rotation(guildId, keyId);
  const token = randomUUID();
  if ((await client.set(lock, token, 'PX', LOCK_MS, 'NX')) === null) {
    // Redis's clock was ahead when it was taken: it would stay until then.
    if ((await client.pttl(lock)) > LOCK_MS) await client.pexpire(lock, LOCK_MS);
    throw new RefusedError('key_rotated', { guild: guildId, key: keyId, seconds: LOCK_MS / 1000 });
  }
  try {
    return await rotate();
  } catch (error) {
    // After a suspension it can be the lock of another one. Without Redis it ends by itself.
    const isOwn = await client.get(lock).then(
      (owner) => owner === token,
      () => false,
    );
    if (isOwn) await client.del(lock).catch(() => {});
    throw error;
  }
}
