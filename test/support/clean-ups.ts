import { Redis } from 'ioredis';
import { afterEach } from 'vitest';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';

/** Ends what the tests of a file have started, after each of them: the last first. */
export type CleanUps = (() => unknown)[];

/** Returns a list of functions that run after each test. Call it once, at the top of a file or of a suite. */
export function cleanUpsAfterEach(): CleanUps {
  const cleanUps: CleanUps = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });
  return cleanUps;
}

/** Starts a Redis, and opens a connection to it for the test itself. Both end with the test. */
export async function redisFor(
  cleanUps: CleanUps,
  ...options: readonly string[]
): Promise<EmbeddedRedis & { readonly client: Redis }> {
  const server = await startEmbeddedRedis(options);
  cleanUps.push(server.stop);
  const client = new Redis(server.url);
  client.on('error', () => {});
  cleanUps.push(() => client.disconnect());
  return { ...server, client };
}
