import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { pagesApp } from './pages-app.ts';

describe('an address', () => {
  it('an address in capital letters, or the address of a file with a slash at its end, gets 404', async () => {
    const { get } = pagesApp();
    for (const path of [
      '/G/guild',
      '/g/guild/badge.svg/',
      '/g/guild/M/bob',
      '/g/guild/data.json/',
      '/g/guild/badge.SVG',
    ])
      expect((await get(path).expect(404)).text).toBe('no route');
  });

  it('an address that leads nowhere gets 404 with the style of the service, however deep the address is', async () => {
    const { get } = pagesApp({ painter: undefined });
    for (const [path, root] of [
      ['/g/none', '../'],
      ['/g/guild/m/nobody', '../../../'],
      ['/g/none/badge.svg', '../../'],
      ['/g/guild/top.png', '../../'],
      ['/g/none?find=bob', '../'],
    ]) {
      const { text } = await get(String(path)).expect(404);
      expect(text).toContain(`<link rel="stylesheet" href="${root}public/page.css">`);
    }
  });

  it('an address takes no method but GET, HEAD and OPTIONS', async () => {
    const { app } = pagesApp();
    for (const path of ['/g/guild', '/g/guild/m/bob', '/g/guild/badge.svg', '/g/guild/top.png', '/g/guild?find=bob']) {
      const { headers, text } = await request(app).post(path).expect(405);
      expect(headers.allow).toBe('GET, HEAD, OPTIONS');
      expect(text).toContain('This resource is read-only');
    }
  });

  it('the address of a page has a problem page of its own, and the address of a file has none', async () => {
    const { app, seen, get } = pagesApp();
    await get('/g/none').expect(404);
    expect(seen.left).toBe(0);
    expect((await request(app).post('/public/page.css').expect(500)).text).toBe('not of these pages');
    expect(seen.left).toBe(1);
  });
});

describe('an address that was parsed before', () => {
  it('an address that was parsed before is answered without the router, separately for each language of browsers', async () => {
    const { app, seen, get } = pagesApp();
    for (const path of ['/g/guild', '/g/guild/m/bob?lang=de']) {
      const first = await get(path).expect(200);
      const { routed } = seen;
      const again = await get(path).expect(200);
      expect([again.text, again.headers.etag]).toEqual([first.text, first.headers.etag]);
      await request(app).head(path).expect(200);
      expect(seen.routed).toBe(routed);
      await get(path).set('accept-language', 'de').expect(200);
      expect(seen.routed).toBe(routed + 1);
      await request(app).post(path).expect(405);
      expect(seen.routed).toBe(routed + 2);
    }
  });

  it('a parsed address is kept if it has 300 characters at most, together with the languages', async () => {
    const { seen, get } = pagesApp();
    const times = async (path: string) => {
      const before = seen.routed;
      for (let i = 0; i < 3; i++) await get(path).set('accept-language', 'en').expect(200);
      return seen.routed - before;
    };
    const start = '/g/guild?x=';
    // The languages and a line break are before it.
    const longest = start + 'x'.repeat(300 - 3 - start.length);
    expect(await times(longest)).toBe(1);
    expect(await times(`${longest}x`)).toBe(3);
  });

  it('requests to a parsed address count on the same limit, and get 404 for a guild without a page', async () => {
    const { get } = pagesApp({}, 3);
    await get('/g/none').expect(404);
    await get('/g/none').expect(404);
    await get('/g/guild').expect(200);
    for (const path of ['/g/none', '/g/guild', '/g/guild/top.png', '/g/guild?find=bob']) {
      const { headers, text } = await get(path).expect(429);
      expect(headers).toMatchObject({ 'retry-after': '2', 'cache-control': 'no-store' });
      expect(text).toContain('<h1>Too many requests</h1>');
      expect(text).toContain('Wait a moment, and load this page again.');
    }
  });
});

describe('the picture of the first members', () => {
  it('the picture of the first members is not drawn for a client that has it', async () => {
    const { headers } = await pagesApp().get('/g/guild/top.png').expect(200);
    const { seen, get } = pagesApp();
    const again = await get('/g/guild/top.png').set('if-none-match', String(headers.etag)).expect(304);
    expect(again.headers.etag).toBe(headers.etag);
    expect(seen.drawn).toBe(0);
    await get('/g/guild/top.png').set('if-none-match', '"other"').expect(200);
    expect(seen.drawn).toBe(1);
  });

  it('the picture of the first members gets 503 for two seconds while eight other requests wait', async () => {
    let finish = (_png: Uint8Array) => {};
    const drawing = new Promise<Uint8Array>((resolve) => {
      finish = resolve;
    });
    const { seen, app } = pagesApp({ painter: () => drawing });
    const server = app.listen(0, '127.0.0.1');
    try {
      const waiting = Array.from({ length: 8 }, (_, at) =>
        request(server)
          .get(`/g/guild${at}/top.png`)
          .then((it) => it),
      );
      await expect.poll(() => seen.reads).toBe(8);
      const { headers, text } = await request(server).get('/g/guild8/top.png').expect(503);
      expect(headers).toMatchObject({ 'retry-after': '2', 'content-type': 'text/html; charset=utf-8' });
      expect(text).toContain('<h1>Leaderboard unavailable</h1>');
      finish(Buffer.from('png'));
      for (const { status } of await Promise.all(waiting)) expect(status).toBe(200);
    } finally {
      server.close();
    }
  });

  it('the preview of a link has the picture of the first members only where the service draws', async () => {
    const url = 'https://ranks.example.com';
    const drawn = '<meta property="og:image" content="https://ranks.example.com/g/guild/top.png?v=';
    expect((await pagesApp({ url }).get('/g/guild')).text).toContain(drawn);
    const without = pagesApp({ url, painter: undefined });
    expect((await without.get('/g/guild')).text).not.toContain('og:image');
    for (const path of ['/g/guild/top.png', '/g/guild/m/bob/card.png'])
      expect((await without.get(path).expect(404)).text).toContain('because @resvg/resvg-js is not installed');
    expect((await without.get('/g/guild/m/bob')).text).not.toContain('og:image');
  });
});

describe('the search', () => {
  const hit = { rank: 1, userId: 'bob', username: 'Bob', level: 1, xp: 100, dailyStreak: 0, lastDailyClaim: null };

  it('a search leads to the page of the only hit, or without a text to the page of the guild, and is kept nowhere', async () => {
    const asked: string[] = [];
    const find = async (_guildId: string, text: string) => {
      asked.push(text);
      return [hit];
    };
    const { seen, get } = pagesApp({ search: { find } });
    for (const [query, location] of [
      ['?find=bob', 'guild/m/bob'],
      ['?find=%20Bob%20&board=week&lang=de', 'guild/m/bob?lang=de'],
      ['?find=', 'guild'],
      ['?find=%20&lang=ar', 'guild?lang=ar'],
    ]) {
      const { headers } = await get(`/g/guild${query}`).expect(303);
      expect(headers).toMatchObject({ location, 'cache-control': 'no-store', 'x-request-id': 'r-1' });
    }
    expect(asked).toEqual(['bob', ' Bob ']);
    expect(seen).toMatchObject({ files: 4, reads: 2 });
  });

  it('each search goes through the router, because its hits change', async () => {
    const { seen, get } = pagesApp();
    for (let n = 0; n < 3; n++) await get('/g/guild?find=nobody').expect(200);
    expect(seen).toMatchObject({ routed: 3, reads: 3, files: 0 });
  });
});

describe('the files of the pages', () => {
  it('requests for the files of the pages are counted, and browsers ask for the files again each time', async () => {
    const { seen, get } = pagesApp();
    for (const [path, type, start] of [
      ['/public/page.css', 'text/css; charset=utf-8', ':root'],
      ['/public/live.js', 'text/javascript; charset=utf-8', 'addEventListener'],
    ] as const) {
      const { headers, text } = await get(path).expect(200);
      expect(headers).toMatchObject({ 'content-type': type, 'cache-control': 'no-cache' });
      expect(text).toContain(start);
    }
    expect(seen.files).toBe(2);
    await get('/public/other.js').expect(404);
  });
});
