import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Quotas } from '../../../../src/core/access/quotas.ts';
import { CommandBatcher } from '../../../../src/core/reads/command-batcher.ts';
import type { RedisClient } from '../../../../src/core/store/client.ts';
import { RedisKeys } from '../../../../src/core/store/redis-keys.ts';
import { Scripts } from '../../../../src/core/store/scripts.ts';
import { RequestBatcher } from '../../../../src/service/serving/request-batcher.ts';
import type { CacheableRead } from '../../../../src/service/serving/response-cache.ts';
import { noCache } from '../../../support/no-cache.ts';
import { connectMock } from '../../../support/redis-mock.ts';
import { randomRuns } from '../../../support/variants.ts';

const PLANS = new Map([
  ['free', 1000],
  ['small', 3],
]);

let client: RedisClient;
let commands: CommandBatcher;
let batcher: RequestBatcher<string>;
/** The lines of each Redis command that was sent. */
let sent: string[][];

beforeEach(() => {
  client = connectMock();
  const scripts = new Scripts(client);
  sent = [];
  const run = scripts.run.bind(scripts);
  vi.spyOn(scripts, 'run').mockImplementation((name, keys, ...args) => {
    sent.push(String(args[0]).trim().split(/ *\n/));
    return run(name, keys, ...args);
  });
  commands = new CommandBatcher(scripts, new RedisKeys('gr'), { client });
  batcher = new RequestBatcher(new Quotas(commands, PLANS), { count: () => {} }, noCache(), commands);
});

/** Returns a read of the guild's statistics whose response is its cache key. */
function readOf(cacheKey: string, guildId = 'g'): CacheableRead<string> {
  return {
    cacheKey,
    command: {
      ...{ guildId, line: `stats ${cacheKey}`, weight: 1, isOfBoard: false, isPublic: false },
      decode: () => ({ revision: '', value: cacheKey }),
    },
    render: (value) => `response ${value}`,
  };
}

/** Returns the read with a reply that cannot be decoded. */
function broken(read: CacheableRead<string>): CacheableRead<string> {
  const decode = () => {
    throw new Error('broken');
  };
  return { ...read, command: { ...read.command, decode } };
}

async function load(guildId: string, read?: CacheableRead<string>, plan = 'free') {
  const { quota, response, error } = await batcher.load({ guildId, plan, keyId: 'k', origins: [], cap: null }, read);
  return { remaining: quota.remaining, response, error };
}

describe('requests of one moment', () => {
  it('requests of one moment share a Redis command, a count for each guild, and a read when they ask for the same', async () => {
    await Promise.all([
      load('g', readOf('p1')),
      load('h', readOf('p1h', 'h')),
      load('g', readOf('p1')),
      load('g', readOf('p2')),
      load('g'),
    ]);
    expect(sent).toEqual([['count 4 3600 1000', 'stats p1', 'stats p2', 'guild 6', 'count 1 3600 1000', 'stats p1h']]);
  });

  it('keys with caps have a line each in the batch, and all other keys share a line that is the same as without caps', async () => {
    const of = (keyId: string, cap: number | null) =>
      batcher.load({ guildId: 'g', plan: 'free', keyId, origins: [], cap }, undefined);
    await Promise.all([of('a', null), of('b', 5), of('c', null), of('d', 5), of('b', 5)]);
    expect(sent).toEqual([['count 2 3600 1000', 'capped 2 3600 1000 b 5', 'capped 1 3600 1000 d 5']]);
  });

  it('reads without a count share the command with other requests, and equal reads share one read', async () => {
    const [, page, again, failed] = await Promise.all([
      load('g', readOf('a')),
      batcher.read(readOf('b')),
      batcher.read(readOf('b')),
      batcher.read(broken(readOf('c'))),
    ]);
    expect(sent).toEqual([['count 1 3600 1000', 'stats a', 'stats b', 'stats c']]);
    for (const result of [page, again]) expect(result).toEqual({ response: 'response b', error: undefined });
    expect(failed.error).toMatchObject({ message: 'broken' });
  });

  it('reads without a count leave in batches of thirty-two too', async () => {
    await Promise.all(Array.from({ length: 70 }, (_, i) => batcher.read(readOf(`r${i}`))));
    expect(sent.map((lines) => lines.length)).toEqual([32, 32, 6]);
  });

  it('requests of one guild get their places in the quota in the order they came', async () => {
    const results = await Promise.all([
      load('g', readOf('a'), 'small'),
      load('g', undefined, 'small'),
      load('g', readOf('b'), 'small'),
      load('g', readOf('a'), 'small'),
    ]);
    expect(results).toEqual([
      { remaining: 2, response: 'response a', error: undefined },
      { remaining: 1, response: undefined, error: undefined },
      { remaining: 0, response: 'response b', error: undefined },
      { remaining: 0, response: 'response a', error: undefined },
    ]);
    const { quota } = await batcher.load(
      { guildId: 'g', plan: 'small', keyId: 'k', origins: [], cap: null },
      undefined,
    );
    expect(quota).toMatchObject({ allowed: false, limit: 3, remaining: 0 });
  });

  it('requests are counted exactly as one by one, however they fall together', async () => {
    const request = fc.tuple(fc.constantFrom('g', 'h'), fc.constantFrom('x', 'y', undefined));
    const moments = fc.array(fc.array(request, { maxLength: 20 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(moments, async (script) => {
        await client.flushall();
        const left = { g: 1000, h: 1000 };
        for (const moment of script) {
          const results = await Promise.all(moment.map(([guild, key]) => load(guild, key && readOf(key, guild))));
          for (const [i, [guild, key]] of moment.entries()) {
            left[guild as 'g' | 'h']--;
            const response = key && `response ${key}`;
            expect(results[i]).toEqual({ remaining: left[guild as 'g' | 'h'], response, error: undefined });
          }
        }
      }),
      { numRuns: randomRuns(50) },
    );
  });

  it('requests of a guild whose plan changes are counted under both plans, on one counter', async () => {
    const results = await Promise.all([load('g'), load('g', undefined, 'small')]);
    expect(results.map(({ remaining }) => remaining)).toEqual([999, 1]);
  });

  it('requests leave in batches of thirty-two, the rest at the end of the round', async () => {
    const requests = Array.from({ length: 72 }, () => load('g'));
    expect(sent).toEqual([['count 32 3600 1000'], ['count 32 3600 1000']]);
    await Promise.all(requests);
    expect(sent).toEqual([['count 32 3600 1000'], ['count 32 3600 1000'], ['count 8 3600 1000']]);
    const results = await Promise.all(requests);
    expect(results.map(({ remaining }) => remaining)).toEqual(Array.from({ length: 72 }, (_, i) => 999 - i));
  });

  it('requests do not wait for requests of a later moment', async () => {
    await load('g');
    await load('g');
    expect(sent).toEqual([['count 1 3600 1000'], ['count 1 3600 1000']]);
  });
});

describe('a failure', () => {
  it('a failed read fails the requests that share it, and tells them what is left of the quota', async () => {
    const [one, other, third] = await Promise.all([
      load('g', broken(readOf('a'))),
      load('g', readOf('b')),
      load('g', readOf('a')),
    ]);
    expect([one, third]).toMatchObject([
      { remaining: 999, response: undefined, error: new Error('broken') },
      { remaining: 997, response: undefined, error: new Error('broken') },
    ]);
    expect(other).toEqual({ remaining: 998, response: 'response b', error: undefined });
  });

  it('a failed count fails all requests of that guild and no other', async () => {
    await client.hset('gr:quota:{g}', 'not', 'a counter');
    const results = await Promise.allSettled([
      load('g', readOf('a')),
      load('h', readOf('ah', 'h')),
      load('g', broken(readOf('b'))),
      load('g'),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'rejected']);
    for (const result of [results[0], results[2], results[3]]) {
      expect((result as PromiseRejectedResult).reason).toMatchObject({ name: 'StoreUnavailableError' });
    }
  });

  it('a failed connection fails all requests of the batch, and leaves the next requests alone', async () => {
    vi.spyOn(client, 'evalsha').mockRejectedValueOnce(new Error('down'));
    const results = await Promise.allSettled([load('g', readOf('a')), load('h'), load('g')]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(await load('g', readOf('a'))).toMatchObject({ response: 'response a' });
  });
});
