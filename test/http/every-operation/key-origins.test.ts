import request from 'supertest';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hashKey } from '../../../src/core/access/key-format.ts';
import { parseOrigins } from '../../../src/core/access/origins.ts';
import { expectDocumented } from '../../support/api-document.ts';
import { startService, type TestService } from '../../support/service.ts';
import { mockStore, type TestStore } from '../../support/stores.ts';

const ORIGINS = ['https://a.example', 'http://localhost:3000'];
const STATS = '/servers/guild/stats';

let testStore: TestStore;
let service: TestService;

beforeAll(async () => {
  testStore = await mockStore.start();
  service = await startService(testStore);
});
afterAll(async () => {
  await service.close();
  await testStore.stop();
});

async function ask(key: string, headers: Record<string, string>) {
  const answer = await request(service.url)
    .get(`/api/v1${STATS}`)
    .set({ 'x-api-key': key, ...headers });
  expectDocumented(answer, STATS);
  return answer;
}

it('a key that is limited to origins gets 200 in their pages, even after a rotation, and 403 elsewhere', async () => {
  const { apiKeys } = service.store;
  const { key, record } = await apiKeys.create('guild', 'page', null, ORIGINS);
  const rotated = await apiKeys.rotate('guild', record.id, 60_000);
  for (const each of [key, rotated.key]) {
    for (const origin of ORIGINS) expect((await ask(each, { origin })).status).toBe(200);
    for (const host of ['a.example', 'localhost:3000'])
      expect((await ask(each, { 'sec-fetch-site': 'same-origin', host })).status).toBe(200);
    for (const headers of [
      { origin: 'https://b.example' },
      { origin: 'null' },
      { origin: 'https://a.example.evil' },
      { 'sec-fetch-site': 'same-origin' },
      { host: 'a.example' },
      {},
    ]) {
      const { status, body } = await ask(each, headers as Record<string, string>);
      expect({ status, code: body.code }).toEqual({ status: 403, code: 'wrong_guild' });
      expect(body.detail).toBe('This API key works only in pages of the websites that it was made for.');
    }
  }
});

it('a key that is limited to origins gets 200 in pages that share the origin of the service, by the host that a trusted proxy names', async () => {
  const proxied = await startService(testStore, { TRUST_PROXY: '1' });
  const { key } = await service.store.apiKeys.create('guild', 'page', null, ORIGINS);
  const statusFrom = async (host: string, name = 'x-forwarded-host') => {
    const headers = { 'x-api-key': key, 'sec-fetch-site': 'same-origin', [name]: host };
    return (await request(proxied.url).get(`/api/v1${STATS}`).set(headers)).status;
  };
  expect(await statusFrom('a.example')).toBe(200);
  expect(await statusFrom('b.example')).toBe(403);
  expect(await statusFrom('a.example', 'host')).toBe(200);
  await proxied.close();
});

it('a request from a refused origin counts against the quota, and a page can read the 403', async () => {
  const { key } = await service.store.apiKeys.create('guild', 'page', null, ORIGINS);
  const before = await ask(key, { origin: 'https://b.example' });
  const after = await ask(key, { origin: 'https://b.example' });
  const left = (headers: Record<string, string>) => Number(headers['x-ratelimit-remaining']);
  expect(left(after.headers)).toBe(left(before.headers) - 1);
  expect(after.headers).toMatchObject({ 'access-control-allow-origin': '*' });
});

it('a key without origins gets 200 everywhere', async () => {
  const { key, record } = await service.store.apiKeys.create('guild', 'tool', null);
  expect(record.origins).toEqual([]);
  expect((await ask(key, {})).status).toBe(200);
  expect((await ask(key, { origin: 'https://b.example' })).status).toBe(200);
});

it('parseOrigins takes origins as people write them, and names a text that is no origin', () => {
  expect(parseOrigins('')).toEqual([]);
  expect(parseOrigins('https://a.example, http://localhost:3000 https://a.example')).toEqual(ORIGINS);
  for (const wrong of ['a.example', 'https://a.example/', 'https://a.example/path', '*', 'ftp://a.example', 'null'])
    expect(() => parseOrigins(`https://ok.example,${wrong}`)).toThrow(`"${wrong}" is not an origin`);
});

it.each([
  ['95,000 characters of origins', { origins: `https://${'a'.repeat(95_000)}` }],
  ['21 origins', { origins: Array.from({ length: 21 }, (_, i) => `https://${i}.example`).join(' ') }],
  ['a name of 257 bytes', { name: 'a'.repeat(257) }],
])('a key that somebody stored with %s gets 401, even with an origin of its list', async (_name, fields) => {
  const { apiKeys } = service.store;
  const { key, record } = await apiKeys.create('guild', 'page', null, ORIGINS);
  await testStore.client.hset(`gr:key:${hashKey(key)}`, fields);
  for (const origin of ['https://0.example', ...ORIGINS]) {
    const { status, body } = await ask(key, { origin });
    expect({ status, code: body.code }).toEqual({ status: 401, code: 'invalid_api_key' });
  }
  await expect(apiKeys.rotate('guild', record.id, 0)).rejects.toThrow(
    `Key ${record.id} is refused, because its record has a field above its bound: revoke it, and make another`,
  );
  await apiKeys.revoke('guild', record.id);
});

it('a key with more origins than its bound is not made, even for a caller that has not parsed them', async () => {
  const { apiKeys } = service.store;
  const origins = [`https://${'a'.repeat(2000)}`];
  await expect(apiKeys.create('full', 'page', null, origins)).rejects.toThrow(
    'These fields of an API key are too long: origins',
  );
  expect(await apiKeys.list('full')).toEqual([]);
});
