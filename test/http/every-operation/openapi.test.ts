import request from 'supertest';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/service.ts';
import { generateKey } from '../../../src/core/access/key-format.ts';
import type { RedisClient } from '../../../src/core/store/client.ts';
import { createService } from '../../../src/service/service.ts';
import { document, expectDocumented } from '../../support/api-document.ts';
import { LONG_REDIS_TIMEOUT } from '../../support/process.ts';
import { SILENT, startService, type TestService } from '../../support/service.ts';
import { describeStores, realStore, type TestStore } from '../../support/stores.ts';

describeStores('the API', (kind) => {
  let testStore: TestStore;
  let service: TestService;
  let key: string;
  let client: RedisClient;

  beforeAll(async () => {
    testStore = await kind.start();
    client = testStore.connect();
    service = await startService(testStore, { PLAN_QUOTAS: 'free=30' });
  });
  afterAll(async () => {
    await service.close();
    await testStore.stop();
  });
  beforeEach(async () => {
    await testStore.empty();
    ({ key } = await service.store.apiKeys.create('guild', 'test', null));
    await service.store.writer.recordMany('guild', [
      { userId: '1', set: 255, username: 'One', lastDailyClaim: '2026-01-14T08:30:00Z', dailyStreak: 5 },
      { userId: '2', set: Number.MAX_SAFE_INTEGER },
      { userId: '3', set: 0 },
    ]);
  });

  const OPERATIONS = ['/servers/guild/leaderboard', '/servers/guild/members/1', '/servers/guild/stats'];

  /** Sends a request, checks its status and its answer against the document. */
  async function ask(
    status: number,
    url: string,
    headers: Record<string, string> = { 'x-api-key': key },
    method = 'GET',
    base = service.url,
  ) {
    const verb = method.toLowerCase() as 'get';
    const answer = await request(base)[verb](`/api/v1${url}`).set(headers);
    expect(answer.status, JSON.stringify(answer.body)).toBe(status);
    expectDocumented({ status, headers: answer.headers, text: answer.text ?? '' }, url, method);
    return answer;
  }

  describe('the answers of the API', () => {
    it.each(OPERATIONS)(
      'the 200 and 304 of %s, by GET and by HEAD, are as the document describes them',
      async (url) => {
        const { headers } = await ask(200, url);
        await ask(304, url, { 'x-api-key': key, 'if-none-match': String(headers.etag) });
        await ask(200, url, { 'x-api-key': key }, 'HEAD');
      },
    );

    it.each(['?page=99', '?limit=1', '?limit=100&page=1&other=1'])(
      'the 200 of the leaderboard with %s is as the document describes it',
      async (query) => {
        await ask(200, `/servers/guild/leaderboard${query}`);
      },
    );

    it('the 200 of a guild without data is as the document describes it', async () => {
      const { key: emptyKey } = await service.store.apiKeys.create('empty', 'test', null);
      await ask(200, '/servers/empty/leaderboard', { 'x-api-key': emptyKey });
      await ask(200, '/servers/empty/stats', { 'x-api-key': emptyKey });
    });

    it.each(['?limit=0', '?limit=101&page=0', '?page=1e3', '?limit=1&limit=2'])(
      'the 400 with %s is as the document describes it',
      async (query) => {
        await ask(400, `/servers/guild/leaderboard${query}`);
      },
    );

    it('the 400 with a bad id is as the document describes it', async () => {
      await ask(400, '/servers/guild/members/a%20b');
    });

    it.each(OPERATIONS)(
      'the 401 of %s without a key, with a malformed and with an unknown key is as the document describes it',
      async (url) => {
        await ask(401, url, {});
        await ask(401, url, { 'x-api-key': 'nonsense' });
        await ask(401, url, { 'x-api-key': generateKey() });
      },
    );

    it.each(OPERATIONS)('the 403 of %s with the key of another guild is as the document describes it', async (url) => {
      const { key: other } = await service.store.apiKeys.create('other', 'test', null);
      await ask(403, url, { 'x-api-key': other });
    });

    it('the 404 of a member that is not ranked is as the document describes it', async () => {
      await ask(404, '/servers/guild/members/4');
    });

    it.each(OPERATIONS)('the 405 of %s, with a key and without, is as the document describes it', async (url) => {
      await ask(405, url, { 'x-api-key': key }, 'POST');
      await ask(405, url, {}, 'DELETE');
    });

    it('the 429 of a used-up quota is as the document describes it', async () => {
      for (let i = 0; i < 30; i++) await ask(200, '/servers/guild/stats');
      for (const url of OPERATIONS) await ask(429, url);
    });

    it('the 503 of data that cannot be read is as the document describes it', async () => {
      await client.del('gr:{guild}:xp');
      await client.lpush('gr:{guild}:xp', 'something else');
      const { headers } = await ask(503, '/servers/guild/leaderboard');
      expect(headers).toHaveProperty('ratelimit');
    });

    // The mock lets the limiter count in a list.
    if (kind === realStore)
      it('the 503 of a quota that cannot be counted is as the document describes it', async () => {
        await client.lpush('gr:quota:{guild}', 'something else');
        const { headers } = await ask(503, '/servers/guild/leaderboard');
        expect(headers).not.toHaveProperty('ratelimit');
      });

    it('the 500 of a failure of the service is as the document describes it', async () => {
      let broken = false;
      const clock = () => {
        if (broken) throw new Error('the clock fails');
        return Date.now();
      };
      const config = parseConfig({ HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0', ...LONG_REDIS_TIMEOUT });
      const store = { client: testStore.connect(), subscriber: testStore.connect() };
      const failing = await (await createService(config, { logger: SILENT, store, clock })).start();
      try {
        await ask(200, '/servers/guild/stats', undefined, undefined, failing.url);
        broken = true;
        await ask(500, '/servers/guild/stats', undefined, undefined, failing.url);
      } finally {
        broken = false;
        await failing.close();
      }
    });
  });

  describe('/api/v1/openapi.json', () => {
    const get = () => request(service.url).get('/api/v1/openapi.json');

    it('/api/v1/openapi.json serves the document to everyone, without a key', async () => {
      const { body, headers } = await get()
        .expect(200)
        .expect('content-type', /^application\/json/);
      expect(body).toEqual(document);
      expect(headers).toMatchObject({ 'access-control-allow-origin': '*', 'x-content-type-options': 'nosniff' });
      expect(headers).not.toHaveProperty('ratelimit');
    });

    it('/api/v1/openapi.json answers a known ETag with 304, and a method that writes with 405', async () => {
      const { headers } = await get();
      await get().set('if-none-match', String(headers.etag)).expect(304);
      await request(service.url).head('/api/v1/openapi.json').expect(200).expect('content-length', /^\d+$/);
      await request(service.url).post('/api/v1/openapi.json').expect(405).expect('allow', 'GET, HEAD, OPTIONS');
      await request(service.url).options('/api/v1/openapi.json').expect(204);
    });
  });
});
