import request from 'supertest';
import { expect, it } from 'vitest';
import { describeStores } from '../../support/stores.ts';
import { serviceSuite, setPlan } from '../../support/suite.ts';

describeStores('caching', (kind) => {
  const suite = serviceSuite(kind);
  const path = '/servers/guild/leaderboard';

  it('the same content has the same ETag', async () => {
    const { writer } = suite.service.store;
    await writer.record('guild', { userId: 'a', set: 5 });
    const first = await suite.get(path);
    await writer.record('guild', { userId: 'a', set: 6 });
    const second = await suite.get(path);
    await writer.record('guild', { userId: 'a', set: 5 });
    const third = await suite.get(path);
    expect(first.headers.etag).toMatch(/^"[\w-]{27}"$/);
    expect(second.headers.etag).not.toBe(first.headers.etag);
    expect(third.headers.etag).toBe(first.headers.etag);
    expect(first.headers['cache-control']).toBe('private, no-cache');
    expect(first.headers.vary).toBe('x-api-key');
  });

  it('a request with the current ETag gets 304 without a body, and a request with another ETag gets 200', async () => {
    const { headers } = await suite.get(path);
    const again = await suite
      .get(path)
      .set('if-none-match', headers.etag ?? '')
      .expect(304);
    expect(again.text).toBe('');
    expect(again.headers).toMatchObject({
      etag: headers.etag,
      'cache-control': 'private, no-cache',
      vary: 'x-api-key',
    });
    expect(again.headers).toHaveProperty('ratelimit');
    expect(again.headers).not.toHaveProperty('content-length');
    await suite.get(path).set('if-none-match', '"other"').expect(200);
  });

  it.each([
    ['nginx', (tag: string) => `W/${tag}`],
    ['Apache', (tag: string) => tag.replace(/"$/, '-gzip"')],
  ])('an ETag that %s has marked while it compressed the response gets 304', async (_proxy, marked) => {
    const { headers } = await suite.get(path);
    await suite
      .get(path)
      .set('if-none-match', marked(headers.etag ?? ''))
      .expect(304);
  });

  it('a page is never older than the last acknowledged write', async () => {
    await setPlan(suite, 'guild', 'pro');
    for (let xp = 1; xp <= 60; xp++) {
      await suite.service.store.writer.record('guild', { userId: 'a', set: xp });
      const [page, member, stats] = await Promise.all([
        suite.get(path),
        suite.get('/servers/guild/members/a'),
        suite.get('/servers/guild/stats'),
      ]);
      expect(page.body.data[0].xp).toBe(xp);
      expect(member.body.xp).toBe(xp);
      expect(stats.body.total_xp).toBe(xp);
    }
  });

  it('a change of settings leaves the cached responses of other guilds in place', async () => {
    const hits = async () => {
      const text = await suite.service.registry.metrics();
      return Number(/guildrank_page_cache_requests_total\{result="hit"\} (\d+)/.exec(text)?.[1] ?? 0);
    };
    await setPlan(suite, 'guild', 'pro');
    await suite.service.store.writer.record('guild', { userId: 'a', set: 5 });
    await suite.get(path).expect(200);
    await suite.get(path).expect(200);
    const before = await hits();
    for (const other of ['b', 'c', 'd']) await setPlan(suite, other, 'pro');
    await suite.get(path).expect(200);
    expect(await hits()).toBe(before + 1);
  });

  it('a guild that was deleted and filled again shows its new data', async () => {
    const { writer } = suite.service.store;
    await writer.record('guild', { userId: 'a', set: 1 });
    await suite.get(path).expect(200);
    await suite.testStore.client.del('gr:{guild}:xp', 'gr:{guild}:stats', 'gr:{guild}:members');
    expect((await suite.get(path)).body.data).toEqual([]);
    await writer.record('guild', { userId: 'b', set: 1 });
    expect((await suite.get(path)).body.data).toMatchObject([{ user_id: 'b' }]);
  });

  it('HEAD gets the headers of GET and no body', async () => {
    const get = await suite.get(path);
    const head = await request(suite.service.url).head(`/api/v1${path}`).set('x-api-key', suite.key).expect(200);
    for (const name of ['etag', 'content-length', 'content-type', 'cache-control']) {
      expect(head.headers[name]).toBe(get.headers[name]);
    }
    expect(head.text).toBeUndefined();
  });
});

describeStores('the cache of browsers', (kind) => {
  const suite = serviceSuite(kind, { CACHE_MAX_AGE_S: '30', CACHE_MAX_PAGES: '0' });

  it('CACHE_MAX_AGE_S tells the browser how long it may reuse a response', async () => {
    const { headers } = await suite.get('/servers/guild/stats').expect(200);
    expect(headers['cache-control']).toBe('private, max-age=30');
  });
});
