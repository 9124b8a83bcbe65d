import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../../scripts/dev/embedded-redis.ts';
import { scriptClientOf } from '../../../src/bot/bot-client.ts';
import { clientKinds } from '../../support/bot-clients.ts';
import { failuresOf } from '../../support/conformance/run.ts';
import type { Suite } from '../../support/conformance/state.ts';
import { conformanceFiles } from '../../support/conformance/text.ts';
import { needs } from '../../support/needs.ts';
import { repository } from '../../support/run-command.ts';

const FOLDER = join(repository, 'conformance');
const suites = [...conformanceFiles()].map(([, text]) => JSON.parse(text) as Suite);
/** Every refusal that the header of a script names. */
const REFUSALS: Record<string, readonly string[]> = {
  award: ['user_id', 'key', 'argument', 'field', 'range', 'total'],
  claim: ['user_id', 'key', 'argument', 'field', 'range', 'total'],
  record: ['user_id', 'key', 'xp', 'range', 'field', 'total'],
  hide: ['user_id', 'key', 'total'],
  season: ['key', 'lock', 'total', 'user_id'],
  stage: ['user_id', 'key', 'xp', 'range', 'field', 'total', 'lock'],
};

describe('the files in conformance', () => {
  it('are what the models say: after a change, run "npm run conformance"', () => {
    const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
    expect(files.sort()).toEqual([...conformanceFiles().keys()].sort());
    for (const [name, text] of conformanceFiles())
      expect(readFileSync(join(FOLDER, name), 'utf8') === text, name).toBe(true);
  });

  it.each(suites)('have hundreds of cases of $script, every refusal among them', ({ script, cases }) => {
    expect(cases.length).toBeGreaterThanOrEqual(200);
    const refused = new Set(
      cases.flatMap(({ reply }) => (Array.isArray(reply) && reply[0] === 'REFUSED' ? [reply[2]] : [])),
    );
    expect([...refused].sort()).toEqual([...(REFUSALS[script] ?? [])].sort());
  });
});

const NODE_KINDS = clientKinds.filter(({ name }) => name === 'ioredis 5' || name === 'node-redis 5');
describe.each(NODE_KINDS)('the scripts, called with $name', needs('redis-server'), (kind) => {
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

  it.each(suites)('reply and change the data in each case of $script as its model', async (suite) => {
    expect(await failuresOf(suite, scriptClientOf(open.client), admin)).toEqual([]);
  });
});
