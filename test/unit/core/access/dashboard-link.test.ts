import { expect, it } from 'vitest';
import { createDashboardLink, type DashboardLinkOptions } from '../../../../src/core/access/dashboard-link.ts';
import { findInvite, hashToken } from '../../../../src/core/access/invites.ts';
import { InvalidInputError } from '../../../../src/core/errors.ts';
import { storeSuite } from '../../../support/store-suite.ts';
import { describeStores } from '../../../support/stores.ts';

const URL = 'https://dash.example.com';

describeStores('a link to the dashboard', (kind) => {
  const suite = storeSuite(kind);
  const link = (options: Partial<DashboardLinkOptions> = {}) =>
    createDashboardLink(suite.store, 'g', { url: URL, ...options });
  const tokenOf = (address: string) => address.slice(address.lastIndexOf('/') + 1);
  const ttlOf = (address: string) => suite.store.client.ttl(suite.store.redisKeys.invite(hashToken(tokenOf(address))));

  it('a link opens the dashboard of its guild for a quarter of an hour', async () => {
    const address = await link({ url: `${URL}/` });
    expect(address).toMatch(/^https:\/\/dash\.example\.com\/sign-in\/[\w-]{43}$/);
    expect(await findInvite(suite.store, tokenOf(address))).toMatchObject({ guildId: 'g', userId: '' });
    expect(await ttlOf(address)).toBeGreaterThan(890);
    expect(await ttlOf(address)).toBeLessThanOrEqual(900);
  });

  it('a link names the person that it is for', async () => {
    const address = await link({ userId: '123456789012345678' });
    expect(await findInvite(suite.store, tokenOf(address))).toMatchObject({ userId: '123456789012345678' });
  });

  it.each([1, 86_400])('a link can be made for %i seconds', async (ttl) => {
    const address = await link({ ttl });
    expect(await ttlOf(address)).toBeLessThanOrEqual(ttl);
    expect(await ttlOf(address)).toBeGreaterThan(ttl - 10);
  });

  it.each([0, -1, 86_401, 1.5, Number.NaN])('no link can be made for %d seconds', async (ttl) => {
    const message = `ttl must be a whole number of seconds from 1 to 86400, not ${ttl}`;
    expect(() => link({ ttl })).toThrow(new InvalidInputError(message));
  });

  it.each(['http://localhost:8080', 'https://dash.example.com/path'])('a link can begin with %s', async (url) => {
    expect(await link({ url })).toMatch(new RegExp(`^${url}/sign-in/`));
  });

  it.each(['dash.example.com', 'ftp://dash.example.com', 'javascript:alert(1)', 'https:', ''])(
    'no link can begin with "%s"',
    async (url) => {
      expect(() => link({ url })).toThrow('url must be the address of the dashboard, such as https://dash.example.com');
    },
  );

  it('no link can be made for an id that no guild and no person can have', async () => {
    expect(() => createDashboardLink(suite.store, 'a b', { url: URL })).toThrow(InvalidInputError);
    expect(() => link({ userId: 'a b' })).toThrow(InvalidInputError);
  });
});
