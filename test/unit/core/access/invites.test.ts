import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createInvite,
  findInvite,
  hashToken,
  newToken,
  type Recipient,
  takeInvite,
} from '../../../../src/core/access/invites.ts';
import { type Core, openCore } from '../../../../src/core/core.ts';
import { StoreUnavailableError } from '../../../../src/core/errors.ts';
import { withStoreErrors } from '../../../../src/core/store/store.ts';
import { describeStores, type TestStore } from '../../../support/stores.ts';

const DASHBOARD = 'https://dash.example.com';
const OWNER: Recipient = { guildId: 'g', userId: '' };
const MANAGER: Recipient = { guildId: 'g', userId: 'u1' };
const OPERATOR: Recipient = { guildId: null, userId: '' };

describeStores('an invite to the dashboard', (kind) => {
  let testStore: TestStore;
  let store: Core;
  beforeAll(async () => {
    testStore = await kind.start();
    store = openCore(testStore.client, 'gr');
  });
  afterAll(() => testStore.stop());
  beforeEach(() => testStore.empty());

  /** Creates an invite and returns its token. */
  const invite = async (grant: Recipient, ttlS?: number) => {
    const address = await createInvite(store, DASHBOARD, grant, ttlS);
    return address.slice(address.lastIndexOf('/') + 1);
  };
  const find = (token: string) => findInvite(store, token);
  const take = (token: string, grant: Recipient) => takeInvite(store, token, grant);
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

  it.each([
    ['an owner', OWNER, 'gr:invite:', 'g  '],
    ['a manager', MANAGER, 'gr:invite:', 'g u1 '],
    ['the operator', OPERATOR, 'gr:operator-invite:', 'operator  '],
  ])(
    'an invite is stored for %s under the hash of its token, for a quarter of an hour',
    async (_who, grant, prefix, value) => {
      const token = await invite(grant);
      const key = prefix + sha256(token);
      expect(await store.client.keys('*')).toEqual([key]);
      const made = Number(((await store.client.get(key)) ?? '').slice(value.length));
      expect(await store.client.get(key)).toBe(`${value}${made}`);
      const [seconds] = await store.client.time();
      expect(Math.abs(made / 1_000_000 - Number(seconds))).toBeLessThan(30);
      expect(await store.client.ttl(key)).toBeGreaterThan(890);
      expect(await store.client.ttl(key)).toBeLessThanOrEqual(900);
      expect(await find(token)).toEqual({ ...grant, madeAt: made });
    },
  );

  it.each([DASHBOARD, `${DASHBOARD}/`, `${DASHBOARD}//`])('an invite has an address below %s', async (url) => {
    const address = await createInvite(store, url, OWNER);
    expect(address).toMatch(/^https:\/\/dash\.example\.com\/sign-in\/[\w-]{43}$/);
  });

  it('an invite is good for as long as its maker says', async () => {
    const token = await invite(OWNER, 60);
    const left = await store.client.ttl(`gr:invite:${hashToken(token)}`);
    expect(left).toBeGreaterThan(50);
    expect(left).toBeLessThanOrEqual(60);
  });

  it.each([
    ['no time', OWNER, 0],
    ['more than a day', OWNER, 86_401],
    ['a guild id with a space', { guildId: 'a b', userId: '' }, 60],
    ['a user id with a space', { guildId: 'g', userId: 'a b' }, 60],
  ])('an invite is refused for %s, and nothing is stored', async (_what, grant, ttlS) => {
    await expect(invite(grant, ttlS)).rejects.toThrow(StoreUnavailableError);
    expect(await store.client.keys('*')).toEqual([]);
  });

  it.each([OWNER, OPERATOR])('an invite works once: %j', async (grant) => {
    const token = await invite(grant);
    expect(await find(token)).toMatchObject(grant);
    expect(await take(token, grant)).toBe(true);
    expect(await take(token, grant)).toBe(false);
    expect(await find(token)).toBeNull();
  });

  it('an invite is taken by one of many at the same time', async () => {
    const token = await invite(OWNER);
    const taken = await Promise.all(Array.from({ length: 20 }, () => take(token, OWNER)));
    expect(taken.filter(Boolean)).toHaveLength(1);
  });

  it('taking an invite takes no other invite', async () => {
    const mine = await invite(OWNER);
    const others = await invite(MANAGER);
    expect(await take(mine, OPERATOR)).toBe(false);
    expect(await take(mine, OWNER)).toBe(true);
    expect(await find(others)).toMatchObject(MANAGER);
  });

  it('another token finds no invite', async () => {
    await invite(OWNER);
    expect(await find(newToken())).toBeNull();
    expect(await find('')).toBeNull();
  });

  it.each([
    '',
    'g',
    'g u1',
    'g u1 x',
    'g u1 1 more',
    ' u1 1',
    'a/b u1 1',
    `${'g'.repeat(65)} u1 1`,
    `g ${'u'.repeat(65)} 1`,
    'g u/1 1',
    'x\ng u1 1',
    'g u1 1\nx',
  ])('an invite opens nothing when the stored text is %j', async (text) => {
    const token = newToken();
    await store.client.set(`gr:invite:${hashToken(token)}`, text);
    await store.client.set(`gr:operator-invite:${hashToken(token)}`, text);
    expect(await find(token)).toBeNull();
  });

  it('an invite grants what it was made for, for any guild and user', async () => {
    const id = fc.stringMatching(/^[\w.-]{1,64}$/);
    const grants = fc.record({ guildId: id, userId: fc.oneof(fc.constant(''), id) });
    await fc.assert(
      fc.asyncProperty(grants, async (grant) => {
        const token = await invite(grant);
        expect(await find(token)).toMatchObject(grant);
        expect(await take(token, grant)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('an invite says that the store is unavailable', async () => {
    const token = newToken();
    const fail = () => Promise.reject(new Error('down'));
    const down = { ...store, client: withStoreErrors({ get: fail, del: fail }) };
    await expect(findInvite(down, token)).rejects.toThrow(StoreUnavailableError);
    await expect(takeInvite(down, token, OWNER)).rejects.toThrow(StoreUnavailableError);
  });
});

describe('a token', () => {
  it('a token has 256 random bits, as text for an address', () => {
    const tokens = Array.from({ length: 100 }, newToken);
    expect(new Set(tokens).size).toBe(100);
    for (const token of tokens) expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    for (const token of tokens) expect(token).toMatch(/^[\w-]{43}$/);
  });

  it('a token is stored as its SHA-256 alone', () => {
    expect(hashToken('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});
