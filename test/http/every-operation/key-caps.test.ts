import request from 'supertest';
import { expect, it } from 'vitest';
import { describeStores } from '../../support/stores.ts';
import { serviceSuite } from '../../support/suite.ts';

describeStores('an API key with a cap', (kind) => {
  const suite = serviceSuite(kind, { PLAN_QUOTAS: 'free=5,pro=1000' });
  const path = '/servers/guild/stats';
  const keyWithCap = async (cap: number) =>
    (await suite.service.store.apiKeys.create('guild', 'capped', null, [], cap)).key;

  it('requests up to the cap get 200, and the next one gets 429 with the time of the renewal', async () => {
    const key = await keyWithCap(2);
    const { headers } = await suite.get(path, key).expect(200);
    expect(headers).toMatchObject({
      'ratelimit-policy': '"hourly";q=2;w=3600',
      ratelimit: expect.stringMatching(/^"hourly";r=1;t=3(600|5\d\d)$/),
      'x-ratelimit-limit': '2',
      'x-ratelimit-remaining': '1',
    });
    await suite.get(path, key).expect(200);
    const refused = await suite.get(path, key).expect(429);
    expect(refused.body).toMatchObject({ code: 'quota_exceeded' });
    expect(refused.body.detail).toMatch(
      /^The cap of this API key, 2 requests per hour, is used up\. It is renewed in 3\d{3} seconds\.$/,
    );
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3500);
    expect(refused.headers['x-ratelimit-remaining']).toBe('0');
  });

  it('a request that the cap refuses takes nothing from the quota', async () => {
    const key = await keyWithCap(1);
    await suite.get(path, key).expect(200);
    for (let i = 0; i < 10; i++) await suite.get(path, key).expect(429);
    expect((await suite.get(path)).headers['x-ratelimit-remaining']).toBe('3');
  });

  it('a request that the quota refuses takes nothing from the cap, and the 429 names the quota', async () => {
    const key = await keyWithCap(3);
    for (let i = 0; i < 5; i++) await suite.get(path).expect(200);
    const { body, headers } = await suite.get(path, key).expect(429);
    expect(body.detail).toMatch(/^The quota of 5 requests per hour is used up\./);
    expect(headers['x-ratelimit-limit']).toBe('5');
    await suite.testStore.client.del('gr:quota:{guild}');
    expect((await suite.get(path, key).expect(200)).headers['x-ratelimit-remaining']).toBe('2');
  });

  it('the headers state the rest of the quota where it is smaller than the rest of the cap', async () => {
    const key = await keyWithCap(200);
    const { headers } = await suite.get(path, key).expect(200);
    expect(headers).toMatchObject({ 'x-ratelimit-limit': '5', 'x-ratelimit-remaining': '4' });
  });

  it('exactly the cap passes when 40 clients come at once, beside clients with another cap', async () => {
    const two = await keyWithCap(2);
    const three = await keyWithCap(3);
    const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => suite.get(path, i % 2 === 0 ? two : three)));
    const passed = (parity: number) => answers.filter(({ status }, i) => status === 200 && i % 2 === parity).length;
    expect([passed(0), passed(1)]).toEqual([2, 3]);
    expect(await suite.testStore.client.get('gr:quota:{guild}')).toBe('5');
  });

  it('a key whose stored cap is not a cap gets 401', async () => {
    const { key, record } = await suite.service.store.apiKeys.create('guild', 'odd', null, [], 7);
    const [sha] = (await suite.testStore.client.hmget('gr:{guild}:keys', record.id)) as [string];
    for (const cap of ['0', '-1', '1.5', 'many', '2147483648']) {
      await suite.testStore.client.hset(`gr:key:${sha}`, 'cap', cap);
      const { status } = await request(suite.service.url).get(`/api/v1${path}`).set('x-api-key', key);
      expect([cap, status]).toEqual([cap, 401]);
    }
    await suite.testStore.client.hset(`gr:key:${sha}`, 'cap', '7');
    expect((await suite.get(path, key).expect(200)).headers['x-ratelimit-remaining']).toBe('4');
  });
});
