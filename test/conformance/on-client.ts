import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { scriptClientOf } from '../../src/core/store/bot-client.ts';
import type { WriterClient } from '../../src/kit/writer.ts';
import { needs } from '../support/needs.ts';
import { failuresOf } from './run.ts';
import type { Suite } from './state.ts';
import { conformanceFiles } from './text.ts';

/** The cases of each script, as the files in conformance have them. */
export const conformanceSuites = [...conformanceFiles()]
  .map(([, text]) => JSON.parse(text) as Partial<Suite>)
  .filter((suite): suite is Suite => suite.script !== undefined);

/** A client of bots, and how to open it. */
interface ClientKind {
  readonly name: string;
  open(url: string): Promise<{ readonly client: WriterClient; close(): unknown }>;
}

/** Declares the tests of each script, called with a client on a Redis of its own. @param suites by default, all cases. */
export function describeConformance(kind: ClientKind, suites: readonly Suite[] = conformanceSuites): void {
  describe(`the scripts, called with ${kind.name}`, needs('redis-server'), () => {
    let redis: EmbeddedRedis;
    let admin: Redis;
    let open: Awaited<ReturnType<typeof kind.open>>;
    beforeAll(async () => {
      redis = await startEmbeddedRedis();
      admin = new Redis(redis.url);
      open = await kind.open(redis.url);
    });
    afterAll(async () => {
      open?.close();
      admin?.disconnect();
      await redis?.stop();
    });

    it.each(suites)('the script $script replies and changes the data in each case as its model', async (suite) => {
      expect(await failuresOf(suite, scriptClientOf(open.client), admin)).toEqual([]);
    });
  });
}
