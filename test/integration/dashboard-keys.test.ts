import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashKey } from '../../src/core/access/key-format.ts';
import { type Answer, startTestDashboard, type TestDashboard, type Visitor } from '../support/dashboard.ts';
import { needs } from '../support/needs.ts';

const KEYS = '/guilds/own/keys';

describe('the page of API keys', needs('redis-server'), () => {
  let dashboard: TestDashboard;
  let owner: Visitor;

  beforeAll(async () => {
    dashboard = await startTestDashboard({ TRUST_PROXY: '1' });
  });
  afterAll(() => dashboard.close());
  beforeEach(async () => {
    await dashboard.store.client.flushall();
    owner = await dashboard.signIn('own', 'u1');
  });

  const make = (fields: Record<string, string> = {}) =>
    owner.submit(KEYS, KEYS, { name: 'site', lifetime: '7 days', origins: '', ...fields });
  const list = () => dashboard.store.apiKeys.list('own');
  const keyIn = ({ text }: Answer) => /gr_[0-9A-Za-z]{38}/.exec(text)?.[0];
  const follow = ({ headers }: Answer) => owner.get(headers.get('location') ?? '');

  it.each([
    ['made', make],
    [
      'rotated',
      async () => {
        const { record } = await dashboard.store.apiKeys.create('own', 'site', null);
        return owner.submit(`${KEYS}/${record.id}/rotate`, `${KEYS}/${record.id}/rotate`, { overlap: '1 hour' });
      },
    ],
  ])('a key that was %s is shown once, after a redirect, and a reload makes no other key', async (_, change) => {
    const answer = await change();
    expect(answer.status).toBe(303);
    const before = (await list()).map(({ id }) => id);
    expect((await owner.request('HEAD', answer.headers.get('location') ?? '', {})).status).toBe(405);
    const shown = await follow(answer);
    expect(shown.status).toBe(200);
    const key = keyIn(shown) as string;
    expect(before).toContain((await dashboard.store.apiKeys.find(hashKey(key)))?.id);
    expect([...answer.headers].join()).not.toContain(key);
    const again = await follow(answer);
    expect(again.status).toBe(410);
    expect(again.text).toContain('This API Key was shown already');
    expect(keyIn(again)).toBeUndefined();
    expect((await list()).map(({ id }) => id)).toEqual(before);
  });

  it('the page shows a new key to the session that made it alone, and Redis never holds the key', async () => {
    const answer = await make();
    const other = await dashboard.signIn('own', 'u2');
    expect((await other.get(answer.headers.get('location') ?? '')).status).toBe(410);
    const { client } = dashboard.store;
    const dumps = await Promise.all((await client.keys('*')).map((name) => client.dumpBuffer(name)));
    const key = keyIn(await follow(answer)) as string;
    expect(dumps.length).toBeGreaterThan(2);
    // The record has the first seven characters, to tell keys apart.
    for (const dump of dumps) expect(dump.toString('latin1')).not.toContain(key.slice(0, 10));
  });

  it('the page lists a key that a killed process left, and offers to revoke it alone', async () => {
    await dashboard.store.client.hset('gr:{own}:keys', 'left', 'a'.repeat(64));
    const { text } = await owner.get(KEYS);
    expect(text).toContain('<h2>API Key left <span class="pill bad">unfinished</span></h2>');
    expect(text).not.toContain(`${KEYS}/left/rotate`);
    expect((await owner.submit(`${KEYS}/left/revoke`, `${KEYS}/left/revoke`, {})).status).toBe(303);
    expect(await list()).toEqual([]);
  });

  it('a second revocation of a key gets 404 and says that the key was revoked already', async () => {
    const { record } = await dashboard.store.apiKeys.create('own', 'site', null);
    const path = `${KEYS}/${record.id}/revoke`;
    const _token = await owner.tokenOf(path);
    const first = await owner.post(path, { _token });
    const second = await owner.post(path, { _token });
    expect([first.status, second.status]).toEqual([303, 404]);
    for (const { text } of [second, await owner.get(path), await owner.get(`${KEYS}/${record.id}/rotate`)]) {
      expect(text).toContain('it was revoked already');
      expect(text).not.toContain('There is no such page');
    }
  });

  it('two revocations at once end the key, and a late answer says that it was revoked already', async () => {
    for (let round = 0; round < 5; round++) {
      const { record } = await dashboard.store.apiKeys.create('own', 'site', null);
      const path = `${KEYS}/${record.id}/revoke`;
      const _token = await owner.tokenOf(path);
      const answers = await Promise.all([owner.post(path, { _token }), owner.post(path, { _token })]);
      for (const { status, text } of answers.filter(({ status }) => status !== 303))
        expect([status, text.includes('it was revoked already')]).toEqual([404, true]);
      expect(await list()).toEqual([]);
    }
  });

  it('a form without a field gets 400 and names the missing field', async () => {
    const { status, text } = await owner.submit(KEYS, KEYS, { name: 'site', lifetime: '7 days' });
    expect([status, text.includes('Give the field &quot;origins&quot; once.')]).toEqual([400, true]);
    expect((await owner.get('/guilds/own/widget?refresh=1&refresh=2')).text).toContain(
      'Give the field &quot;refresh&quot; once.',
    );
  });

  it('a new key has the cap of the form, the list shows the cap, and a rotation keeps it', async () => {
    await follow(await make({ cap: ' 200 ' }));
    const [made] = await list();
    expect(made).toMatchObject({ name: 'site', cap: 200 });
    expect((await owner.get(KEYS)).text).toContain('200 requests an hour');
    expect((await owner.get('/guilds/own/activity')).text).toContain('200 requests an hour');
    const path = `${KEYS}/${made?.id}/rotate`;
    await owner.submit(path, path, { overlap: '1 hour' });
    expect((await list()).map(({ cap }) => cap)).toEqual([200, 200]);
  });

  it('an empty field makes a key without a cap, and a text that is no cap gets 400', async () => {
    expect((await make({ cap: '' })).status).toBe(303);
    expect((await list())[0]?.cap).toBeNull();
    for (const cap of ['0', '-5', '1.5', 'many', '2147483648', '1e3']) {
      const { status, text } = await make({ cap });
      expect([cap, status]).toEqual([cap, 400]);
      expect(text).toContain('is no cap: give a whole number of requests an hour, from 1 to 2147483647.');
      expect(text).toContain(`value="${cap}"`);
    }
    expect(await list()).toHaveLength(1);
  });
});
