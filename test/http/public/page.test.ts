import { createHash } from 'node:crypto';
import request from 'supertest';
import { beforeEach, describe, expect, it } from 'vitest';
import { publicPagesSuite } from '../../support/public-pages.ts';
import { describeStores } from '../../support/stores.ts';

describeStores('the public page of a guild', (kind) => {
  const { suite, get, text, configure, record } = publicPagesSuite(kind);
  /** Returns the number of commands so far that read a guild. */
  const commands = async () => {
    const metrics = await suite.service.registry.metrics();
    return Number(/redis_command_duration_seconds_count\{command="batch"\} (\d+)/.exec(metrics)?.[1] ?? 0);
  };
  beforeEach(async () => {
    suite.service.advance(120_000);
    await record('ann', { set: 4675, username: 'Ann', dailyStreak: 4 });
    await record('bob', { set: 100, username: 'Bob' });
    await configure({ publicPage: true });
  });

  it('the public page shows ranks, names, levels and XP, with links to the members', async () => {
    const html = await text('/g/guild');
    for (const shown of ['<h1 dir="auto">guild</h1>', 'href="guild/m/ann"', '2 members', '4,675', 'Level 10'])
      expect(html).toContain(shown);
    expect(html.indexOf('Ann')).toBeLessThan(html.indexOf('Bob'));
    await configure({ pageTitle: 'The <b>Den</b>' });
    expect(await text('/g/guild')).toContain('The &lt;b&gt;Den&lt;/b&gt;</h1>');
  });

  describe('an address below /g that names nothing', () => {
    const BROWSER = 'text/html,application/xhtml+xml,*/*;q=0.8';
    const page = (path: string) => get(path).set('Accept', BROWSER).expect(404);
    it.each([
      ['/g', './', 'Guildrank'],
      ['/g/', '../', 'Guildrank'],
      ['/g/guild/m', '../../g/guild', 'Leaderboard'],
      ['/g/guild/m/', '../../../g/guild', 'Leaderboard'],
      ['/g/guild/leaderboard', '../../g/guild', 'Leaderboard'],
      ['/g/guild/m/ann/card', '../../../../g/guild', 'Leaderboard'],
    ])('a browser gets 404 and a page with the way back for %s', async (path, href, label) => {
      const { headers, text } = await page(path);
      expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
      expect(text).toContain(`<a class="button" href="${href}">${label}</a>`);
      const [, sheet = ''] = /<link rel="stylesheet" href="(.*?)">/.exec(text) ?? [];
      const { pathname } = new URL(sheet, suite.service.url + path);
      expect((await get(pathname).expect(200)).headers['content-type']).toContain('text/css');
      expect(new URL(href, suite.service.url + path).pathname).toBe(label === 'Guildrank' ? '/' : '/g/guild');
    });

    it('the page with the way back speaks the language of the browser, or the language that the address names', async () => {
      expect((await page('/g/guild/m').set('Accept-Language', 'de')).text).toContain('Rangliste</a>');
      expect((await page('/g/guild/m?lang=de')).text).toContain('href="../../g/guild?lang=de"');
    });

    it.each([[undefined], ['*/*'], ['application/json'], ['application/problem+json']])(
      'a program that accepts %s gets 404 and a problem document for an address that names nothing',
      async (accept) => {
        for (const path of ['/g', '/g/guild/m', '/g/guild/m/ann/card']) {
          const answer = accept ? get(path).set('Accept', accept) : get(path);
          const { headers, body } = await answer.expect(404);
          expect(headers['content-type']).toContain('application/problem+json');
          expect(body).toMatchObject({ code: 'not_found' });
        }
      },
    );

    it('a browser gets 404 and a problem document for /gx, which is not below /g', async () => {
      expect((await page('/gx')).headers['content-type']).toContain('application/problem+json');
    });
  });

  it.each([
    ['/g/guild?page=abc', 'guild'],
    ['/g/guild?board=year', 'guild'],
    ['/g/guild/m/ann?board=year', '../../guild'],
    ['/g/guild/rewards?lang=xx', '../guild'],
  ])('an address with a wrong parameter, %s, gets 400 with the way back to the ranking', async (path, back) => {
    const { text } = await get(path).expect(400);
    const [, href = ''] = /<a class="button" href="(.*?)">Leaderboard<\/a>/.exec(text) ?? [];
    expect(new URL(href, suite.service.url + path).href).toBe(new URL(back, suite.service.url + path).href);
  });

  it('the search on the page of a missing member finds members', async () => {
    const { text: missing } = await get('/g/guild/m/nobody').expect(404);
    const [, action = ''] = /<form class="search" action="(.*?)">/.exec(missing) ?? [];
    const { pathname } = new URL(action, `${suite.service.url}/g/guild/m/nobody`);
    expect((await get(`${pathname}?find=Ann`).expect(303)).headers.location).toBe('guild/m/ann');
  });

  it('the public page answers an address again as it did first, to each method and in each language', async () => {
    await configure({ pageTitle: 'Den' });
    for (const path of ['/g/guild', '/g/guild?page=1', '/g/guild/m/ann', '/g/guild/badge.svg']) {
      const first = await get(path).expect(200);
      const german = await get(path).set('Accept-Language', 'de').expect(200);
      expect(german.text === first.text).toBe(path.endsWith('.svg'));
      for (const [lang, { body, text, headers }] of [
        ['en', first],
        ['de', german],
      ] as const) {
        const again = await get(path).set('Accept-Language', lang).expect(200);
        expect([again.text, again.body, again.headers.etag]).toEqual([text, body, headers.etag]);
      }
      await request(suite.service.url).head(path).expect(200, {});
      await get(path).set('If-None-Match', String(first.headers.etag)).expect(304);
      expect((await request(suite.service.url).post(path).expect(405)).headers.allow).toBe('GET, HEAD, OPTIONS');
      await configure({ publicPage: false });
      await get(path).expect(404);
      await configure({ publicPage: true });
    }
  });

  it('the page of a member shows rank, level, XP, progress and streak, and the members next to it', async () => {
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

  it('the page around a member shows that member in the middle of the rows, at an address that can be shared', async () => {
    for (const userId of ['cid', 'dan', 'eve']) await record(userId, { set: 50, username: userId });
    const rows = async (path: string) => {
      const html = await text(path);
      return [...html.matchAll(/class="row( is-wanted" id="wanted)?" data-id="(\w+)"/g)].map(([, mark, id]) =>
        mark ? `*${id}` : id,
      );
    };
    expect(await rows('/g/guild?around=dan&limit=3')).toEqual(['eve', '*dan', 'cid']);
    expect(await rows('/g/guild?around=ann&limit=3')).toEqual(['*ann', 'bob', 'eve']);
    expect(await text('/g/guild/m/dan')).toContain('href="../../guild?around=dan#wanted">Show in list</a>');
    await get('/g/guild?around=nobody').expect(404);
    await get('/g/guild?around=a%20b').expect(400);
  });

  it.each([
    ['a member who is not ranked', '/g/guild/m/nobody'],
    ['a board that the guild does not have', '/g/guild?board=month'],
    ['a member on such a board', '/g/guild/m/ann?board=month'],
    ['rewards that the guild does not show', '/g/guild/rewards'],
  ])('the 404 of %s keeps title, colours, boards and search, under a policy that allows them', async (_, path) => {
    await configure({ pageTitle: 'The Den', pageLook: { accent: '#0f766e' }, boards: ['week'] });
    const { text: html, headers } = await get(path).expect(404);
    for (const kept of ['>The Den</a>', '>This week</a>', '<form class="search"']) expect(html).toContain(kept);
    expect(/href="[./]*g\/guild([^"/]*)" dir="auto">The Den/.exec(html)?.[1]).toBe('');
    const [, style = ''] = /<style>(.*?)<\/style>/.exec(html) ?? [];
    expect(style).toContain('#0f766e');
    expect(headers['content-security-policy']).toContain(
      `'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    );
  });

  it('the 404 of a guild without a public page shows nothing of it', async () => {
    expect((await get('/g/none/m/nobody').expect(404)).text).not.toContain('<style>');
  });

  it('the 404 of an address that leads nowhere offers a way back', async () => {
    await configure({ boards: ['week'] });
    await record('bob', { add: 7 });
    const linksOf = async (path: string) => {
      const { text: html } = await get(path).expect(404);
      const hrefs = [...html.matchAll(/<a class="button" href="([^"]*)"/g)];
      return [html.includes('This member is not in this ranking.'), ...hrefs.map(([, href]) => href)];
    };
    const root = '../../../g/guild';
    expect(await linksOf('/g/guild/m/ann?board=week&lang=en')).toEqual([
      true,
      `${root}/m/ann?lang=en`,
      `${root}?lang=en`,
    ]);
    expect(await linksOf('/g/guild/m/nobody')).toEqual([true, root]);
    expect(await linksOf('/g/guild?board=month')).toEqual([false, '../g/guild']);
    expect(await linksOf('/g/guild/rewards?lang=en')).toEqual([false, '../../g/guild?lang=en']);
    expect(await linksOf('/g/none')).toEqual([false]);
    expect(await linksOf('/g/none/m/nobody')).toEqual([false, '../../../g/none']);
    // There is no guild with such an id, and a badge names its member elsewhere.
    expect(await linksOf('/g/guild%20x?board=week')).toEqual([false]);
    expect(await linksOf('/g/guild/badge.svg?member=ann&board=week')).toEqual([true, '../../g/guild']);
    expect(await linksOf('/g/guild/m/%61nn?board=week')).toEqual([true, `${root}/m/%61nn`, root]);
  });

  it('an address with a slash at its end gets 308 to the page', async () => {
    for (const [path, to] of [
      ['/g/guild/', '/g/guild'],
      ['/g/guild/?lang=de&page=2', '/g/guild?lang=de&page=2'],
      ['/g/guild/m/ann/?board=week', '/g/guild/m/ann?board=week'],
      ['/g/guild/rewards/', '/g/guild/rewards'],
      ['/g/%2F%2Fevil.example/', '/g/%2F%2Fevil.example'],
    ] as const) {
      const { headers } = await get(path).redirects(0).expect(308);
      expect(new URL(String(headers.location), `https://ranks.example/below${path}`).href).toBe(
        `https://ranks.example/below${to}`,
      );
    }
  });

  it('search engines are told to leave out the cards and badges of members, just as the pages of members', async () => {
    expect(await text('/g/guild/m/ann')).toContain('<meta name="robots" content="noindex">');
    for (const path of ['/g/guild/m/ann/card.svg', '/g/guild/badge.svg', '/g/guild/badge.svg?member=ann']) {
      const { headers } = await get(path).expect(200);
      expect([path, headers['x-robots-tag']]).toEqual([path, 'noindex']);
    }
  });

  it('the public page has further pages, and says where the ranking ends', async () => {
    const first = await text('/g/guild?limit=1');
    expect(first).toContain('href="guild?page=2&amp;limit=1"');
    expect(first).not.toContain('Bob');
    expect(await text('/g/guild?limit=1&page=2')).toContain('Bob');
    expect(await text('/g/guild?page=9')).toContain('past the end');
    await suite.service.store.guildConfig.update('empty', { publicPage: true });
    expect(await text('/g/empty')).toContain('No XP.');
  });

  it('the public page has a tab for each board that the guild has', async () => {
    expect(await text('/g/guild')).not.toContain('class="tabs"');
    await get('/g/guild?board=week').expect(404);
    await configure({ boards: ['week'] });
    await record('bob', { add: 7 });
    expect(await text('/g/guild')).toContain('<a href="guild?board=week">This week</a>');
    const week = await text('/g/guild?board=week');
    expect(week).toContain('<a href="guild?board=week" aria-current="page">This week</a>');
    expect(week).toContain('href="guild/m/bob?board=week"');
    expect(week).not.toContain('Ann');
    expect(await text('/g/guild?board=week.prev')).toContain('No XP.');
    expect(await text('/g/guild/m/bob?board=week')).toContain('<dt>XP gained</dt><dd>+7</dd>');
    for (const path of ['/g/guild?board=month', '/g/guild/m/ann?board=week']) await get(path).expect(404);
  });

  it('the public page is never stale, and gets 304 while nothing has changed', async () => {
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

  it('the public page takes one round trip, and counts on no quota', async () => {
    const before = await commands();
    for (const path of ['/g/guild', '/g/guild', '/g/guild/m/ann', '/g/guild/badge.svg']) await get(path).expect(200);
    expect(await commands()).toBe(before + 4);
    expect(await suite.testStore.client.exists('gr:quota:{guild}')).toBe(0);
  });

  it('the public page answers HEAD with the headers of GET, and runs no script but its own', async () => {
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

  it('the public page speaks the language of the visitor, or the language that its address names', async () => {
    const german = await get('/g/guild').set('accept-language', 'it, de-AT;q=0.8, en;q=0.5').expect(200);
    expect(german.text).toContain('<html lang="de">');
    expect(german.text).toContain('4.675');
    expect(german.headers.vary).toBe('Accept-Encoding, Accept-Language');
    const english = await get('/g/guild').set('if-none-match', String(german.headers.etag)).expect(200);
    expect(english.text).toContain('<html lang="en">');
    // Thousands of languages are not looked at.
    for (const path of ['/g/guild', '/g/guild?page=0', '/g/nowhere']) {
      const flood = await get(path).set('accept-language', 'de,'.repeat(4000));
      expect(flood.text).toContain('<html lang="en">');
    }
    const arabic = await get('/g/guild?lang=ar&limit=1').set('accept-language', 'de').expect(200);
    expect(arabic.text).toContain('<html lang="ar" dir="rtl">');
    expect(arabic.text).toContain('href="guild?page=2&amp;limit=1&amp;lang=ar"');
    expect(arabic.text).toContain('<input type="hidden" name="lang" value="ar">');
    expect(await text('/g/guild/m/bob?lang=ja')).toContain('レベル2まであと155 XP');
    expect((await get('/g/none?lang=fr').expect(404)).text).toContain('Rien ici');
    const badge = await get('/g/guild/badge.svg').set('accept-language', 'de').expect(200);
    expect(String(badge.body)).toContain('2 members');
    expect((await get('/g/guild?lang=xx').expect(400)).text).toContain('lang must be en, de,');
  });

  it('the preview of the public page has no addresses where nobody has set the address of the service', async () => {
    const html = await text('/g/guild');
    expect(html).toContain('<meta property="og:title" content="guild">');
    expect(html).toContain('<meta name="twitter:card" content="summary">');
    expect(html).not.toMatch(/og:url|og:image/);
  });

  it('the public page with ?overlay=1 is a picture to lay over a video', async () => {
    const html = await text('/g/guild?overlay=1&limit=1');
    expect(html).toContain('class="overlay"');
    expect(html).toContain('Ann');
    expect(html).not.toMatch(/<form|<nav|<a |Bob/);
    // A mistake in the address is shown, and what passes is not.
    expect((await get('/g/guild?overlay=1&limit=x').expect(400)).text).toContain('limit must be');
    const { text: off } = await get('/g/none?overlay=1').expect(404);
    expect(off).toMatch(/class="overlay".*live\.js/s);
    expect(off).toContain('<h1 class="quiet">');
    expect(off).not.toContain('class="note"');
    expect((await get('/g/none').expect(404)).text).not.toContain('live.js');
  });

  it('the badge of a guild has 2 kB at most, with the number of members and the first member, or with the rank of a member', async () => {
    expect(await text('/g/guild/badge.svg')).toContain('2 members · 1. Ann</title>');
    expect(await text('/g/guild/badge.svg?member=bob')).toContain('Bob: rank 2 · level 1</title>');
    const { headers } = await get('/g/guild/badge.svg').expect(200);
    expect(headers['content-type']).toBe('image/svg+xml; charset=utf-8');
    for (const username of ['&'.repeat(300), '👩‍👩‍👧'.repeat(28), 'W'.repeat(500), '\u0001\uFFFE<']) {
      await record('ann', { set: 4675, username });
      const svg = await text('/g/guild/badge.svg');
      expect(Buffer.byteLength(svg)).toBeLessThanOrEqual(2000);
      expect(svg.trim()).not.toMatch(/[\p{Cc}\uFFFE]/u);
    }
  });
});
