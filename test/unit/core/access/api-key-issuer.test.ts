import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ApiKeyIssuer, KEY_NAME_PATTERN, MAX_KEYS } from '../../../../src/core/access/api-key-issuer.ts';
import { hashKey } from '../../../../src/core/access/key-format.ts';
import { RefusedError, StoreUnavailableError } from '../../../../src/core/errors.ts';
import type { RedisClient } from '../../../../src/core/store/client.ts';
import { RedisKeys } from '../../../../src/core/store/redis-keys.ts';
import { withStoreErrors } from '../../../../src/core/store/store.ts';
import { mockStore, type TestStore } from '../../../support/stores.ts';

const START = Date.parse('2026-01-15T12:00:00Z');
const DAY = 86_400_000;
let testStore: TestStore;
let apiKeys: ApiKeyIssuer;
let now: number;
let published: string[];

beforeAll(async () => {
  testStore = await mockStore.start();
  const subscriber = testStore.connect();
  await subscriber.subscribe('gr:changed');
  subscriber.on('message', (_channel, guildId) => published.push(guildId));
});
afterAll(() => testStore.stop());
beforeEach(async () => {
  await testStore.empty();
  now = START;
  published = [];
  apiKeys = new ApiKeyIssuer({ client: testStore.client, redisKeys: new RedisKeys('gr') }, () => now);
});

/** Returns a store whose client has other commands. */
function storeWith(commands: object): ApiKeyIssuer {
  const client = Object.assign(Object.create(testStore.client), commands);
  return new ApiKeyIssuer({ client: withStoreErrors(client), redisKeys: new RedisKeys('gr') }, () => now);
}

/** Returns a store that does some work after it has listed a key, before it stores the record. */
function storeBeforeRecord(work: () => Promise<unknown>, commands: object = {}): ApiKeyIssuer {
  let transactions = 0;
  return storeWith({
    ...commands,
    multi: () => {
      const multi = testStore.client.multi();
      transactions++;
      if (transactions !== 2) return multi;
      const exec = multi.exec.bind(multi);
      return Object.assign(multi, { exec: () => work().then(() => exec()) });
    },
  });
}

describe('create', () => {
  it('a new key is stored under its hash, and listed with its guild', async () => {
    const { key, record } = await apiKeys.create('g', 'widget', DAY, ['https://a.example', 'https://b.example'], 200);
    expect(record).toEqual({
      id: expect.stringMatching(/^[0-9A-Za-z]{10}$/),
      guildId: 'g',
      name: 'widget',
      createdAt: '2026-01-15T12:00:00.000Z',
      expiresAt: '2026-01-16T12:00:00.000Z',
      lifetimeMs: DAY,
      origins: ['https://a.example', 'https://b.example'],
      cap: 200,
      prefix: key.slice(0, 7),
    });
    expect(await testStore.client.hgetall('gr:{g}:keys')).toEqual({ [record.id]: hashKey(key) });
    expect(await testStore.client.hgetall(`gr:key:${hashKey(key)}`)).toEqual({
      id: record.id,
      guild_id: 'g',
      name: 'widget',
      created_at: '2026-01-15T12:00:00.000Z',
      expires_at: '2026-01-16T12:00:00.000Z',
      lifetime_ms: String(DAY),
      origins: 'https://a.example https://b.example',
      cap: '200',
      prefix: record.prefix,
    });
    expect(await testStore.client.ttl(`gr:key:${hashKey(key)}`)).toBe(-1);
    expect(await apiKeys.find(hashKey(key))).toEqual(record);
  });

  it('a new key without expiry, origins and cap stores none of them', async () => {
    const { key, record } = await apiKeys.create('g', 'tool', null);
    expect(record).toMatchObject({ expiresAt: null, origins: [], cap: null });
    expect(Object.keys(await testStore.client.hgetall(`gr:key:${hashKey(key)}`)).sort()).toEqual([
      'created_at',
      'guild_id',
      'id',
      'name',
      'prefix',
    ]);
    expect(await apiKeys.find(hashKey(key))).toEqual(record);
  });
});

describe('find', () => {
  it('a key without a record, or without a key id or a guild in it, is not found', async () => {
    expect(await apiKeys.find('none')).toBeNull();
    await testStore.client.hset('gr:key:half', 'id', 'k');
    expect(await apiKeys.find('half')).toBeNull();
    await testStore.client.hset('gr:key:other', 'guild_id', 'g');
    expect(await apiKeys.find('other')).toBeNull();
  });

  it('a record with only a key id and a guild is read', async () => {
    await testStore.client.hset('gr:key:bare', { id: 'k', guild_id: 'g', expires_at: '' });
    const bare = {
      id: 'k',
      guildId: 'g',
      name: '',
      createdAt: '',
      expiresAt: null,
      lifetimeMs: null,
      origins: [],
      cap: null,
      prefix: '',
    };
    expect(await apiKeys.find('bare')).toEqual(bare);
  });

  it('a look-up fails when the store does', async () => {
    const client = withStoreErrors({ hgetall: () => Promise.reject(new Error('down')) }) as unknown as RedisClient;
    const store = new ApiKeyIssuer({ client, redisKeys: new RedisKeys('gr') }, () => now);
    await expect(store.find('x')).rejects.toThrow(StoreUnavailableError);
  });
});

describe('list', () => {
  it('the list has the keys of a guild, oldest first, and keys of the same age by id', async () => {
    await apiKeys.create('h', 'foreign', null);
    const created: { id: string; createdAt: string }[] = [];
    for (const at of [2, 2, 2, 2, 0, 1]) {
      now = START + at * DAY;
      created.push((await apiKeys.create('g', `day ${at}`, null)).record);
    }
    const wanted = created
      .map(({ id, createdAt }) => `${createdAt} ${id}`)
      .sort((a, b) => a.slice(0, 24).localeCompare(b.slice(0, 24)) || a.slice(25).localeCompare(b.slice(25)));
    expect((await apiKeys.list('g')).map(({ id, createdAt }) => `${createdAt} ${id}`)).toEqual(wanted);
  });

  it('the list has a key without a record as unfinished, and first', async () => {
    const { record } = await apiKeys.create('g', 'here', null);
    const { key, record: lost } = await apiKeys.create('g', 'gone', DAY);
    await testStore.client.del(`gr:key:${hashKey(key)}`);
    const unfinished = { id: lost.id, guildId: 'g', name: '', createdAt: '', expiresAt: null, isUnfinished: true };
    expect(await apiKeys.list('g')).toEqual([expect.objectContaining(unfinished), record]);
  });
});

describe('revoke', () => {
  it('the revocation of a key publishes the invalidation', async () => {
    const { key, record } = await apiKeys.create('g', 'leaving', null);
    const { record: other } = await apiKeys.create('g', 'staying', null);
    await apiKeys.revoke('g', record.id);
    expect(await apiKeys.find(hashKey(key))).toBeNull();
    expect(Object.keys(await testStore.client.hgetall('gr:{g}:keys'))).toEqual([other.id]);
    await expect.poll(() => published).toEqual(['g']);
  });

  it('the revocation of keys with a cap deletes their counts', async () => {
    const one = await apiKeys.create('g', 'a', null, [], 5);
    const other = await apiKeys.create('g', 'b', null, [], 5);
    const countOf = ({ record }: typeof one) => `gr:quota:{g}:${record.id}`;
    await testStore.client.mset(countOf(one), '3', countOf(other), '4');
    await apiKeys.revoke('g', one.record.id);
    expect(await testStore.client.mget(countOf(one), countOf(other))).toEqual([null, '4']);
    await apiKeys.revokeAll('g');
    expect(await testStore.client.exists(countOf(other))).toBe(0);
    await expect.poll(() => published).toEqual(['g', 'g']);
  });

  it("the revocation of a key that the guild does not have is refused by the key's name", async () => {
    const { record } = await apiKeys.create('h', 'foreign', null);
    const refusal = apiKeys.revoke('g', record.id);
    await expect(refusal).rejects.toThrow(RefusedError);
    await expect(refusal).rejects.toThrow(
      `Guild g has no API key ${record.id}: look up the id in the list of its API keys`,
    );
    expect(published).toEqual([]);
  });

  it('the revocation of all keys of a guild counts them', async () => {
    const first = await apiKeys.create('g', 'a', null);
    await apiKeys.create('g', 'b', null);
    const foreign = await apiKeys.create('h', 'c', null);
    expect(await apiKeys.revokeAll('g')).toBe(2);
    expect(await apiKeys.find(hashKey(first.key))).toBeNull();
    expect(await testStore.client.exists('gr:{g}:keys')).toBe(0);
    expect(await apiKeys.find(hashKey(foreign.key))).not.toBeNull();
    await expect.poll(() => published).toEqual(['g']);
  });
});

describe('rotate', () => {
  const endLock = (id: string) => testStore.client.del(`gr:{g}:keys:rotating:${id}`);
  const expiryOf = async (key: string) => (await apiKeys.find(hashKey(key)))?.expiresAt;

  it('a rotation creates a key of the same name, lifetime, origins and cap; the old key expires after the overlap', async () => {
    const old = await apiKeys.create('g', 'widget', 10 * DAY, ['https://a.example'], 200);
    now = START + 3 * DAY;
    const { key, record, replaced } = await apiKeys.rotate('g', old.record.id, DAY);
    expect(replaced).toEqual({ ...old.record, expiresAt: '2026-01-19T12:00:00.000Z' });
    expect(record).toMatchObject({
      name: 'widget',
      createdAt: '2026-01-18T12:00:00.000Z',
      expiresAt: '2026-01-28T12:00:00.000Z',
      origins: ['https://a.example'],
      cap: 200,
    });
    expect(await apiKeys.find(hashKey(key))).toEqual(record);
    expect(await expiryOf(old.key)).toBe('2026-01-19T12:00:00.000Z');
    await expect.poll(() => published).toEqual(['g']);
  });

  it('a rotation lets a key without expiry expire after the overlap; the new key does not expire', async () => {
    const old = await apiKeys.create('g', 'widget', null);
    const { record } = await apiKeys.rotate('g', old.record.id, DAY);
    expect(record.expiresAt).toBeNull();
    expect(await expiryOf(old.key)).toBe('2026-01-16T12:00:00.000Z');
  });

  it('a rotation does not extend a key that expires before the overlap ends', async () => {
    const old = await apiKeys.create('g', 'widget', DAY);
    const { replaced } = await apiKeys.rotate('g', old.record.id, 2 * DAY);
    expect(replaced).toEqual(old.record);
    expect(await expiryOf(old.key)).toBe('2026-01-16T12:00:00.000Z');
  });

  it('a rotation waits ten seconds for another rotation that began while the clock was 400 days ahead', async () => {
    const old = await apiKeys.create('g', 'widget', null);
    const lock = `gr:{g}:keys:rotating:${old.record.id}`;
    await testStore.client.set(lock, 'x', 'PX', 400 * DAY);
    await expect(apiKeys.rotate('g', old.record.id, DAY)).rejects.toMatchObject({ code: 'key_rotated' });
    expect(await testStore.client.pttl(lock)).toBeLessThanOrEqual(10_000);
  });

  it('each successor has the lifetime of the first key, however often it is rotated', async () => {
    const old = await apiKeys.create('g', 'widget', 10 * DAY);
    await apiKeys.rotate('g', old.record.id, DAY);
    await endLock(old.record.id);
    const again = await apiKeys.rotate('g', old.record.id, DAY);
    const next = await apiKeys.rotate('g', again.record.id, DAY);
    expect([again, next].map(({ record }) => record.expiresAt)).toEqual(Array(2).fill('2026-01-25T12:00:00.000Z'));
  });

  it('a rotation without an overlap revokes the old key', async () => {
    const old = await apiKeys.create('g', 'widget', null);
    const { record, replaced } = await apiKeys.rotate('g', old.record.id, 0);
    expect(replaced).toBeNull();
    expect(await apiKeys.find(hashKey(old.key))).toBeNull();
    expect(await apiKeys.list('g')).toEqual([record]);
  });

  it.each([0, 2 * DAY])(
    'a second rotation is refused during the first and soon after it, with an overlap of %s ms',
    async (overlap) => {
      const { key, record } = await apiKeys.create('g', 'widget', null);
      const refused: unknown[] = [];
      const rotateToo = async () => {
        refused.push(await apiKeys.rotate('g', record.id, overlap).catch((error) => error));
      };
      const rotated = await storeBeforeRecord(rotateToo).rotate('g', record.id, DAY);
      await rotateToo();
      expect(refused).toEqual([expect.any(RefusedError), expect.any(RefusedError)]);
      expect(String(refused)).toContain(
        `The API key ${record.id} of guild g was rotated a moment ago: use the new API key of that rotation. If nobody has the new API key, revoke it, and try again in 10 s`,
      );
      expect(await expiryOf(key)).toBe('2026-01-16T12:00:00.000Z');
      expect((await apiKeys.list('g')).map(({ id }) => id).sort()).toEqual([record.id, rotated.record.id].sort());
      await endLock(record.id);
      await expect(apiKeys.rotate('g', record.id, overlap)).resolves.toHaveProperty('key');
    },
  );

  it('a rotation says that the key is gone when somebody else revokes it meanwhile', async () => {
    const { record } = await apiKeys.create('g', 'widget', null);
    const store = storeBeforeRecord(() => apiKeys.revoke('g', record.id));
    expect((await store.rotate('g', record.id, DAY)).replaced).toBeNull();
  });

  it('a rotation leaves no key that nobody has seen when Redis refuses the end of the old key', async () => {
    const old = await apiKeys.create('g', 'widget', null);
    const full = storeWith({ hset: () => Promise.reject(new Error('OOM command not allowed')) });
    await expect(full.rotate('g', old.record.id, DAY)).rejects.toThrow(StoreUnavailableError);
    expect(await apiKeys.list('g')).toEqual([old.record]);
    expect(await testStore.client.keys('gr:key:*')).toEqual([`gr:key:${hashKey(old.key)}`]);
  });

  it.each([0, DAY])(
    'a rotation shows the new key when Redis refuses to publish, with an overlap of %s ms',
    async (overlap) => {
      const old = await apiKeys.create('g', 'widget', null);
      const mute = storeWith({ publish: () => Promise.reject(new Error('NOPERM no permissions to access a channel')) });
      const { key, replaced } = await mute.rotate('g', old.record.id, overlap);
      expect(await apiKeys.find(hashKey(key))).not.toBeNull();
      expect(await apiKeys.find(hashKey(old.key))).toEqual(replaced);
    },
  );

  it('a rotation can be tried again at once when it was refused, and soon when it was killed', async () => {
    const { record } = await apiKeys.create('g', 'widget', null);
    const full = storeBeforeRecord(() => Promise.reject(new Error('OOM command not allowed')));
    await expect(full.rotate('g', record.id, DAY)).rejects.toThrow(StoreUnavailableError);
    const killed = storeWith({ hgetall: () => Promise.reject(new Error('killed')), del: () => new Promise(() => {}) });
    void killed.rotate('g', record.id, DAY).catch(() => {});
    await expect.poll(() => testStore.client.keys('*rotating*')).toHaveLength(1);
    const [lock = ''] = await testStore.client.keys('*rotating*');
    const left = await testStore.client.pttl(lock);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(10_000);
    await testStore.client.del(lock);
    await expect(apiKeys.rotate('g', record.id, DAY)).resolves.toHaveProperty('key');
  });

  it('a rotation of a key without a record is refused with the fix', async () => {
    const { key, record } = await apiKeys.create('g', 'widget', null);
    await testStore.client.del(`gr:key:${hashKey(key)}`);
    const refusal = apiKeys.rotate('g', record.id, DAY);
    await expect(refusal).rejects.toThrow(RefusedError);
    await expect(refusal).rejects.toThrow(
      `The API key ${record.id} of guild g has no record any more: revoke the API key and create a new one`,
    );
  });
});

describe('the limit of keys', () => {
  const make = () => apiKeys.create('g', 'widget', null).catch((error: Error) => error.message);
  const listed = () => testStore.client.hlen('gr:{g}:keys');

  it('the limit of keys holds when many keys are made at once, and every free place is used', async () => {
    for (let i = 0; i < MAX_KEYS - 5; i++) await make();
    const results = await Promise.all(Array.from({ length: 40 }, make));
    expect(results.filter((result) => typeof result === 'object')).toHaveLength(5);
    expect(
      results.filter(
        (result) =>
          result ===
          `Guild g already has ${MAX_KEYS} API keys, the most that a guild may have: revoke an API key that is not used`,
      ),
    ).toHaveLength(35);
    expect([await listed(), (await apiKeys.list('g')).length]).toEqual([MAX_KEYS, MAX_KEYS]);
  });

  it('the limit of keys holds for rotations, and expired keys make room', async () => {
    const { record } = await apiKeys.create('g', 'widget', null);
    for (let i = 1; i < MAX_KEYS - 10; i++) await make();
    for (let i = 0; i < 12; i++) {
      await apiKeys.rotate('g', record.id, DAY).catch(() => {});
      await testStore.client.del(`gr:{g}:keys:rotating:${record.id}`);
    }
    expect(await listed()).toBe(MAX_KEYS);
    await expect(make()).resolves.toContain('revoke an API key');
    now += 2 * DAY;
    expect(await make()).toHaveProperty('key');
    expect(await listed()).toBe(MAX_KEYS);
    expect((await apiKeys.list('g')).map(({ id }) => id)).not.toContain(record.id);
  });

  it('an expired key whose rotation is refused stays', async () => {
    const old = await apiKeys.create('g', 'website', DAY, ['https://a.example'], 50);
    for (let i = 1; i < MAX_KEYS; i++) await make();
    now += DAY;
    await expect(apiKeys.rotate('g', old.record.id, 0)).rejects.toThrow('revoke an API key');
    expect(await apiKeys.list('g')).toContainEqual(old.record);
    expect(await listed()).toBe(MAX_KEYS);
  });

  it('a key is made when another call revokes the same expired key first', async () => {
    const { record } = await apiKeys.create('g', 'expires', DAY);
    for (let i = 1; i < MAX_KEYS; i++) await make();
    now += DAY;
    const second = storeWith({
      hget: async (...args: Parameters<RedisClient['hget']>) => {
        await apiKeys.revoke('g', record.id);
        return testStore.client.hget(...args);
      },
    });
    await expect(second.create('g', 'widget', null)).resolves.toHaveProperty('key');
    expect(await listed()).toBe(MAX_KEYS);
  });

  it('a key that could not be stored does not count', async () => {
    const failing = { exec: () => Promise.reject(new Error('OOM command not allowed')) };
    let transactions = 0;
    const store = storeWith({
      multi: () => Object.assign(testStore.client.multi(), transactions++ === 0 ? {} : failing),
    });
    await expect(store.create('g', 'widget', null)).rejects.toThrow(StoreUnavailableError);
    expect(await listed()).toBe(0);
  });

  it('a key that is missing in the list after its creation leaves no record', async () => {
    const store = storeWith({ hexists: () => Promise.reject(new Error('down')) });
    await expect(store.create('g', 'widget', null)).rejects.toThrow(StoreUnavailableError);
    expect(await listed()).toBe(0);
    expect(await testStore.client.keys('gr:key:*')).toEqual([]);
  });

  it('no unlisted key works when all keys are revoked while some are made', async () => {
    for (let round = 0; round < 20; round++) {
      const made = Array.from({ length: 10 }, () => apiKeys.create('g', 'widget', null).catch(() => undefined));
      await Promise.all([apiKeys.revokeAll('g'), ...made]);
      const listed = (await apiKeys.list('g')).map(({ id }) => id).sort();
      const records = await testStore.client.keys('gr:key:*');
      const working = await Promise.all(records.map((record) => testStore.client.hget(record, 'id')));
      expect(working.sort()).toEqual(listed);
      await apiKeys.revokeAll('g');
    }
  });

  it.each(['one is', 'all are'])('no key works when %s revoked while it is made', async (which) => {
    let revoked: Promise<unknown> | undefined;
    // Before the record is stored, a call begins to revoke. It takes the key off the list when the key is made.
    const beginToRevoke = async () => {
      const [id = ''] = await testStore.client.hkeys('gr:{g}:keys');
      await new Promise<void>((goOn) => {
        const revoking = storeWith({
          hdel: async (...args: Parameters<RedisClient['hdel']>) => {
            goOn();
            await made;
            return testStore.client.hdel(...args);
          },
        });
        revoked = which === 'one is' ? revoking.revoke('g', id) : revoking.revokeAll('g');
      });
    };
    const made = storeBeforeRecord(beginToRevoke).create('g', 'widget', null);
    await made;
    await revoked;
    expect(await testStore.client.keys('*key*')).toEqual([]);
  });

  it('a key that is made by a killed process while all keys are revoked ends with them', async () => {
    const killed = () => Promise.reject(new Error('killed'));
    const store = storeBeforeRecord(() => apiKeys.revokeAll('g'), { hexists: killed, del: killed, hdel: killed });
    await expect(store.create('g', 'widget', null)).rejects.toThrow(StoreUnavailableError);
    const [record = ''] = await testStore.client.keys('gr:key:*');
    const seconds = await testStore.client.ttl(record);
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
  });

  it('only keys that are listed and can be revoked count, after calls that were killed', async () => {
    const { client } = testStore;
    const killedAfter = (commands: number) => {
      let sent = 0;
      const limit = (owner: object, name: string) => {
        const command = Reflect.get(owner, name);
        const limited = (...args: unknown[]) =>
          ++sent > commands ? Promise.reject(new Error('killed')) : command.apply(owner, args);
        return { [name]: limited };
      };
      const transaction = () => {
        const multi = client.multi();
        return Object.assign(multi, limit(multi, 'exec'));
      };
      const limited = ['hexists', 'hget', 'hdel', 'del'].map((name) => limit(client, name));
      return storeWith(Object.assign({ multi: transaction }, ...limited));
    };
    for (let commands = 0; commands < 4; commands++) {
      const { record } = await apiKeys.create('g', 'widget', null);
      await expect(killedAfter(commands).create('g', 'widget', null)).rejects.toThrow(StoreUnavailableError);
      await expect(killedAfter(commands).revoke('g', record.id)).rejects.toThrow(StoreUnavailableError);
    }
    const ids = (await apiKeys.list('g')).map(({ id }) => id);
    expect(ids.sort()).toEqual((await testStore.client.hkeys('gr:{g}:keys')).sort());
    for (const id of ids) await apiKeys.revoke('g', id);
    expect(await testStore.client.keys('*key*')).toEqual([]);
  });

  it('a key that is rotated and revoked at once leaves nothing', async () => {
    const { key, record } = await apiKeys.create('g', 'widget', null);
    await Promise.allSettled([apiKeys.rotate('g', record.id, DAY), apiKeys.revoke('g', record.id)]);
    expect(await testStore.client.exists(`gr:key:${hashKey(key)}`)).toBe(0);
    expect((await apiKeys.list('g')).map(({ id }) => id)).not.toContain(record.id);
    const listedHashes = await testStore.client.hvals('gr:{g}:keys');
    const records = await testStore.client.keys('gr:key:*');
    expect(records.sort()).toEqual(listedHashes.map((sha) => `gr:key:${sha}`).sort());
  });
});

it('a key has a name of 1 to 64 characters, none of them a control character', () => {
  const isName = (text: string) => KEY_NAME_PATTERN.test(text);
  expect(['a', 'My widget', '日本語', '🏆'.repeat(64)].filter(isName)).toHaveLength(4);
  const wrong = ['', 'x'.repeat(65), '🏆'.repeat(65), 'a\n', '\ta', 'a\u0000b', '\u007f'];
  expect(wrong.filter(isName)).toEqual([]);
});
