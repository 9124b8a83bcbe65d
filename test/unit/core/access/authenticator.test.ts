import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { ApiKeyIssuer } from '../../../../src/core/access/api-key-issuer.ts';
import type { ApiKeyRecord } from '../../../../src/core/access/api-key-record.ts';
import { Authenticator } from '../../../../src/core/access/authenticator.ts';
import { generateKey, hashKey } from '../../../../src/core/access/key-format.ts';
import { StoreUnavailableError } from '../../../../src/core/errors.ts';
import type { RedisClient } from '../../../../src/core/store/client.ts';
import { RedisKeys } from '../../../../src/core/store/redis-keys.ts';
import { withStoreErrors } from '../../../../src/core/store/store.ts';
import { type TimeLimit, timeLimit } from '../../../../src/core/store/timeouts.ts';

const START = Date.parse('2026-01-15T12:00:00Z');
const key = generateKey();
const plan = vi.fn<(name: string, field: string) => Promise<string | null>>();
const find = vi.fn<(sha: string) => Promise<ApiKeyRecord | null>>();
let now: number;
/** How far the wall clock is from the monotonic one. */
let wallClockOff: number;
let authenticator: Authenticator;
/** Lets every look-up that needs no I/O come to its end. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

const recordOf = (change: Partial<ApiKeyRecord> = {}): ApiKeyRecord => ({
  id: 'k1',
  guildId: 'g',
  name: 'test',
  createdAt: '2026-01-01T00:00:00.000Z',
  expiresAt: null,
  lifetimeMs: null,
  origins: ['https://a.example'],
  cap: null,
  prefix: key.slice(0, 7),
  ...change,
});
const identity = { guildId: 'g', plan: 'pro', keyId: 'k1', origins: ['https://a.example'], cap: null };

beforeEach(() => {
  now = START;
  wallClockOff = 0;
  plan.mockReset().mockResolvedValue('pro');
  find.mockReset().mockResolvedValue(recordOf());
  authenticator = newAuthenticator(timeLimit(60_000));
});

function newAuthenticator(limit: TimeLimit, maxKeys = 10_000): Authenticator {
  const client = withStoreErrors({ hget: plan }) as unknown as RedisClient;
  const store = { find } as unknown as ApiKeyIssuer;
  const wallClock = () => now + wallClockOff;
  return new Authenticator(store, { client, redisKeys: new RedisKeys('gr') }, wallClock, () => now, limit, maxKeys);
}

it('a key has its identity by its hash and the plan of its guild', async () => {
  expect(await authenticator.authenticate(key)).toEqual(identity);
  expect(find.mock.calls).toEqual([[hashKey(key)]]);
  expect(plan.mock.calls).toEqual([['gr:{g}:config', 'plan']]);
});

it('a key has its cap, and a key whose stored cap limits nothing or whose id is no word is refused', async () => {
  find.mockResolvedValueOnce(recordOf({ cap: 200 }));
  expect(await authenticator.authenticate(key)).toEqual({ ...identity, cap: 200 });
  for (const odd of [{ cap: Number.NaN }, { cap: 0 }, { cap: 1.5 }, { cap: 2 ** 31 }, { cap: 5, id: 'k 1' }]) {
    find.mockResolvedValueOnce(recordOf(odd));
    expect(await authenticator.authenticate(key)).toBeNull();
  }
});

it('a key of a guild without a plan has the plan free', async () => {
  for (const none of [null, '']) {
    plan.mockResolvedValueOnce(none);
    expect(await authenticator.authenticate(key)).toMatchObject({ plan: 'free' });
  }
});

it('key and plan are read at once when the guild of a key is known, and the plan of another guild after that', async () => {
  await authenticator.authenticate(key);
  authenticator.invalidate('g');
  let answer = (_record: ApiKeyRecord | null) => {};
  const nextFind = () => find.mockReturnValueOnce(new Promise((resolve) => (answer = resolve)));
  nextFind();
  const known = authenticator.authenticate(key);
  expect(plan.mock.calls.length).toBe(2);
  answer(recordOf());
  expect(await known).toEqual(identity);
  nextFind();
  const moved = authenticator.authenticate(key);
  answer(recordOf({ guildId: 'other' }));
  plan.mockResolvedValueOnce('starter');
  expect(await moved).toMatchObject({ guildId: 'other', plan: 'starter' });
  expect(plan.mock.calls.slice(1)).toEqual([
    ['gr:{g}:config', 'plan'],
    ['gr:{g}:config', 'plan'],
    ['gr:{other}:config', 'plan'],
  ]);
});

it('the cache keeps as many keys as it may, and keeps the keys that were used last', async () => {
  authenticator = newAuthenticator(timeLimit(60_000), 2);
  const others = [generateKey(), generateKey()];
  for (const each of [key, ...others]) await authenticator.authenticate(each);
  expect([key, ...others].map((each) => authenticator.getCached(each)?.keyId)).toEqual([undefined, 'k1', 'k1']);
});

it('a malformed key is not looked up', async () => {
  expect(await authenticator.authenticate('gr_wrong')).toBeNull();
  expect(find).not.toHaveBeenCalled();
});

it('an unknown key is not cached, and its plan is not read', async () => {
  find.mockResolvedValue(null);
  expect(await authenticator.authenticate(key)).toBeNull();
  expect(authenticator.isUnseen(key)).toBe(true);
  expect(authenticator.getCached(key)).toBeUndefined();
  expect(plan).not.toHaveBeenCalled();
});

it('a key is cached for five seconds from its look-up', async () => {
  expect(authenticator.getCached(key)).toBeUndefined();
  find.mockImplementationOnce(async () => {
    now += 1000;
    return recordOf();
  });
  await authenticator.authenticate(key);
  find.mockRejectedValue(new Error('down'));
  expect(authenticator.getCached(key)).toMatchObject(identity);
  now = START + 4999;
  expect(authenticator.getCached(key)).toMatchObject(identity);
  now = START + 5000;
  expect(authenticator.getCached(key)).toBeUndefined();
});

it.each([-3_600_000, 3_600_000])(
  'a key is cached for five seconds when the wall clock is set by %d ms',
  async (change) => {
    await authenticator.authenticate(key);
    find.mockResolvedValue(null);
    wallClockOff = change;
    now = START + 4999;
    expect(authenticator.getCached(key)).toMatchObject(identity);
    now = START + 5000;
    expect(authenticator.getCached(key)).toBeUndefined();
  },
);

describe('a key', () => {
  const gone = () => find.mockResolvedValue(null);
  const down = () => find.mockRejectedValue(new StoreUnavailableError(new Error('down')));

  it('a key is unseen until a look-up finds it valid', async () => {
    expect(authenticator.isUnseen(key)).toBe(true);
    for (const fails of [gone, down]) {
      fails();
      await authenticator.authenticate(key).catch(() => {});
      expect(authenticator.isUnseen(key)).toBe(true);
    }
    find.mockResolvedValue(recordOf({ expiresAt: new Date(START).toISOString() }));
    await authenticator.authenticate(key);
    expect(authenticator.isUnseen(key)).toBe(true);
    find.mockResolvedValue(recordOf());
    await authenticator.authenticate(key);
    expect(authenticator.isUnseen(key)).toBe(false);
  });

  it.each<[string, () => unknown]>([
    ['its time in the cache', () => (now += 60_000)],
    ['a look-up that finds nothing', () => gone() && authenticator.authenticate(key)],
    ['an outage', () => down() && authenticator.authenticate(key).catch(() => {})],
    ['an invalidation of its guild', () => authenticator.invalidate('g')],
    ['an invalidation of all', () => authenticator.invalidateAll()],
  ])('a key that was seen stays seen after %s, and that authenticates nothing', async (_event, happen) => {
    await authenticator.authenticate(key);
    await happen();
    expect(authenticator.isUnseen(key)).toBe(false);
    gone();
    expect(await authenticator.authenticate(key)).toBeNull();
    authenticator.invalidateAll();
    expect(authenticator.getCached(key)).toBeUndefined();
  });

  it('a key whose look-up is under way is not unseen, because a further request starts no look-up', async () => {
    const looking = authenticator.authenticate(key);
    expect(authenticator.isUnseen(key)).toBe(false);
    gone();
    await looking;
  });

  it('a malformed key is not unseen, because it is not looked up', () => {
    expect(authenticator.isUnseen('gr_wrong')).toBe(false);
    expect(authenticator.isUnseen(`${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`)).toBe(false);
  });
});

describe('a key in use', () => {
  /** Lets the keys that are due be refreshed by one more request. */
  const refreshed = () => {
    now += 100;
    authenticator.getCached(key);
    return settled();
  };

  it('a key in use is refreshed before it expires, once, while requests use the cached identity', async () => {
    await authenticator.authenticate(key);
    now = START + 3499;
    authenticator.getCached(key);
    expect(find).toHaveBeenCalledTimes(1);
    now = START + 4500;
    plan.mockResolvedValue('starter');
    expect(authenticator.getCached(key)).toMatchObject({ plan: 'pro' });
    expect(authenticator.getCached(key)).toMatchObject({ plan: 'pro' });
    expect(find).toHaveBeenCalledTimes(1);
    await refreshed();
    expect(find).toHaveBeenCalledTimes(2);
    expect(authenticator.getCached(key)).toMatchObject({ plan: 'starter' });
    now = START + 4600 + 4999;
    expect(authenticator.getCached(key)).toMatchObject({ plan: 'starter' });
  });

  it.each([
    ['revoked', null],
    ['expired', recordOf({ expiresAt: new Date(START).toISOString() })],
  ])('a key in use leaves the cache as soon as it is found %s', async (_how, record) => {
    await authenticator.authenticate(key);
    find.mockResolvedValue(record);
    now = START + 4500;
    expect(authenticator.getCached(key)).toBeDefined();
    await refreshed();
    expect(authenticator.getCached(key)).toBeUndefined();
  });

  it('a key in use keeps its cached identity for its time while the store fails', async () => {
    await authenticator.authenticate(key);
    find.mockRejectedValue(new StoreUnavailableError(new Error('down')));
    for (now = START + 4500; now < START + 5000; now += 50) {
      expect(authenticator.getCached(key)).toMatchObject(identity);
      await settled();
    }
    expect(find).toHaveBeenCalledTimes(4);
    expect(authenticator.getCached(key)).toBeUndefined();
    await expect(authenticator.authenticate(key)).rejects.toThrow(StoreUnavailableError);
  });
});

it('keys that are due within a tenth of a second are refreshed together, because each reply of Redis wakes the process', async () => {
  const keys = Array.from({ length: 20 }, generateKey);
  for (const each of keys) await authenticator.authenticate(each);
  const asked = (ms: number) => {
    now = START + ms;
    for (const each of keys) authenticator.getCached(each);
    return find.mock.calls.length - keys.length;
  };
  expect([4500, 4550, 4599, 4600].map(asked)).toEqual([0, 0, 0, 20]);
  await settled();
  expect([4700, 8099].map(asked)).toEqual([20, 20]);
});

it('a key that a request has looked up since its refresh was due is not refreshed', async () => {
  await authenticator.authenticate(key);
  now = START + 4950;
  authenticator.getCached(key);
  now = START + 5000;
  await authenticator.authenticate(key);
  now = START + 5050;
  authenticator.getCached(key);
  expect(find).toHaveBeenCalledTimes(2);
});

it('the refreshes of keys that were cached at once are spread over time', async () => {
  const keys = Array.from({ length: 200 }, generateKey);
  for (const each of keys) await authenticator.authenticate(each);
  const asked = async (ms: number) => {
    now = START + ms;
    for (const each of keys) authenticator.getCached(each);
    now += 100;
    for (const each of keys) authenticator.getCached(each);
    await settled();
    return find.mock.calls.length - keys.length;
  };
  const counts: number[] = [];
  for (const ms of [3499, 3750, 4000, 4250, 4500]) counts.push(await asked(ms));
  expect([counts[0], counts.at(-1)]).toEqual([0, 200]);
  for (let i = 1; i < counts.length; i++) {
    expect((counts[i] as number) - (counts[i - 1] as number)).toBeGreaterThan(10);
  }
});

it('a key is rejected from the moment of its expiry, cached or not', async () => {
  find.mockResolvedValue(recordOf({ expiresAt: new Date(START + 2000).toISOString() }));
  await authenticator.authenticate(key);
  now = START + 1999;
  expect(authenticator.getCached(key)).toBeDefined();
  expect(await authenticator.authenticate(key)).toEqual(identity);
  now = START + 2000;
  expect(authenticator.getCached(key)).toBeUndefined();
  expect(await authenticator.authenticate(key)).toBeNull();
});

it('a key whose expiry cannot be read has expired', async () => {
  find.mockResolvedValue(recordOf({ expiresAt: 'soon' }));
  expect(await authenticator.authenticate(key)).toBeNull();
});

it('a key is looked up once for all requests that wait for it, and again for later requests', async () => {
  const [one, two] = await Promise.all([authenticator.authenticate(key), authenticator.authenticate(key)]);
  expect(one).toEqual(identity);
  expect(two).toEqual(identity);
  expect(find).toHaveBeenCalledTimes(1);
  await authenticator.authenticate(key);
  expect(find).toHaveBeenCalledTimes(2);
});

it('a look-up fails with the store, and the key is looked up again after it', async () => {
  plan.mockRejectedValueOnce(new Error('down'));
  await expect(authenticator.authenticate(key)).rejects.toThrow(StoreUnavailableError);
  expect(authenticator.getCached(key)).toBeUndefined();
  expect(await authenticator.authenticate(key)).toEqual(identity);
});

it('the invalidation of a guild drops the keys of the guild, and no others', async () => {
  const other = generateKey();
  await authenticator.authenticate(key);
  find.mockResolvedValue(recordOf({ guildId: 'h' }));
  await authenticator.authenticate(other);
  authenticator.invalidate('g');
  expect(authenticator.getCached(key)).toBeUndefined();
  expect(authenticator.getCached(other)).toMatchObject({ guildId: 'h' });
});

it('the invalidation of all keys drops them at once', async () => {
  await authenticator.authenticate(key);
  authenticator.invalidateAll();
  expect(authenticator.getCached(key)).toBeUndefined();
});

it.each([
  ['invalidate', () => authenticator.invalidate('g')],
  ['invalidateAll', () => authenticator.invalidateAll()],
])('a look-up that began before %s is not cached, and no later request waits for it', async (_name, invalidate) => {
  let answer: (record: ApiKeyRecord | null) => void = () => {};
  find.mockReturnValueOnce(
    new Promise((resolve) => {
      answer = resolve;
    }),
  );
  const early = authenticator.authenticate(key);
  invalidate();
  find.mockResolvedValue(null);
  const late = authenticator.authenticate(key);
  answer(recordOf());
  expect(await early).toEqual(identity);
  expect(await late).toBeNull();
  expect(authenticator.getCached(key)).toBeUndefined();
  expect(find).toHaveBeenCalledTimes(2);
});

it('requests after an invalidation share one look-up, although an older one ends meanwhile', async () => {
  const answers: ((record: ApiKeyRecord | null) => void)[] = [];
  find.mockImplementation(() => new Promise((resolve) => answers.push(resolve)));
  const early = authenticator.authenticate(key);
  authenticator.invalidate('g');
  const late = authenticator.authenticate(key);
  answers[0]?.(null);
  await early;
  await settled();
  const later = authenticator.authenticate(key);
  expect(find).toHaveBeenCalledTimes(2);
  answers[1]?.(recordOf());
  expect(await late).toEqual(identity);
  expect(await later).toEqual(identity);
});

it('a look-up that takes longer than its limit is given up', async () => {
  find.mockReturnValue(new Promise(() => {}));
  const impatient = newAuthenticator(timeLimit(10));
  await expect(impatient.authenticate(key)).rejects.toThrow(StoreUnavailableError);
  find.mockResolvedValue(recordOf());
  expect(await impatient.authenticate(key)).toEqual(identity);
});

it('look-ups are counted by result', async () => {
  expect(authenticator.counts()).toEqual({ found: 0, unknown: 0, failed: 0 });
  await authenticator.authenticate(key);
  for (let i = 0; i < 2; i++) {
    find.mockResolvedValueOnce(null);
    await authenticator.authenticate(generateKey());
  }
  for (let i = 0; i < 3; i++) {
    find.mockRejectedValueOnce(new StoreUnavailableError(new Error('down')));
    await authenticator.authenticate(generateKey()).catch(() => {});
  }
  await authenticator.authenticate('malformed');
  expect(authenticator.counts()).toEqual({ found: 1, unknown: 2, failed: 3 });
});

it('fewer identities are cached when their origins are long, so that 100 keys hold 512 bytes each together', async () => {
  const few = newAuthenticator(timeLimit(60_000), 100);
  const keys = Array.from({ length: 100 }, () => generateKey());
  find.mockResolvedValue(recordOf({ origins: [`https://${'a'.repeat(1900)}`] }));
  for (const each of keys) await few.authenticate(each);
  const kept = keys.filter((each) => few.getCached(each));
  expect(kept.length).toBeGreaterThan(20);
  expect(kept.length * 1900).toBeLessThan(100 * 512);
});

it('a stored plan whose name is longer than every name of a plan counts as no plan', async () => {
  plan.mockResolvedValue('p'.repeat(33));
  expect(await authenticator.authenticate(key)).toMatchObject({ plan: 'free' });
});
