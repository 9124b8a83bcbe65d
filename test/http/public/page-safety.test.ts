import fc from 'fast-check';
import request from 'supertest';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { publicPagesSuite } from '../../support/public-pages.ts';
import { startService } from '../../support/service.ts';
import { describeStores } from '../../support/stores.ts';
import { serviceSuite } from '../../support/suite.ts';
import { randomRuns } from '../../support/variants.ts';

describeStores('the safety of the public page', (kind) => {
  const env = {
    PUBLIC_PAGES: '1',
    PUBLIC_URL: 'https://ranks.example.com',
    EMBED_ORIGINS: 'https://dash.example.com',
  };
  // A picture is its SVG here.
  const { suite, get, text, configure, record } = publicPagesSuite(kind, env, {
    painter: async (svg) => Buffer.from(svg),
  });
  beforeEach(async () => {
    suite.service.advance(120_000);
    await record('ann', { set: 4675, username: 'Ann', dailyStreak: 4 });
    await record('bob', { set: 100, username: 'Bob' });
    await configure({ publicPage: true });
  });

  it('the public page gets 404 until the guild switches it on, and at once after the guild switches it off', async () => {
    await record('ann', { add: 1 });
    await suite.service.store.writer.record('other', { userId: 'ann', set: 1 });
    const { status, text: missing } = await get('/g/none');
    const paths = ['/g/guild', '/g/guild/m/ann', '/g/guild/badge.svg', '/g/guild/top.png'];
    for (const path of paths) await get(path).expect(200);
    await configure({ publicPage: false });
    for (const path of [...paths, '/g/other', '/g/other/m/ann', '/g/a%20b']) {
      const answer = await get(path).expect(404);
      expect(answer.headers['content-type']).toContain('text/html');
      if (!/m|svg|png/.test(path)) expect([answer.status, answer.text]).toEqual([status, missing]);
    }
    await configure({ publicPage: true });
    await get('/g/guild').expect(200);
    // A raw write, which raises no revision.
    await suite.testStore.client.hdel('gr:{guild}:config', 'public_page');
    await get('/g/guild').expect(404);
  });

  it('the public page shows no hidden member', async () => {
    await text('/g/guild/m/ann');
    await suite.service.store.writer.hide('guild', ['ann']);
    for (const path of ['/g/guild/m/ann', '/g/guild/badge.svg?member=ann']) await get(path).expect(404);
    for (const path of ['/g/guild', '/g/guild/m/bob', '/g/guild/badge.svg', '/g/guild/top.png'])
      expect(await text(path)).not.toContain('Ann');
  });

  it('the sites of EMBED_ORIGINS may show the public page in a frame, and no site a badge', async () => {
    for (const [path, ancestors] of [
      ['/g/guild', 'https://dash.example.com'],
      ['/g/guild/m/ann', 'https://dash.example.com'],
      ['/g/none', 'https://dash.example.com'],
      ['/g/guild/badge.svg', "'none'"],
    ] as const) {
      const { headers } = await get(path);
      expect(headers['content-security-policy']).toMatch(new RegExp(`frame-ancestors ${ancestors}$`));
      expect(headers['x-frame-options']).toBe(ancestors === "'none'" ? 'DENY' : undefined);
    }
    // A 304 has no policy of its own, so it is for the same policy only.
    const tags = [];
    for (const path of ['/g/guild', '/g/guild/m/ann']) tags.push((await get(path).expect(200)).headers.etag);
    const other = await startService(
      suite.testStore,
      { ...env, EMBED_ORIGINS: '' },
      { painter: async (svg) => Buffer.from(svg) },
    );
    onTestFinished(() => other.close());
    for (const [at, path] of ['/g/guild', '/g/guild/m/ann'].entries())
      await request(other.url).get(path).set('if-none-match', String(tags[at])).expect(200);
  });

  it('a wrong parameter of the public page gets 400, which names the parameter', async () => {
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

  it('the public page writes no name and no title as markup', async () => {
    const paths = [
      '/g/guild',
      '/g/guild?overlay=1',
      '/g/guild/m/ann',
      '/g/guild/badge.svg',
      '/g/guild/badge.svg?member=ann',
      '/g/guild/top.png',
    ];
    /** Returns the markup: what is left without the texts. */
    const markup = async () => {
      const documents: string[] = [];
      for (const path of paths) documents.push((await text(path)).replace(/[^<>"']/g, ''));
      suite.service.advance(10_000);
      return documents;
    };
    await configure({ pageTitle: 'A' });
    await record('ann', { set: 4675, username: 'A' });
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
        // Past the rule of titles, which refuses some.
        await suite.testStore.client.hset('gr:{guild}:config', 'page_title', pageTitle);
        await record('ann', { set: 4675, username });
        expect(await markup()).toEqual(plain);
      }),
      { numRuns: randomRuns(12) },
    );
  });

  it('the public page ignores a colour or a picture that somebody wrote to Redis past the rules', async () => {
    // The address of the picture changes with each revision.
    const shown = async () => (await text('/g/guild')).replace(/top\.png\?v=[\w-]+/g, '');
    const plain = await shown();
    const { headers } = await get('/g/guild');
    for (const [field, value] of [
      ['page_accent', '#fff}</style><script>alert(1)</script>'],
      ['page_background', 'url(https://x.example)'],
      ['page_picture', 'https://x.example;script-src/*'],
      ['page_picture', 'javascript:alert(1)'],
      ['page_picture', 'https://x.example/"onerror="alert(1)'],
    ] as const) {
      await suite.testStore.client.hset('gr:{guild}:config', field, value);
      await suite.testStore.client.hincrby('gr:{guild}:stats', 'rev', 1);
      expect(await shown()).toBe(plain);
      expect((await get('/g/guild')).headers['content-security-policy']).toBe(headers['content-security-policy']);
    }
  });

  it('logs and metrics name the public page by its route, without ids', async () => {
    for (const path of ['/g/guild', '/g/guild/m/ann', '/g/guild/badge.svg', '/g/guild?find=ann']) await get(path);
    const metrics = await suite.service.registry.metrics();
    for (const route of ['/g/:guild_id', '/g/:guild_id/m/:user_id', '/g/:guild_id/badge.svg']) {
      expect(metrics).toContain(`route="${route}",status="200"`);
      expect(suite.service.logText()).toContain(`"route":"${route}"`);
    }
    expect(suite.service.logText()).not.toMatch(/\/g\/guild|m\/ann/);
    expect(metrics).not.toMatch(/\/g\/guild|m\/ann/);
  });
});

describeStores('the limit of public pages', (kind) => {
  const suite = serviceSuite(kind, { PUBLIC_PAGES: '1', TRUST_PROXY: '1' });
  const get = (address: string, path = '/g/guild') =>
    request(suite.service.url).get(path).set('x-forwarded-for', address);

  it('an address that asks for too many public pages gets 429, while other addresses and the API are served', async () => {
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

describeStores('a service without PUBLIC_PAGES', (kind) => {
  const suite = serviceSuite(kind);

  it('a service without PUBLIC_PAGES answers the public page with 404, as it answers any unknown path', async () => {
    await suite.service.store.guildConfig.update('guild', { publicPage: true });
    const answer = async (path: string) => {
      const { status, body } = await request(suite.service.url).get(path);
      return { status, ...body, request_id: '' };
    };
    const unknown = await answer('/unknown');
    for (const path of ['/g/guild', '/g/guild/m/ann', '/g/guild/badge.svg', '/g/guild?find=ann', '/public/page.css'])
      expect(await answer(path)).toEqual(unknown);
    expect(unknown).toMatchObject({ status: 404, code: 'not_found' });
  });
});
