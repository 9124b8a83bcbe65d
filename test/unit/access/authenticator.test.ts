import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { ApiKeyRecord, ApiKeyStore } from '../../../src/access/api-keys.ts';
import { Authenticator } from '../../../src/access/authenticator.ts';
import { generateKey, hashKey } from '../../../src/access/key-format.ts';
import { StoreUnavailableError } from '../../../src/errors.ts';
import type { RedisClient } from '../../../src/redis/commands.ts';
import { RedisKeys } from '../../../src/redis/redis-keys.ts';

const START = Date.parse('2026-01-15T12:00:00Z');
const key = generateKey();
const plan = vi.fn<(name: string, field: string) => Promise<string | null>>();
const find = vi.fn<(sha: string) => Promise<ApiKeyRecord | null>>();
let now: number;
let authenticator: Authenticator;
/** Lets every look-up that needs no I/O come to its end. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

const recordOf = (change: Partial<ApiKeyRecord> = {}): ApiKeyRecord => ({
  id: 'k1',
  guildId: 'g',
  name: 'test',
  createdAt: '2026-01-01T00:00:00.000Z',
  expiresAt: null,
  origins: ['https://a.example'],
  ...change,
});
const identity = { guildId: 'g', plan: 'pro', keyId: 'k1', origins: ['https://a.example'] };

beforeEach(() => {
  now = START;
  plan.mockReset().mockResolvedValue('pro');
  find.mockReset().mockResolvedValue(recordOf());
  const client = { hget: plan } as unknown as RedisClient;
  authenticator = new Authenticator({ find } as unknown as ApiKeyStore, client, new RedisKeys('gr'), () => now);
});

it('tells whom a key speaks for, by its hash and the plan of its guild', async () => {
  expect(await authenticator.authenticate(key)).toEqual(identity);
  expect(find.mock.calls).toEqual([[hashKey(key)]]);
  expect(plan.mock.calls).toEqual([['gr:{g}:config', 'plan']]);
});

it('takes a guild without a plan for one on the free plan', async () => {
  for (const none of [null, '']) {
    plan.mockResolvedValueOnce(none);
    expect(await authenticator.authenticate(key)).toMatchObject({ plan: 'free' });
  }
});

it('asks nobody about a malformed key', async () => {
  expect(await authenticator.authenticate('gr_wrong')).toBeNull();
  expect(find).not.toHaveBeenCalled();
});

it('remembers no unknown key, and does not ask for its plan', async () => {
  find.mockResolvedValue(null);
  expect(await authenticator.authenticate(key)).toBeNull();
  expect(authenticator.hasCached(key)).toBe(false);
  expect(authenticator.getCached(key)).toBeUndefined();
  expect(plan).not.toHaveBeenCalled();
});

it('recalls a key for five seconds from the asking, and still knows then that it has seen it', async () => {
  expect(authenticator.getCached(key)).toBeUndefined();
  expect(authenticator.hasCached(key)).toBe(false);
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
  expect(authenticator.hasCached(key)).toBe(true);
});

describe('a key in use', () => {
  it('is asked for anew before it must be, once, while requests go on with what is known', async () => {
    await authenticator.authenticate(key);
    now = START + 3499;
    authenticator.getCached(key);
    expect(find).toHaveBeenCalledTimes(1);
    now = START + 4500;
    plan.mockResolvedValue('starter');
    expect(authenticator.getCached(key)).toMatchObject({ plan: 'pro' });
    expect(authenticator.getCached(key)).toMatchObject({ plan: 'pro' });
    await settled();
    expect(find).toHaveBeenCalledTimes(2);
    expect(authenticator.getCached(key)).toMatchObject({ plan: 'starter' });
    now = START + 4500 + 4999;
    expect(authenticator.getCached(key)).toMatchObject({ plan: 'starter' });
  });

  it.each([
    ['revoked', null],
    ['expired', recordOf({ expiresAt: new Date(START).toISOString() })],
  ])('is forgotten as soon as it is found %s', async (_how, record) => {
    await authenticator.authenticate(key);
    find.mockResolvedValue(record);
    now = START + 4500;
    expect(authenticator.getCached(key)).toBeDefined();
    await settled();
    expect(authenticator.getCached(key)).toBeUndefined();
    expect(authenticator.hasCached(key)).toBe(false);
  });

  it('goes on with what is known for its time when the store fails meanwhile', async () => {
    await authenticator.authenticate(key);
    find.mockRejectedValue(new StoreUnavailableError(new Error('down')));
    for (now = START + 4500; now < START + 5000; now += 100) {
      expect(authenticator.getCached(key)).toMatchObject(identity);
      await settled();
    }
    expect(find).toHaveBeenCalledTimes(6);
    expect(authenticator.getCached(key)).toBeUndefined();
    await expect(authenticator.authenticate(key)).rejects.toThrow(StoreUnavailableError);
  });
});

it('does not ask anew at once for all keys that it has learnt at once', async () => {
  const keys = Array.from({ length: 200 }, generateKey);
  for (const each of keys) await authenticator.authenticate(each);
  const asked = async (ms: number) => {
    now = START + ms;
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

it('ends a key at the moment of its expiry, whether it is remembered or not', async () => {
  find.mockResolvedValue(recordOf({ expiresAt: new Date(START + 2000).toISOString() }));
  await authenticator.authenticate(key);
  now = START + 1999;
  expect(authenticator.getCached(key)).toBeDefined();
  expect(await authenticator.authenticate(key)).toEqual(identity);
  now = START + 2000;
  expect(authenticator.getCached(key)).toBeUndefined();
  expect(await authenticator.authenticate(key)).toBeNull();
});

it('takes an expiry that cannot be read for past', async () => {
  find.mockResolvedValue(recordOf({ expiresAt: 'soon' }));
  expect(await authenticator.authenticate(key)).toBeNull();
});

it('asks once for all that wait for the same key, and anew for those who come later', async () => {
  const [one, two] = await Promise.all([authenticator.authenticate(key), authenticator.authenticate(key)]);
  expect(one).toEqual(identity);
  expect(two).toEqual(identity);
  expect(find).toHaveBeenCalledTimes(1);
  await authenticator.authenticate(key);
  expect(find).toHaveBeenCalledTimes(2);
});

it('fails with the store, and asks anew after it', async () => {
  plan.mockRejectedValueOnce(new Error('down'));
  await expect(authenticator.authenticate(key)).rejects.toThrow(StoreUnavailableError);
  expect(authenticator.hasCached(key)).toBe(false);
  expect(await authenticator.authenticate(key)).toEqual(identity);
});

it('forgets the keys of a guild that changed, and no others', async () => {
  const other = generateKey();
  await authenticator.authenticate(key);
  find.mockResolvedValue(recordOf({ guildId: 'h' }));
  await authenticator.authenticate(other);
  authenticator.invalidate('g');
  expect(authenticator.hasCached(key)).toBe(false);
  expect(authenticator.getCached(other)).toMatchObject({ guildId: 'h' });
});

it('forgets everything when it is told to', async () => {
  await authenticator.authenticate(key);
  authenticator.invalidateAll();
  expect(authenticator.hasCached(key)).toBe(false);
});

it.each([
  ['forget', () => authenticator.invalidate('g')],
  ['forgetAll', () => authenticator.invalidateAll()],
])('does not remember what was asked before %s, and does not let later requests wait for it', async (_name, forget) => {
  let answer: (record: ApiKeyRecord | null) => void = () => {};
  find.mockReturnValueOnce(
    new Promise((resolve) => {
      answer = resolve;
    }),
  );
  const early = authenticator.authenticate(key);
  forget();
  find.mockResolvedValue(null);
  const late = authenticator.authenticate(key);
  answer(recordOf());
  expect(await early).toEqual(identity);
  expect(await late).toBeNull();
  expect(authenticator.hasCached(key)).toBe(false);
  expect(find).toHaveBeenCalledTimes(2);
});

it('lets the requests after a change share one look-up, although an older one ends meanwhile', async () => {
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
