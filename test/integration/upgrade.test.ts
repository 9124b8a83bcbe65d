import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateKey, hashKey } from '../../src/access/key-format.ts';
import { servicesOn } from '../../src/cli/services.ts';
import type { RedisClient } from '../../src/redis/redis-client.ts';
import { createWriter } from '../../src/writer.ts';
import { runCommand } from '../support/command.ts';
import { needs } from '../support/needs.ts';
import { LONG_REDIS_TIMEOUT, startServiceProcess } from '../support/process.ts';
import { realStore, type TestStore } from '../support/stores.ts';
import { PATIENT } from '../support/wait.ts';

const MEMBERS = 2000;
const source = (name: string) =>
  readFileSync(new URL(`../fixtures/before-versions/${name}.lua`, import.meta.url), 'utf8');
/** The argument that old bots had to pass. */
const CURVES =
  'standard=10,135,455,0,6,1;amari=0,20,-40,55,1,1;lurkr=0,50,-100,150,1,1;polaris=1,50,100,0,1,100;arcane=0,50,25,0,1,5';

/** Calls that a bot makes. */
interface Calls {
  add(userId: string, xp: number, username: string): Promise<unknown>;
  remove(userId: string): Promise<unknown>;
}

/** A bot with the scripts of before versions were stored. */
function oldBot(client: RedisClient): Calls {
  const call = async (name: string, ...args: (string | number)[]) => {
    const script = source(name);
    const sha = createHash('sha1').update(script).digest('hex');
    const all = ['gr:{g}:xp', 'gr:{g}:stats', 'gr:{g}:config', 'gr:{g}:member:', CURVES, ...args];
    return client.evalsha(sha, 3, ...all).catch((error: Error) => {
      if (!error.message.includes('NOSCRIPT')) throw error;
      return client.eval(script, 3, ...all);
    });
  };
  return {
    add: (userId, xp, username) => call('record', 'add', userId, String(xp), 1, 'username', username),
    remove: (userId) => call('remove', userId),
  };
}

function newBot(client: RedisClient): Calls {
  const writer = createWriter(client);
  return {
    add: (userId, xp, username) => writer.record('g', { userId, add: xp, profile: { username } }),
    remove: (userId) => writer.remove('g', [userId]),
  };
}

describe('an upgrade from before versions of the data, beside a bot that writes', {
  ...needs('redis-server'),
  timeout: 180_000,
}, () => {
  let store: TestStore;
  let client: RedisClient;
  beforeAll(async () => {
    store = await realStore.start();
    client = store.connect();
  });
  afterAll(() => store.stop());

  /** XP and name of each member, by the calls that were confirmed. */
  const expected = new Map<string, { readonly xp: number; readonly username: string }>();

  /** Starts a bot that writes without a pause. @returns a function that stops it. */
  function start(calls: Calls, name: string, mine: (n: number) => boolean): () => Promise<number> {
    let isOn = true;
    let writes = 0;
    const work = (async () => {
      for (let n = 0; isOn; n = (n * 31 + 17) % MEMBERS) {
        const userId = `u${n}`;
        if (!mine(n)) continue;
        if (writes % 40 === 39) {
          await calls.remove(userId);
          expected.delete(userId);
        } else {
          const [xp, username] = [1 + (writes % 50), `${name} ${writes}`];
          await calls.add(userId, xp, username);
          expected.set(userId, { xp: (expected.get(userId)?.xp ?? 0) + xp, username });
        }
        writes++;
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      return writes;
    })();
    return () => {
      isOn = false;
      return work;
    };
  }

  async function expectNothingLost(): Promise<void> {
    const stored = new Map<string, { xp: number; username: string }>();
    const scored = await client.zrange('gr:{g}:xp', 0, -1, 'WITHSCORES');
    for (let i = 0; i < scored.length; i += 2) {
      const username = (await client.hget(`gr:{g}:member:${scored[i]}`, 'username')) ?? '';
      stored.set(scored[i] as string, { xp: Number(scored[i + 1]), username });
    }
    expect(stored).toEqual(expected);
    expect((await servicesOn(client, 'gr', ['free']).audit.check('g')).exact).toBe(true);
  }

  it('loses nothing, from the first new instance to the upgrade of the data, with a way back before it', async () => {
    // What the commands of that time stored.
    await client.hset('gr:{g}:config', { plan: 'pro', xp_curve: 'amari', xp_multiplier: '1.5' });
    const old = oldBot(client);
    for (let n = 0; n < MEMBERS; n++) {
      await old.add(`u${n}`, n, `old ${n}`);
      expected.set(`u${n}`, { xp: n, username: `old ${n}` });
    }
    const key = generateKey();
    await client.hset('gr:{g}:keys', 'k1', hashKey(key));
    await client.hset(`gr:key:${hashKey(key)}`, {
      id: 'k1',
      guild_id: 'g',
      name: 'site',
      created_at: '2026-01-01T00:00:00.000Z',
    });
    await client.set('gr:quota:{g}', '7', 'EX', 3600);
    expect(await client.hget('gr:{g}:stats', 'model')).toBeNull();
    await expectNothingLost();

    // The service comes first. It reads beside the old bot.
    const env = { REDIS_URL: store.url as string };
    let stopBot = start(old, 'old', () => true);
    const service = await startServiceProcess({ ...LONG_REDIS_TIMEOUT, ...env });
    const get = async (path: string) => {
      const response = await fetch(`${service.url}/api/v1/servers/g${path}`, { headers: { 'x-api-key': key } });
      expect(response.status).toBe(200);
      return { headers: response.headers, body: (await response.json()) as Record<string, unknown> };
    };
    const first = await get('/stats');
    expect(first.body).toMatchObject({ xp_curve: 'amari', xp_multiplier: 1.5 });
    expect(first.headers.get('ratelimit')).toMatch(/^"hourly";r=9992;t=/);
    // A write of the old bot is seen at once.
    await stopBot();
    await old.add('u5', 3, 'seen');
    expected.set('u5', { xp: (expected.get('u5')?.xp ?? 0) + 3, username: 'seen' });
    expect((await get('/members/u5')).body).toMatchObject({ username: 'seen', xp: expected.get('u5')?.xp });

    // Then the commands. A count sees that the scripts of this bot do not know it, and changes nothing.
    stopBot = start(old, 'old', () => true);
    const counted = await runCommand('stats', ['rebuild', 'g'], env);
    expect(counted.code, counted.stderr).toBe(1);
    expect(counted.stderr).toContain('without the scripts');

    // Then the bot, one process after the other: two write for a while.
    const stopOld = start(old, 'old', (n) => n % 2 === 0);
    await stopBot();
    let stopNew = start(newBot(client), 'new', (n) => n % 2 === 1);
    const shown = Number((await get('/stats')).body.total_xp);
    await expect.poll(async () => Number((await get('/stats')).body.total_xp), PATIENT).not.toBe(shown);
    expect(await stopOld()).toBeGreaterThan(0);
    expect(await stopNew()).toBeGreaterThan(0);
    await expectNothingLost();

    // Back to the old bot, as docs/upgrading.md says: nothing in Redis has to be changed.
    stopBot = start(old, 'back', () => true);
    await expect
      .poll(async () => JSON.stringify((await get('/leaderboard?limit=100')).body), PATIENT)
      .toContain('"back ');
    await stopBot();
    await expectNothingLost();

    // Forward again, and last the version of the data, while the new bot writes.
    stopNew = start(newBot(client), 'new', () => true);
    const upgraded = await runCommand('guild', ['upgrade', 'g'], env);
    expect(upgraded, upgraded.stderr).toMatchObject({ code: 0, stdout: 'guild g: version 1 -> 2\n' });
    const rebuilt = await runCommand('stats', ['rebuild', 'g'], env);
    expect(rebuilt.code, rebuilt.stderr).toBe(0);
    await stopNew();
    await expectNothingLost();
    await createWriter(client).hide('g', ['u5', 'u6']);
    expect((await fetch(`${service.url}/api/v1/servers/g/members/u5`, { headers: { 'x-api-key': key } })).status).toBe(
      404,
    );
    await createWriter(client).unhide('g', ['u5', 'u6']);
    await expectNothingLost();
    expect(await client.hgetall('gr:{g}:config')).toEqual({ plan: 'pro', xp_curve: 'amari', xp_multiplier: '1.5' });
    await service.stop();
  });
});
