import { randomUUID } from 'node:crypto';
import { RefusedError } from '../errors.ts';
import type { ClientStore } from '../store/store.ts';

/** How long a rotation keeps other rotations of the key away. */
const LOCK_MS = 10_000;

/**
 * Runs a rotation of an API key, at most one in ten seconds over all processes. A rotation that fails can be tried again at once. Takes at most three
 * round trips, beside the round trips of the rotation itself.
 * @throws RefusedError while another rotation runs, and for ten seconds from its start.
 * @throws StoreUnavailableError
 */
export async function withRotationLock<T>(
  { client, redisKeys }: ClientStore,
  guildId: string,
  keyId: string,
  rotate: () => Promise<T>,
): Promise<T> {
  const lock = redisKeys.rotation(guildId, keyId);
  const token = randomUUID();
  if ((await client.set(lock, token, 'PX', LOCK_MS, 'NX')) === null) {
    // Redis's clock was ahead when the lock was taken, so the lock would stay until then.
    if ((await client.pttl(lock)) > LOCK_MS) await client.pexpire(lock, LOCK_MS);
    throw new RefusedError('key_rotated', { guild: guildId, key: keyId, seconds: LOCK_MS / 1000 });
  }
  try {
    return await rotate();
  } catch (error) {
    // After a suspension, this can be the lock of another rotation. Without Redis, the lock ends by itself.
    const isOwn = await client.get(lock).then(
      (owner) => owner === token,
      () => false,
    );
    if (isOwn) await client.del(lock).catch(() => {});
    throw error;
  }
}
