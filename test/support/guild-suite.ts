import { afterAll, beforeAll } from 'vitest';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { guildOn, type TestGuild } from './guild.ts';

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
