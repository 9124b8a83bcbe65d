import request from 'supertest';
import { beforeEach, describe, expect, it } from 'vitest';
import { mockStore } from '../../support/stores.ts';
import { serviceSuite } from '../../support/suite.ts';

describe('compression of answers', () => {
  const suite = serviceSuite(mockStore, { PLAN_QUOTAS: 'free=1000' });
  const large = '/servers/guild/leaderboard?limit=100';
  beforeEach(() =>
    suite.service.store.writer.recordMany(
      'guild',
      Array.from({ length: 100 }, (_, i) => ({ userId: `u${i}`, set: i, username: `Müller ${i}` })),
    ),
  );
  const get = (path: string, encoding: string) => suite.get(path).set('accept-encoding', encoding);

  it('a client that accepts gzip gets a page of 100 rows compressed, with the content that other clients get as it is', async () => {
    const plain = await get(large, 'identity').expect(200);
    expect(plain.headers).toMatchObject({ vary: 'x-api-key, Accept-Encoding' });
    expect(plain.headers).not.toHaveProperty('content-encoding');
    for (const encoding of ['gzip', 'gzip, deflate, br, zstd', 'br;q=1, *;q=0.5']) {
      const small = await get(large, encoding).expect(200);
      const { 'content-encoding': coding, vary, 'content-length': length = '' } = small.headers;
      expect({ coding, vary }).toEqual({ coding: 'gzip', vary: 'x-api-key, Accept-Encoding' });
      expect(Number(length)).toBeLessThan(Number(plain.headers['content-length']) / 3);
      // supertest decompresses it.
      expect(small.text).toBe(plain.text);
    }
    for (const encoding of ['br', 'gzip;q=0', 'deflate']) {
      const { headers } = await get(large, encoding).expect(200);
      expect(headers.etag).toBe(plain.headers.etag);
    }
  });

  it('each form of a response has an ETag of its own, and either ETag gets 304', async () => {
    const plain = await get(large, 'identity');
    const small = await get(large, 'gzip');
    const tags = [plain.headers.etag as string, small.headers.etag as string];
    expect(tags[1]).toBe(tags[0]?.replace(/"$/, '-gzip"'));
    const same = await get(large, 'gzip')
      .set('if-none-match', tags[1] as string)
      .expect(304);
    expect(same.headers).toMatchObject({ etag: tags[1], vary: 'x-api-key, Accept-Encoding' });
    await get(large, 'identity')
      .set('if-none-match', tags[0] as string)
      .expect(304);
    // A proxy that compresses asks with a tag that it has marked itself.
    await get(large, 'gzip')
      .set('if-none-match', tags[0] as string)
      .expect(304);
    await get(large, 'identity')
      .set('if-none-match', tags[1] as string)
      .expect(304);
    await suite.service.store.writer.record('guild', { userId: 'u0', set: 1000 });
    const changed = await get(large, 'gzip')
      .set('if-none-match', tags[1] as string)
      .expect(200);
    expect(changed.headers['content-encoding']).toBe('gzip');
    expect(changed.body.data[0]).toMatchObject({ user_id: 'u0', xp: 1000 });
  });

  it('HEAD tells the length of the compressed form', async () => {
    const { headers } = await get(large, 'gzip');
    const head = await request(suite.service.url)
      .head(`/api/v1${large}`)
      .set({ 'x-api-key': suite.key, 'accept-encoding': 'gzip' })
      .expect(200);
    for (const name of ['content-length', 'content-encoding', 'etag', 'vary']) {
      expect(head.headers[name], name).toBe(headers[name]);
    }
  });

  it('small responses and problems are sent as they are', async () => {
    for (const path of ['/servers/guild/leaderboard', '/servers/guild/stats', '/servers/guild/members/u1']) {
      const { headers } = await get(path, 'gzip').expect(200);
      expect(headers.vary).toBe('x-api-key');
      expect(headers).not.toHaveProperty('content-encoding');
    }
    const { headers } = await get(`/servers/guild/members/${'x'.repeat(5000)}`, 'gzip').expect(400);
    expect(headers).not.toHaveProperty('content-encoding');
  });
});
