import { get as httpGet, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import request from 'supertest';
import { beforeEach, describe, expect, it } from 'vitest';
import { readUsage } from '../../../src/core/access/usage-reader.ts';
import { faultsOf } from '../../support/api-document.ts';
import { publicPagesSuite } from '../../support/public-pages.ts';
import { startService } from '../../support/service.ts';
import { describeStores } from '../../support/stores.ts';

/** Returns an answer with its body as the service sent it. */
async function exchange(url: string, headers: Record<string, string>) {
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    httpGet(url, { headers }, resolve).on('error', reject),
  );
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
}

const RANKING = '/g/guild/data.json';
const MEMBER = '/g/guild/m/ann/data.json';

describeStores('the data of a public page', (kind) => {
  const { suite, get, configure, record } = publicPagesSuite(kind, { CORS_ORIGINS: 'https://other.example' });
  /** Returns a document, which must be as the OpenAPI document describes it. */
  const read = async (path: string) => {
    const { body } = await get(path).expect(200);
    const schema = path.includes('/m/') ? 'RankedMember' : 'Ranking';
    expect(faultsOf(`public#/components/schemas/${schema}`, body)).toEqual([]);
    return body;
  };
  /** Returns the problem of an address, which must be as the OpenAPI document describes it. */
  const problem = async (path: string, status: number) => {
    const { body, headers } = await get(path).expect(status);
    expect(faultsOf('public#/components/schemas/Problem', body)).toEqual([]);
    expect(headers).toMatchObject({
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
      'x-request-id': body.request_id,
    });
    return body;
  };

  beforeEach(async () => {
    suite.service.advance(120_000);
    await record('ann', { set: 4675, username: 'Ann', dailyStreak: 4 });
    await record('bob', { set: 300, username: 'Bob' });
    await record('cid', { set: 100, username: 'Cid', level: 7 });
    await configure({ publicPage: true });
  });

  it('one document has the guild, the counters, the members and the number of pages', async () => {
    await configure({ pageTitle: 'The Den', pageLook: { picture: 'https://cdn.example/a.png' } });
    expect(await read(RANKING)).toEqual({
      guild: { id: 'guild', name: 'The Den', icon: 'https://cdn.example/a.png' },
      board: 'all',
      period: null,
      stats: { total_members: 3, total_xp: 5075, average_level: 6, xp_curve: 'standard', xp_multiplier: 1 },
      data: [
        {
          rank: 1,
          user_id: 'ann',
          username: 'Ann',
          level: 10,
          xp: 4675,
          level_xp: 4675,
          next_level_xp: 5775,
          avatar: null,
        },
        {
          rank: 2,
          user_id: 'bob',
          username: 'Bob',
          level: 2,
          xp: 300,
          level_xp: 255,
          next_level_xp: 475,
          avatar: null,
        },
        {
          rank: 3,
          user_id: 'cid',
          username: 'Cid',
          level: 7,
          xp: 100,
          level_xp: null,
          next_level_xp: null,
          avatar: null,
        },
      ],
      total: 3,
      page: 1,
      pages: 1,
      limit: 25,
    });
    await configure({ pageTitle: '', pageLook: { picture: '' } });
    expect((await read(RANKING)).guild).toEqual({ id: 'guild', name: null, icon: null });
  });

  it('the document has the name, the icon and the avatars that the bot has told, unless the owner chose a title and a picture', async () => {
    const icon = 'a'.repeat(32);
    const avatar = `a_${'b'.repeat(32)}`;
    const { client } = suite.testStore;
    await client.hset('gr:{guild}:about', { name: 'Told <b>name</b>', icon });
    await client.hset('gr:{guild}:avatars', { bob: avatar, cid: '../../evil' });
    expect((await read(RANKING)).guild.icon).toBeNull();
    await configure({ avatars: true });
    const { guild, data } = await read(RANKING);
    expect(guild).toEqual({
      ...{ id: 'guild', name: 'Told <b>name</b>' },
      icon: `https://cdn.discordapp.com/icons/guild/${icon}.webp?size=128`,
    });
    const picture = `https://cdn.discordapp.com/avatars/bob/${avatar}.webp?size=128`;
    expect(data.map((row: { avatar: string | null }) => row.avatar)).toEqual([null, picture, null]);
    expect((await read('/g/guild/m/bob/data.json')).member.avatar).toBe(picture);
    const { text, headers } = await get('/g/guild').expect(200);
    expect(text).toContain('Told &lt;b&gt;name&lt;/b&gt;</h1>');
    expect(text).toContain(`<img src="${picture}"`);
    expect(headers['content-security-policy']).toContain('img-src data: https://cdn.discordapp.com;');
    await configure({ pageTitle: 'The Den', pageLook: { picture: 'https://cdn.example/a.png' } });
    expect((await read(RANKING)).guild).toMatchObject({ name: 'The Den', icon: 'https://cdn.example/a.png' });
  });

  it('a further page of the document has its members, and a page past the last page has the true total', async () => {
    expect(await read(`${RANKING}?limit=2&page=2`)).toMatchObject({
      ...{ data: [{ user_id: 'cid' }], total: 3, page: 2, pages: 2, limit: 2 },
    });
    expect(await read(`${RANKING}?page=9`)).toMatchObject({ data: [], total: 3, page: 9, pages: 1 });
    await configure({ publicPage: true }, 'empty');
    expect(await read('/g/empty/data.json')).toMatchObject({ data: [], total: 0, page: 1, pages: 1 });
  });

  it('the document around a member has as many rows as elsewhere, with the member in the middle unless the ranking ends', async () => {
    const ids = async (around: string) => {
      const { data, page } = await read(`${RANKING}?limit=3&around=${around}`);
      return [...data.map(({ user_id }: { user_id: string }) => user_id), page];
    };
    await record('dan', { set: 50 });
    await record('eve', { set: 40 });
    expect(await ids('cid')).toEqual(['bob', 'cid', 'dan', 1]);
    expect(await ids('dan')).toEqual(['cid', 'dan', 'eve', 2]);
    expect(await ids('ann')).toEqual(['ann', 'bob', 'cid', 1]);
    expect(await ids('eve')).toEqual(['cid', 'dan', 'eve', 2]);
    expect((await problem(`${RANKING}?around=nobody`, 404)).code).toBe('member_not_found');
  });

  it('a search of the document finds a member by the exact id or a part of the name, and nobody by another text', async () => {
    await record('bea', { set: 50, username: 'Boa' });
    expect(await read(`${RANKING}?find=AN`)).toMatchObject({ data: [{ user_id: 'ann', rank: 1 }], total: 1 });
    expect(await read(`${RANKING}?find=bob`)).toMatchObject({
      data: [{ user_id: 'bob', rank: 2 }],
      total: 1,
      page: 1,
      pages: 1,
    });
    expect(await read(`${RANKING}?find=bo`)).toMatchObject({ data: [{}, {}], total: 2, pages: 1, limit: 25 });
    expect(await read(`${RANKING}?find=bo&limit=1`)).toMatchObject({
      ...{ data: [{ user_id: 'bob' }], total: 1, page: 1, pages: 1, limit: 1 },
    });
    await suite.service.store.writer.remove('guild', ['bea']);
    for (const text of ['nobody', 'B%20b', '%3Cb%3E'])
      expect(await read(`${RANKING}?find=${text}`)).toMatchObject({ data: [], total: 0, stats: { total_members: 3 } });
  });

  it('the document of a member has rank, level, XP and streak', async () => {
    expect(await read(MEMBER)).toEqual({
      guild: { id: 'guild', name: null, icon: null },
      board: 'all',
      period: null,
      stats: { total_members: 3, total_xp: 5075, average_level: 6, xp_curve: 'standard', xp_multiplier: 1 },
      member: {
        ...{ rank: 1, user_id: 'ann', username: 'Ann', level: 10, xp: 4675 },
        ...{ level_xp: 4675, next_level_xp: 5775, avatar: null, daily_streak: 4 },
      },
      total: 3,
    });
    expect((await problem('/g/guild/m/nobody/data.json', 404)).code).toBe('member_not_found');
  });

  it('the document of a board has its time in UTC by the clock of the guild, and no level of its XP', async () => {
    await configure({ boards: ['week', 'month'], utcOffsetMinutes: 60 });
    await record('bob', { add: 7 });
    const week = await read(`${RANKING}?board=week`);
    expect(week).toMatchObject({
      board: 'week',
      data: [{ user_id: 'bob', xp: 7, level: 2, level_xp: null, next_level_xp: null }],
    });
    const [seconds] = await suite.testStore.client.time();
    /** Returns the Monday or the first of the month in which a time is, at UTC+01:00. */
    const beginOf = (board: string, time: number) => {
      const date = new Date(time + 3_600_000);
      const year = date.getUTCFullYear();
      const month = date.getUTCMonth();
      const day = date.getUTCDate();
      const first = board.startsWith('week')
        ? Date.UTC(year, month, day - ((date.getUTCDay() + 6) % 7))
        : Date.UTC(year, month);
      return first - 3_600_000;
    };
    for (const board of ['week', 'month']) {
      const { period } = await read(`${RANKING}?board=${board}`);
      const { period: last } = await read(`${RANKING}?board=${board}.prev`);
      expect(Date.parse(period.from)).toBe(beginOf(board, Number(seconds) * 1000));
      expect(Date.parse(last.from)).toBe(beginOf(board, Date.parse(period.from) - 1));
      expect(last.to).toBe(period.from);
      expect(beginOf(board, Date.parse(period.to))).toBe(Date.parse(period.to));
      expect(Date.parse(period.to)).toBeGreaterThan(Number(seconds) * 1000);
    }
    expect(await read('/g/guild/m/bob/data.json?board=week')).toMatchObject({
      board: 'week',
      period: week.period,
      member: { xp: 7 },
    });
    expect((await problem('/g/guild/m/ann/data.json?board=week', 404)).code).toBe('member_not_found');
  });

  it('the document gets 404 without a public page, for a board that the guild does not have, and for a hidden member', async () => {
    for (const path of [
      '/g/none/data.json',
      '/g/none/m/ann/data.json',
      `${RANKING}?board=week`,
      `${MEMBER}?board=week`,
      '/g/a%20b/data.json',
    ])
      expect((await problem(path, 404)).code).toBe('not_found');
    await suite.service.store.writer.hide('guild', ['ann']);
    expect((await problem(MEMBER, 404)).code).toBe('member_not_found');
    expect(JSON.stringify(await read(RANKING))).not.toContain('ann');
    await configure({ publicPage: false });
    for (const path of [RANKING, '/g/guild/m/bob/data.json']) expect((await problem(path, 404)).code).toBe('not_found');
  });

  it('a document with bad parameters gets 400, which names each of them', async () => {
    const named = async (query: string) => {
      const { code, errors } = await problem(RANKING + query, 400);
      expect(code).toBe('invalid_request');
      return errors.map(({ parameter }: { parameter: string }) => parameter);
    };
    expect(await named('?limit=0&page=x&board=year')).toEqual(['board', 'page', 'limit']);
    expect(await named('?limit=101')).toEqual(['limit']);
    expect(await named('?around=a%20b')).toEqual(['around']);
    expect(await named(`?find=${'x'.repeat(101)}`)).toEqual(['find']);
    expect(await named('?find=%20')).toEqual(['find']);
    expect(await named('?find=a&find=b')).toEqual(['find']);
    expect(await named('?page=1&around=ann&find=bob')).toEqual(['around', 'find']);
    expect((await problem(`${MEMBER}?board=x`, 400)).errors).toHaveLength(1);
  });

  it('every site may read the document and keep it for five seconds, and it gets 304 while nothing has changed', async () => {
    for (const path of [RANKING, `${RANKING}?around=ann`, `${RANKING}?find=ann`, MEMBER]) {
      const { headers } = await get(path).set('Origin', 'https://any.example').expect(200);
      expect(headers).toMatchObject({
        'access-control-allow-origin': '*',
        'cache-control': 'public, max-age=5, s-maxage=5',
        'content-type': 'application/json; charset=utf-8',
        'cross-origin-resource-policy': 'cross-origin',
        'x-robots-tag': 'noindex',
        vary: 'Accept-Encoding',
      });
      expect(headers).not.toHaveProperty('ratelimit');
      const again = await get(path).set('If-None-Match', String(headers.etag)).expect(304);
      expect([again.text, again.headers['cache-control']]).toEqual(['', 'public, max-age=5, s-maxage=5']);
      await request(suite.service.url).head(path).expect(200, {});
      // A program that sends If-None-Match itself makes the browser ask first.
      const asked = await request(suite.service.url).options(path).set('Origin', 'https://any.example').expect(204);
      expect(asked.headers['access-control-allow-origin']).toBe('*');
      expect(asked.headers['access-control-allow-headers']).toContain('if-none-match');
      await record('ann', { add: 1 });
      await get(path).set('If-None-Match', String(headers.etag)).expect(200);
    }
    for (const path of [RANKING, MEMBER]) {
      const { headers, body } = await request(suite.service.url).post(path).expect(405);
      expect([headers.allow, body.code]).toEqual(['GET, HEAD, OPTIONS', 'method_not_allowed']);
    }
  });

  it('the document is compressed with brotli for a client that accepts it, else with gzip, with a tag for each form', async () => {
    const members = Array.from({ length: 100 }, (_, n) => ({ userId: `m${n}`, set: n }));
    await suite.service.store.writer.recordMany('guild', members);
    const path = `${RANKING}?limit=100`;
    const plain = await exchange(suite.service.url + path, { 'accept-encoding': 'identity' });
    const tags = new Set([plain.headers.etag]);
    for (const [accepted, coding, unpack] of [
      ['gzip, br', 'br', brotliDecompressSync],
      ['gzip', 'gzip', gunzipSync],
    ] as const) {
      const { headers, body } = await exchange(suite.service.url + path, { 'accept-encoding': accepted });
      expect(headers['content-encoding']).toBe(coding);
      expect(unpack(body).equals(plain.body)).toBe(true);
      expect(body.length).toBeLessThan(plain.body.length / 4);
      tags.add(headers.etag);
      const again = { 'accept-encoding': accepted, 'if-none-match': String(headers.etag) };
      expect((await exchange(suite.service.url + path, again)).status).toBe(304);
    }
    expect(tags.size).toBe(3);
  });

  it('an address that asks for the document or the page too often gets 429 with the time to wait', async () => {
    for (let i = 0; i < 60; i++) await get(i % 2 === 0 ? RANKING : '/g/guild').expect(200);
    const { body, headers } = await get(RANKING).expect(429);
    expect([body.code, headers['retry-after'], headers['access-control-allow-origin']]).toEqual([
      'quota_exceeded',
      '1',
      '*',
    ]);
    suite.service.advance(1000);
    await get(MEMBER).expect(200);
  });

  it('a request for the document is counted for its guild, off the quota, and a request for a guild without a page is not counted', async () => {
    const counting = await startService(suite.testStore, { PUBLIC_PAGES: '1' });
    const status = async (path: string) => (await fetch(counting.url + path)).status;
    for (const path of [RANKING, RANKING, MEMBER, '/g/guild', '/g/guild/badge.svg'])
      expect(await status(path)).toBe(200);
    for (const path of ['/g/none/data.json', '/g/guild/m/nobody/data.json']) expect(await status(path)).toBe(404);
    expect(await status(`${RANKING}?limit=0`)).toBe(400);
    await counting.close();
    const { store } = suite.service;
    const usageOf = (guild: string) => readUsage(store, guild, Date.parse('2026-01-15T12:30:00Z'));
    expect((await usageOf('guild')).publicUse).toEqual({
      page: { hour: 2, day: 2, week: 2 },
      data: { hour: 3, day: 3, week: 3 },
    });
    expect((await usageOf('guild')).hours.at(-1)).toMatchObject({ requests: 0, refused: 0 });
    expect((await usageOf('none')).publicUse.data.week).toBe(0);
    expect(await suite.testStore.client.exists('gr:quota:{guild}')).toBe(0);
  });

  describe('the OpenAPI document of public data', () => {
    it('the OpenAPI document of public data is served to every site, and describes both addresses alone', async () => {
      const { body, headers } = await get('/public/openapi.json').expect(200);
      expect(headers['access-control-allow-origin']).toBe('*');
      expect(Object.keys(body.paths)).toEqual(['/g/{guild_id}/data.json', '/g/{guild_id}/m/{user_id}/data.json']);
      expect(body.components).not.toHaveProperty('securitySchemes');
    });
  });
});
