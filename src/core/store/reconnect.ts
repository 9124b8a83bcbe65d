import { redisCodeOf, StoreUnavailableError } from '../errors.ts';

/** Time between two reconnections because of a replica: a connection that leads to a replica for good must not break with each request. */
const RECONNECT_EVERY_MS = 1000;

/**
 * Returns the option `reconnectOnError` of ioredis. After READONLY the client connects anew, once a second at most, because a new connection
 * reaches the new master behind the address, or asks the Sentinels for it. Otherwise commands would go to the old master for ever. The function
 * takes a StoreUnavailableError too.
 */
export function reconnectOnReplica(): (error: Error) => boolean {
  let last = Number.NEGATIVE_INFINITY;
  return (error) => {
    const now = performance.now();
    const code = error instanceof StoreUnavailableError ? error.code : redisCodeOf(error.message);
    if (code !== 'READONLY' || now - last < RECONNECT_EVERY_MS) return false;
    last = now;
    return true;
  };
}
