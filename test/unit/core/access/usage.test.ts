import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Usage } from '../../../../src/core/access/usage.ts';
import { readUsage, sumOfHours } from '../../../../src/core/access/usage-reader.ts';
import { type Core, openCore } from '../../../../src/core/core.ts';
import { StoreUnavailableError } from '../../../../src/core/errors.ts';
import { deleteGuild } from '../../../../src/core/guilds/delete.ts';
import { RedisKeys } from '../../../../src/core/store/redis-keys.ts';
import type { Scripts } from '../../../../src/core/store/scripts.ts';
import { describeStores, realStore, type TestStore } from '../../../support/stores.ts';
import { randomRuns } from '../../../support/variants.ts';

const HOUR = 3_600_000;
const START = Date.parse('2026-01-15T12:30:00Z');

/** How a call to Redis ends: as it should, lost before it arrives, done without a reply, or done when a later call was sent already. */
type Fate = 'done' | 'lost' | 'unanswered' | 'late';

/** Counts requests of one API key. */
function count(usage: Usage, guildId: string, keyId: string, ...allowed: boolean[]): void {
  const identity = { guildId, plan: 'free', keyId, origins: [], cap: null };
  for (const each of allowed) usage.count(identity, each);
}

describeStores('the usage of a guild', (kind) => {
  let testStore: TestStore;
  let store: Core;
  let now: number;
  let fate: Fate;
  /** Calls that Redis does when a later one has been sent. */
  let late: (() => Promise<unknown>)[];
  beforeAll(async () => {
    testStore = await kind.start();
    store = openCore(testStore.client, 'gr');
  });
  afterAll(() => testStore.stop());
  beforeEach(async () => {
    await testStore.empty();
    now = START;
    fate = 'done';
    late = [];
    for (const guild of ['g', 'h']) await list(guild, 'a', 'b');
  });

  const list = (guild: string, ...keyIds: string[]) =>
    store.client.hset(`gr:{${guild}}:keys`, Object.fromEntries(keyIds.map((id) => [id, `sha of ${id}`])));

  const newProcess = () => {
    const run = async (...command: Parameters<Scripts['run']>) => {
      const send = () => store.scripts.run(...command);
      const isUnanswered = fate === 'unanswered';
      if (fate === 'late') late.push(send);
      if (fate === 'lost' || fate === 'late') throw new StoreUnavailableError(new Error('lost'));
      const reply = await send();
      for (const sendLate of late.splice(0)) await sendLate();
      if (isUnanswered) throw new StoreUnavailableError(new Error('no reply'));
      return reply;
    };
    return new Usage({ ...store, scripts: { run } as Scripts }, () => now);
  };
  const read = (guild = 'g') => readUsage(store, guild, now);

  it('usage goes on after a clock that was 400 days ahead, and keeps nothing of that time', async () => {
    const usage = newProcess();
    now += 400 * 24 * HOUR;
    count(usage, 'g', 'a', true);
    await usage.write();
    now = START;
    count(usage, 'g', 'a', true);
    await usage.write();
    expect((await read()).ofKey('a')).toMatchObject({ requests: 1, lastUsed: '2026-01-15T12:30:00.000Z' });
    const hours = Object.keys(await store.client.hgetall('gr:{g}:usage')).filter((field) => /^\d/.test(field));
    expect(hours).toEqual([`${START / HOUR - 0.5}:a`]);
  });

  it('usage has requests without an API key apart from requests with a key', async () => {
    const usage = newProcess();
    for (let i = 0; i < 3; i++) usage.countPublic('g', 'data');
    usage.countPublic('h', 'page');
    now += 25 * HOUR;
    for (const use of ['data', 'page'] as const) usage.countPublic('g', use);
    count(usage, 'g', 'a', true);
    await usage.write();
    const { publicUse, hours, isUsed } = await read();
    expect(publicUse).toEqual({ page: { hour: 1, day: 1, week: 1 }, data: { hour: 1, day: 1, week: 4 } });
    expect(sumOfHours(hours)).toEqual({ requests: 1, refused: 0 });
    expect(isUsed).toBe(true);
    const other = await read('h');
    expect([other.publicUse, other.isUsed]).toEqual([
      { page: { hour: 0, day: 0, week: 1 }, data: { hour: 0, day: 0, week: 0 } },
      false,
    ]);
  });

  it('usage has the requests and refusals of each key and hour, and when each key was used last', async () => {
    const usage = newProcess();
    count(usage, 'g', 'a', true, true, false);
    now += HOUR;
    count(usage, 'g', 'a', true);
    count(usage, 'g', 'b', false);
    await usage.write();
    const { hours, isUsed, ofKey } = await read();
    expect(isUsed).toBe(true);
    expect(hours).toHaveLength(168);
    expect(hours.slice(-2)).toEqual([
      { startsAt: '2026-01-15T12:00:00.000Z', requests: 2, refused: 1 },
      { startsAt: '2026-01-15T13:00:00.000Z', requests: 1, refused: 1 },
    ]);
    expect(sumOfHours(hours)).toEqual({ requests: 3, refused: 2 });
    const lastUsed = '2026-01-15T13:30:00.000Z';
    const all = { requests: 3, refused: 1 };
    expect(ofKey('a')).toEqual({ lastUsed, requests: 1, refused: 0, day: all, week: all });
    const one = { requests: 0, refused: 1 };
    expect(ofKey('b')).toEqual({ lastUsed, ...one, day: one, week: one });
    const none = { requests: 0, refused: 0 };
    expect(ofKey('c')).toEqual({ lastUsed: null, ...none, day: none, week: none });
    now += 23 * HOUR;
    expect((await read()).ofKey('a')).toMatchObject({ requests: 0, day: { requests: 1, refused: 0 }, week: all });
    expect((await read('h')).isUsed).toBe(false);
  });

  it('usage is the naive count of all requests of several processes, whatever becomes of their calls', async () => {
    const requests = fc.record({
      process: fc.nat(2),
      guild: fc.constantFrom('g', 'h'),
      key: fc.constantFrom('a', 'b'),
      allowed: fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
    });
    const write = fc.record({
      process: fc.nat(2),
      fate: fc.constantFrom<Fate>('done', 'lost', 'unanswered', 'late'),
      laterMs: fc.constantFrom(0, 10_000, HOUR),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(requests, write), { maxLength: 40 }), async (steps) => {
        await testStore.empty();
        await list('g', 'a', 'b');
        await list('h', 'a', 'b');
        now = START;
        late = [];
        const processes = [newProcess(), newProcess(), newProcess()];
        const naive = new Map<string, number>();
        for (const step of steps) {
          const usage = processes[step.process] as Usage;
          if ('fate' in step) {
            fate = step.fate;
            now += step.laterMs;
            await usage.write().catch(() => {});
          } else {
            count(usage, step.guild, step.key, ...step.allowed);
            for (const allowed of step.allowed) {
              const field = `${step.guild} ${Math.floor(now / HOUR)}:${step.key}${allowed ? '' : ':refused'}`;
              naive.set(field, (naive.get(field) ?? 0) + 1);
            }
          }
        }
        fate = 'done';
        for (const usage of processes) await usage.write();
        for (const sendLate of late.splice(0)) await sendLate();
        const stored = new Map<string, number>();
        for (const guild of ['g', 'h']) {
          for (const [field, value] of Object.entries(await store.client.hgetall(`gr:{${guild}}:usage`))) {
            if (/^\d/.test(field)) stored.set(`${guild} ${field}`, Number(value));
          }
        }
        expect(stored).toEqual(naive);
      }),
      { numRuns: randomRuns(kind === realStore ? 300 : 30) },
    );
  });

  it('usage is kept for eight days, and disappears when the guild is no longer used', async () => {
    const usage = newProcess();
    count(usage, 'g', 'a', true);
    await usage.write();
    const first = Math.floor(START / HOUR);
    now += 191 * HOUR;
    const next = newProcess();
    count(next, 'g', 'a', true);
    await next.write();
    expect(await store.client.hget('gr:{g}:usage', `${first}:a`)).toBe('1');
    now += HOUR;
    count(next, 'g', 'a', true);
    await next.write();
    // The count and the number of the last call of the process that has ended.
    const fields = Object.keys(await store.client.hgetall('gr:{g}:usage')).map((field) => field.replace(/^w:.*/, 'w'));
    expect(fields.sort()).toEqual([`${first + 191}:a`, `${first + 192}:a`, 'from', 'w']);
    expect(await store.client.ttl('gr:{g}:usage')).toBeGreaterThan(191 * 3600);
    expect(await store.client.ttl('gr:{g}:keys:used')).toBe(-1);
    expect((await read()).ofKey('a').lastUsed).toBe(new Date(now).toISOString());
  });

  it('the last use of a key never moves back when another process writes later', async () => {
    const one = newProcess();
    const other = newProcess();
    count(one, 'g', 'a', true);
    now += 1000;
    count(other, 'g', 'a', true);
    await other.write();
    await one.write();
    expect((await read()).ofKey('a')).toMatchObject({ lastUsed: new Date(START + 1000).toISOString(), requests: 2 });
  });

  it('usage keeps what a revoked key has used, but not the key, and nothing of a deleted guild', async () => {
    const usage = newProcess();
    const { record } = await store.apiKeys.create('g', 'x', null);
    count(usage, 'g', record.id, true);
    await usage.write();
    count(usage, 'g', record.id, true);
    await store.apiKeys.revoke('g', record.id);
    await usage.write();
    expect(sumOfHours((await read()).hours)).toEqual({ requests: 2, refused: 0 });
    expect(await store.client.hgetall('gr:{g}:keys:used')).toEqual({});
    count(usage, 'g', 'a', true);
    await deleteGuild(store, 'g');
    await usage.write();
    expect(await store.client.keys('gr:{g}*')).toEqual(['gr:{g}:sessions']);
  });

  it.each([
    ['whose usage was written before', 'usage', { from: '0' }],
    ['with members', 'stats', { members: '1' }],
    ['with settings', 'config', { plan: 'free' }],
  ])('usage counts what the last API key of a guild %s has used, after it is revoked', async (_, key, fields) => {
    const usage = newProcess();
    const { record } = await store.apiKeys.create('new', 'x', null);
    await store.client.hset(`gr:{new}:${key}`, fields);
    count(usage, 'new', record.id, true, false);
    await store.apiKeys.revoke('new', record.id);
    await usage.write();
    expect(sumOfHours((await read('new')).hours)).toEqual({ requests: 1, refused: 1 });
  });
});

it('usage of 100,000 guilds waits in bounded memory while Redis refuses it, and a write then asks Redis about one step of guilds alone', async () => {
  let calls = 0;
  let isRefused = true;
  const run = async () => {
    calls++;
    if (isRefused) throw new StoreUnavailableError(new Error('NOPERM'));
  };
  const usage = new Usage({ scripts: { run } as unknown as Scripts, redisKeys: new RedisKeys('gr') }, () => START);
  for (let i = 0; i < 100_000; i++) count(usage, `g${i}`, 'a', true);
  await expect(usage.write()).rejects.toThrow('The store');
  expect(calls).toBe(100);
  isRefused = false;
  await usage.write();
  expect(calls).toBe(100 + 50_000);
  await usage.write();
  expect(calls).toBe(100 + 50_000);
});

it('usage of many guilds is sent a few at a time, so that no request waits for all of them', async () => {
  let sent = 0;
  let most = 0;
  let isWriting = true;
  const run = async () => void sent++;
  const usage = new Usage({ scripts: { run } as unknown as Scripts, redisKeys: new RedisKeys('gr') }, () => START);
  for (let i = 0; i < 1000; i++) count(usage, `g${i}`, 'a', true);
  const turn = () => {
    most = Math.max(most, sent);
    sent = 0;
    if (isWriting) setImmediate(turn);
  };
  turn();
  await usage.write();
  isWriting = false;
  expect(Math.max(most, sent)).toBeLessThanOrEqual(20);
});

it('usage that already waits is still counted when there is no more room, and there is room again once it is written', async () => {
  const written = new Map<string, number>();
  const run = async (_name: string, [usageKey = '']: string[], ...args: (string | number)[]) => {
    const [, , , , , , , requests] = args;
    written.set(usageKey, (written.get(usageKey) ?? 0) + Number(requests));
  };
  const usage = new Usage({ scripts: { run } as unknown as Scripts, redisKeys: new RedisKeys('gr') }, () => START);
  for (let i = 0; i < 50_000; i++) count(usage, `g${i}`, 'a', true);
  count(usage, 'g0', 'a', true);
  count(usage, 'late', 'a', true);
  await usage.write();
  expect([written.size, written.get('gr:{g0}:usage'), written.has('gr:{late}:usage')]).toEqual([50_000, 2, false]);
  for (let i = 0; i < 1000; i++) count(usage, `h${i}`, 'a', true);
  await usage.write();
  expect(written.size).toBe(51_000);
});

describe('beside a shard of a Cluster that is down', () => {
  /** Returns the usage of one process, the first letters of the guilds that are on no serving shard, and the guilds that were written. */
  function process(down: string) {
    const shards = { down, calls: 0, written: new Set<string>() };
    const run = async (_name: string, [usageKey = '']: string[]) => {
      shards.calls++;
      const guild = usageKey.slice('gr:{'.length, -'}:usage'.length);
      if (shards.down.includes(guild.charAt(0))) throw new StoreUnavailableError(new Error('Connection is closed'));
      shards.written.add(guild);
    };
    return {
      usage: new Usage({ scripts: { run } as unknown as Scripts, redisKeys: new RedisKeys('gr') }, () => START),
      shards,
    };
  }

  it('guilds on shards that serve are written each time, however many guilds of a failed shard wait', async () => {
    const { usage, shards } = process('d');
    for (const requests of [300, 600, 900]) {
      for (let i = requests - 300; i < requests; i++) {
        count(usage, `d${i}`, 'a', true);
        count(usage, `h${i}`, 'a', true);
      }
      shards.calls = 0;
      await expect(usage.write()).rejects.toThrow('The store');
      expect(shards.written.size).toBe(requests);
      // Those of the other shard are asked for once, and then one step of those that failed before.
      expect(shards.calls).toBeLessThanOrEqual(600 + 100);
    }
  });

  it('guilds on a shard that is back are written, although others fail again', async () => {
    const { usage, shards } = process('de');
    for (const letter of ['d', 'e']) {
      for (let i = 0; i < 200; i++) count(usage, `${letter}${i}`, 'a', true);
    }
    await expect(usage.write()).rejects.toThrow('The store');
    shards.down = 'd';
    for (let attempt = 0; attempt < 2; attempt++) await expect(usage.write()).rejects.toThrow('The store');
    expect(shards.written.size).toBe(200);
  });

  it('a write reports an outage before the refusal of a single guild, so that a stop tries again', async () => {
    const run = async (_name: string, [usageKey = '']: string[]) => {
      throw new StoreUnavailableError(new Error(usageKey.includes('bad') ? 'WRONGTYPE' : 'Connection is closed'));
    };
    const usage = new Usage({ scripts: { run } as unknown as Scripts, redisKeys: new RedisKeys('gr') }, () => START);
    count(usage, 'bad', 'a', true);
    count(usage, 'g', 'a', true);
    await expect(usage.write()).rejects.toMatchObject({ code: 'unreachable' });
  });
});
