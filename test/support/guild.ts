import { afterAll, beforeAll } from 'vitest';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { parseConfig } from '../../src/config/service.ts';
import { hashKey } from '../../src/core/access/key-format.ts';
import { type Core, openCore } from '../../src/core/core.ts';
import { connect } from '../../src/core/store/connection.ts';
import { untilConnected } from './connected.ts';
import type { Answer } from './load.ts';

/** A guild with members and a key, and the right answer to each read of it. */
export interface TestGuild {
  readonly id: string;
  readonly key: string;
  readonly store: Core;
  /** For the service: a quota that a load test does not use up. */
  readonly env: Record<string, string>;
  readonly headers: Record<string, string>;
  readonly paths: readonly string[];
  /** Returns the fault of a 200 answer, if its content is wrong. */
  wrong(answer: Answer): string | undefined;
  /** Writes all data again, the key included, after it was lost. */
  refill(): Promise<void>;
  close(): void;
}

const MEMBERS = 50;
const MAX_KEYS = 1000;

/**
 * Fills a guild and makes a key of it.
 * @param env where Redis is, as environment variables or as a URL.
 * @param fits accepts or rejects a key by the name of its record in Redis. Keys are made until one is accepted.
 * @throws when a thousand keys are rejected.
 */
export async function guildOn(
  env: string | Record<string, string>,
  id = 'guild',
  fits: (recordKey: string) => Promise<boolean> = async () => true,
): Promise<TestGuild> {
  const redis = parseConfig(typeof env === 'string' ? { REDIS_URL: env } : env).redis;
  const client = connect({ ...redis, timeoutMs: 5000 });
  await untilConnected(client);
  const store = openCore(client, 'gr');
  let created = await store.apiKeys.create(id, 'test', null);
  for (let made = 1; !(await fits(store.redisKeys.apiKey(hashKey(created.key)))); made++) {
    if (made === MAX_KEYS) throw new Error(`None of ${made} keys fits`);
    created = await store.apiKeys.create(id, 'test', null);
  }
  const { key, record } = created;
  const sha = hashKey(key);
  const savedRecord = await client.hgetall(`gr:key:${sha}`);

  const refill = async (): Promise<void> => {
    await client.hset(`gr:{${id}}:keys`, record.id, sha);
    await client.hset(`gr:key:${sha}`, savedRecord);
    await store.guildConfig.update(id, { plan: 'pro' });
    const records = Array.from({ length: MEMBERS }, (_, i) => ({ userId: `u${i}`, set: (i + 1) * 1000 }));
    await store.writer.recordMany(id, records);
  };
  await refill();

  const base = `/api/v1/servers/${id}`;
  const rows = Array.from({ length: MEMBERS }, (_, i) => ({ rank: i + 1, user_id: `u${MEMBERS - 1 - i}` }));
  const expected = new Map<string, (body: never) => boolean>([
    [
      `${base}/leaderboard?limit=20&page=2`,
      (body: { data: { rank: number; user_id: string }[]; total: number }) =>
        body.total === MEMBERS &&
        body.data.map((row) => `${row.rank} ${row.user_id}`).join() ===
          rows
            .slice(20, 40)
            .map((row) => `${row.rank} ${row.user_id}`)
            .join(),
    ],
    [`${base}/members/u7`, (body: { rank: number; xp: number }) => body.rank === MEMBERS - 7 && body.xp === 8000],
    [
      `${base}/stats`,
      (body: { total_members: number; total_xp: number }) =>
        body.total_members === MEMBERS && body.total_xp === 500 * MEMBERS * (MEMBERS + 1),
    ],
  ]);
  return {
    id,
    key,
    store,
    env: { PLAN_QUOTAS: 'free=100,pro=100000000' },
    headers: { 'x-api-key': key },
    paths: [...expected.keys()],
    wrong: ({ path, body }) =>
      expected.get(path)?.(JSON.parse(body) as never) ? undefined : `${path} answered ${body.slice(0, 300)}`,
    refill,
    close: () => client.disconnect(),
  };
}

/** A Redis of its own and a guild on it, filled in before the tests of a suite run. */
export interface GuildSuite {
  /** A test that replaces it leaves the new one here, to be ended with the suite. */
  redis: EmbeddedRedis;
  guild: TestGuild;
}

/** Starts a Redis with a guild before the tests of a suite, and ends both after them. */
export function guildSuite(): GuildSuite {
  const suite = {} as GuildSuite;
  beforeAll(async () => {
    suite.redis = await startEmbeddedRedis();
    suite.guild = await guildOn(suite.redis.url);
  });
  afterAll(async () => {
    suite.guild?.close();
    await suite.redis?.stop();
  });
  return suite;
}
