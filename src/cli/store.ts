import { ApiKeyStore } from '../access/api-keys.ts';
import { parseConfig } from '../config.ts';
import { CounterAudit } from '../leaderboard/counters.ts';
import { LeaderboardWriter } from '../leaderboard/writer.ts';
import { type RedisClient, Scripts } from '../redis/commands.ts';
import { connect, describe } from '../redis/connection.ts';
import { waitUntilReady } from '../redis/lifecycle.ts';
import { RedisKeys } from '../redis/redis-keys.ts';

/** A person waits at a terminal, and a recount of a large guild takes seconds: far more patience than a request gets. */
const COMMAND_TIMEOUT_MS = 60_000;
const CONNECT_TIMEOUT_MS = 5000;

/** What the commands work with. */
export interface Store {
  readonly client: RedisClient;
  readonly redisKeys: RedisKeys;
  readonly writer: LeaderboardWriter;
  readonly audit: CounterAudit;
  readonly apiKeys: ApiKeyStore;
  /** Plan names that PLAN_QUOTAS knows. */
  readonly plans: readonly string[];
}

/**
 * Opens the store that the environment names, runs the work, and lets go of it whatever happens.
 * @throws when Redis cannot be reached within five seconds, naming where it was looked for.
 */
export async function withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
  const config = parseConfig(process.env);
  const redis = { ...config.redis, timeoutMs: COMMAND_TIMEOUT_MS };
  const client = connect(redis);
  client.on('error', () => {}); // Each command reports its own failure.
  try {
    await waitUntilReady(client, CONNECT_TIMEOUT_MS, () => {}).catch((error: Error) => {
      throw new Error(
        `Cannot reach ${describe(redis)}: ${error.message}. Set REDIS_URL (or start Redis) and try again.`,
      );
    });
    return await work(storeOn(client, config.keyPrefix, [...config.planQuotas.keys()]));
  } finally {
    client.disconnect();
  }
}

/** The store's parts on an open connection. */
export function storeOn(client: RedisClient, keyPrefix: string, plans: readonly string[]): Store {
  const redisKeys = new RedisKeys(keyPrefix);
  const scripts = new Scripts(client);
  return {
    client,
    redisKeys,
    writer: new LeaderboardWriter(scripts, redisKeys),
    audit: new CounterAudit(scripts, redisKeys),
    apiKeys: new ApiKeyStore(client, redisKeys, Date.now),
    plans,
  };
}
