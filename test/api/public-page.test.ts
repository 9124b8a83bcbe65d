import fc from 'fast-check';
import request from 'supertest';
import { beforeEach, expect, it } from 'vitest';
import type { XpRecord } from '../../src/guild/members/records.ts';
import { describeStores } from '../support/stores.ts';
import { serviceSuite } from '../support/suite.ts';

describeStores('the public page of a guild', (kind) => {
  const suite = serviceSuite(kind, { PUBLIC_PAGES: '1' });
  const get = (path: string) => request(suite.service.url).get(path);
  const text = async (path: string) => {
    const answer = await fetch(suite.service.url + path);
    expect(answer.status).toBe(200);
    return answer.text();
  };
  const configure = (change: object) => suite.service.store.guildConfig.update('guild', change);
  const record = (userId: string, change: object) =>
    suite.service.store.writer.record('guild', { userId, ...change } as XpRecord);
  /** Returns the number of commands so far that read a guild. */
  const commands = async () => {
    const metrics = await suite.service.registry.metrics();
    return Number(/redis_command_duration_seconds_count\{command="batch"\} (\d+)/.exec(metrics)?.[1] ?? 0);
  };
  beforeEach(async () => {
    suite.service.advance(120_000);
    await record('ann', { set: 4675, profile: { username: 'Ann', dailyStreak: 4 } });
    await record('bob', { set: 100, profile: { username: 'Bob' } });
    await configure({ publicPage: true });
  });

  it('shows ranks, names, levels and XP, with links to the members', async () => {
    const html = await text('/g/guild');
    for (const shown of [
      '<h1 dir="auto">guild</h1>',
      'href="guild/m/ann"',
      '2 members',
      '4,675',
      'Level 10',
      'Page 1 of 1',
    ])
      expect(html).toContain(shown);
    expect(html.indexOf('Ann')).toBeLessThan(html.indexOf('Bob'));
    await configure({ pageTitle: 'The <b>Den</b>' });
    expect(await text('/g/guild')).toContain('The &lt;b&gt;Den&lt;/b&gt;</h1>');
  });

  it('shows a member with rank, level, XP, progress, streak and those next to it', async () => {
    const html = await text('/g/guild/m/bob');
    for (const shown of [
      '>2 of 2<',
      '<dt>Level</dt><dd>1</dd>',
      '155 XP to level 2',
      'href="ann"',
      'href="../../guild"',
    ])
      expect(html).toContain(shown);
    expect(await text('/g/guild/m/ann')).toContain('<dt>Daily streak</dt><dd>4</dd>');
  });

  it('is found by the id of a member', async () => {
    const { headers } = await get('/g/guild/m?id=%20bob%20&board=week').expect(303);
    expect(new URL(String(headers.location), 'http://x/g/guild/m').href).toBe('http://x/g/guild/m/bob?board=week');
    const empty = await get('/g/guild/m?id=').expect(303);
    expect(new URL(String(empty.headers.location), 'http://x/g/guild/m').href).toBe('http://x/g/guild');
  });

  it('has further pages, and says where the ranking ends', async () => {
    const first = await text('/g/guild?limit=1');
    expect(first).toContain('href="guild?page=2&amp;limit=1"');
    expect(first).not.toContain('Bob');
    expect(await text('/g/guild?limit=1&page=2')).toContain('Bob');
    expect(await text('/g/guild?page=9')).toContain('past the end');
    await suite.service.store.guildConfig.update('empty', { publicPage: true });
    expect(await text('/g/empty')).toContain('No XP yet.');
  });

  it('has a tab for each board that the guild has', async () => {
    expect(await text('/g/guild')).not.toContain('class="tabs"');
    await get('/g/guild?board=week').expect(404);
    await configure({ boards: ['week'] });
    await record('bob', { add: 7 });
    expect(await text('/g/guild')).toContain('<a href="guild?board=week">This week</a>');
    const week = await text('/g/guild?board=week');
    expect(week).toContain('<a href="guild?board=week" aria-current="page">This week</a>');
    expect(week).toContain('href="guild/m/bob?board=week"');
    expect(week).not.toContain('Ann');
    expect(await text('/g/guild?board=week.prev')).toContain('No XP yet.');
    expect(await text('/g/guild/m/bob?board=week')).toContain('<dt>XP</dt><dd>7</dd>');
    for (const path of ['/g/guild?board=month', '/g/guild/m/ann?board=week']) await get(path).expect(404);
  });

  it('is 404 for a guild that did not switch it on, and at once after it switched it off', async () => {
    await record('ann', { add: 1 });
    await suite.service.store.writer.record('other', { userId: 'ann', set: 1 });
    const { status, text: missing } = await get('/g/none');
    const paths = ['/g/guild', '/g/guild/m/ann', '/g/guild/badge.svg'];
    for (const path of paths) await get(path).expect(200);
    await configure({ publicPage: false });
    for (const path of [...paths, '/g/other', '/g/other/m/ann', '/g/a%20b']) {
      const answer = await get(path).expect(404);
      expect(answer.headers['content-type']).toContain('text/html');
      if (!/m|svg/.test(path)) expect([answer.status, answer.text]).toEqual([status, missing]);
    }
    await configure({ publicPage: true });
    await get('/g/guild').expect(200);
    // A raw write, which raises no revision.
    await suite.testStore.client.hdel('gr:{guild}:config', 'public_page');
    await get('/g/guild').expect(404);
  });

  it('shows no hidden member', async () => {
    await text('/g/guild/m/ann');
    await suite.service.store.writer.hide('guild', ['ann']);
    for (const path of ['/g/guild/m/ann', '/g/guild/badge.svg?member=ann']) await get(path).expect(404);
    for (const path of ['/g/guild', '/g/guild/m/bob', '/g/guild/badge.svg'])
      expect(await text(path)).not.toContain('Ann');
  });

  it('is never stale, and 304 while nothing has changed', async () => {
    for (const path of ['/g/guild', '/g/guild/m/ann', '/g/guild/badge.svg?member=ann']) {
      const { headers } = await get(path).expect(200);
      expect(headers['cache-control']).toBe('no-cache');
      const again = await get(path).set('if-none-match', String(headers.etag)).expect(304);
      expect(again.text).toBe('');
    }
    const { headers } = await get('/g/guild').expect(200);
    for (let xp = 5001; xp < 5020; xp++) {
      await record('ann', { set: xp });
      const { text: html } = await get('/g/guild').set('if-none-match', String(headers.etag)).expect(200);
      expect(html).toContain(`5,0${String(xp).slice(-2)}`);
    }
  });

  it('takes one round trip, and counts on no quota', async () => {
    const before = await commands();
    for (const path of ['/g/guild', '/g/guild', '/g/guild/m/ann', '/g/guild/badge.svg']) await get(path).expect(200);
    expect(await commands()).toBe(before + 4);
    expect(await suite.testStore.client.exists('gr:quota:{guild}')).toBe(0);
  });

  it('answers HEAD with the headers of GET, and runs no script but its own', async () => {
    for (const path of ['/g/guild', '/g/guild/m/ann', '/g/guild/badge.svg']) {
      const { headers } = await get(path).set('accept-encoding', 'identity').expect(200);
      const head = await request(suite.service.url).head(path).set('accept-encoding', 'identity').expect(200);
      expect(head.text).toBeUndefined();
      for (const name of ['etag', 'content-type', 'content-length', 'content-security-policy'])
        expect(head.headers[name]).toBe(headers[name]);
      expect(headers['content-security-policy']).toContain("default-src 'none'");
      expect(headers['content-security-policy']).not.toContain('unsafe');
      await request(suite.service.url).post(path).expect(405);
    }
    const { headers } = await get('/public/page.css').expect(200);
    await get('/public/page.css').set('if-none-match', String(headers.etag)).expect(304);
    expect((await get('/public/live.js').expect(200)).headers['content-type']).toContain('text/javascript');
  });

  it('names the wrong parameter', async () => {
    for (const [query, word] of [
      ['page=0', 'page must be'],
      ['limit=101', 'limit must be'],
      ['board=day', 'board must be'],
      ['board=week&board=month', 'board must be'],
      ['overlay=yes', 'overlay must be'],
      ['page=%3Cscript%3E', 'page must be'],
    ] as const) {
      const { text: html } = await get(`/g/guild?${query}`).expect(400);
      expect(html).toContain(word);
      expect(html.toLowerCase()).not.toMatch(/<script>/);
    }
  });

  it('is a picture over a video with ?overlay=1', async () => {
    const html = await text('/g/guild?overlay=1&limit=1');
    expect(html).toContain('class="overlay"');
    expect(html).toContain('Ann');
    expect(html).not.toMatch(/<form|<nav|<a |Bob/);
  });

  it('has a badge of 2 kB at most, with the members and the first one, or with the rank of a member', async () => {
    expect(await text('/g/guild/badge.svg')).toContain('2 members · 1. Ann</title>');
    expect(await text('/g/guild/badge.svg?member=bob')).toContain('Bob: rank 2 · level 1</title>');
    const { headers } = await get('/g/guild/badge.svg').expect(200);
    expect(headers['content-type']).toBe('image/svg+xml; charset=utf-8');
    for (const username of ['&'.repeat(300), '👩‍👩‍👧'.repeat(50), 'W'.repeat(1000), '\u0001\uFFFE<']) {
      await record('ann', { set: 4675, profile: { username } });
      const svg = await text('/g/guild/badge.svg');
      expect(Buffer.byteLength(svg)).toBeLessThanOrEqual(2000);
      expect(svg.trim()).not.toMatch(/[\p{Cc}\uFFFE]/u);
    }
  });

  it('writes no name and no title as markup', async () => {
    const paths = [
      '/g/guild',
      '/g/guild?overlay=1',
      '/g/guild/m/ann',
      '/g/guild/badge.svg',
      '/g/guild/badge.svg?member=ann',
    ];
    /** Returns the markup: what is left without the texts. */
    const markup = async () => {
      const documents: string[] = [];
      for (const path of paths) documents.push((await text(path)).replace(/[^<>"']/g, ''));
      suite.service.advance(10_000);
      return documents;
    };
    await configure({ pageTitle: 'A' });
    await record('ann', { set: 4675, profile: { username: 'A' } });
    const plain = await markup();
    const hostile = fc.oneof(
      fc.constantFrom(
        '<script>alert(1)</script>',
        '"><img src=x onerror=alert(1)>',
        "'--><svg onload='x'>",
        '</title>',
        ']]>',
      ),
      fc
        .array(fc.constantFrom('<', '>', '"', "'", '&', '=', '/', 'a', '\u202e', 'ا', '&lt;'), {
          minLength: 1,
          maxLength: 30,
        })
        .map((all) => all.join('')),
    );
    await fc.assert(
      fc.asyncProperty(hostile, hostile, async (pageTitle, username) => {
        await configure({ pageTitle });
        await record('ann', { set: 4675, profile: { username } });
        expect(await markup()).toEqual(plain);
      }),
      { numRuns: 12 },
    );
  });

  it('is named in logs and metrics by its route, without ids', async () => {
    for (const path of ['/g/guild', '/g/guild/m/ann', '/g/guild/badge.svg', '/g/guild/m?id=ann']) await get(path);
    const metrics = await suite.service.registry.metrics();
    for (const route of ['/g/:guild_id', '/g/:guild_id/m/:user_id', '/g/:guild_id/badge.svg']) {
      expect(metrics).toContain(`route="${route}",status="200"`);
      expect(suite.service.logText()).toContain(`"route":"${route}"`);
    }
    expect(suite.service.logText()).not.toMatch(/\/g\/guild|m\/ann/);
    expect(metrics).not.toMatch(/\/g\/guild|m\/ann/);
  });
});

describeStores('the public pages of an address', (kind) => {
  const suite = serviceSuite(kind, { PUBLIC_PAGES: '1', TRUST_PROXY: '1' });
  const get = (address: string, path = '/g/guild') =>
    request(suite.service.url).get(path).set('x-forwarded-for', address);

  it('are limited, apart from those of other addresses and from the API', async () => {
    await suite.service.store.guildConfig.update('guild', { publicPage: true });
    for (let i = 0; i < 60; i++) await get('192.0.2.1', i % 2 ? '/g/guild' : '/g/none');
    const { headers, text } = await get('192.0.2.1').expect(429);
    expect(headers).toMatchObject({ 'retry-after': '1', 'cache-control': 'no-store' });
    expect(headers['content-type']).toContain('text/html');
    expect(text).toContain('Too many requests');
    await get('192.0.2.2').expect(200);
    await suite.get('/servers/guild/stats').expect(200);
    expect(await suite.service.registry.metrics()).toContain('guildrank_held_back_requests_total 0');
    suite.service.advance(1000);
    await get('192.0.2.1').expect(200);
    await get('192.0.2.1').expect(429);
  });
});

describeStores('without PUBLIC_PAGES', (kind) => {
  const suite = serviceSuite(kind);

  it('there is no public page, as for any unknown path', async () => {
    await suite.service.store.guildConfig.update('guild', { publicPage: true });
    const answer = async (path: string) => {
      const { status, body } = await request(suite.service.url).get(path);
      return { status, ...body, request_id: '' };
    };
    const unknown = await answer('/unknown');
    for (const path of ['/g/guild', '/g/guild/m/ann', '/g/guild/badge.svg', '/g/guild/m', '/public/page.css'])
      expect(await answer(path)).toEqual(unknown);
    expect(unknown).toMatchObject({ status: 404, code: 'not_found' });
  });
});
