import { beforeEach, expect, it } from 'vitest';
import { publicPagesSuite } from '../../support/public-pages.ts';
import { describeStores } from '../../support/stores.ts';

const env = { PUBLIC_PAGES: '1', PUBLIC_URL: 'https://ranks.example.com/' };

describeStores('the preview of a link to a public page', (kind) => {
  /** The SVGs that were drawn. */
  const drawn: string[] = [];
  let drawing: Promise<unknown> = Promise.resolve();
  const painter = async (svg: string) => {
    drawn.push(svg);
    await drawing;
    return Buffer.from([0x89, 0x50, 0xff, 0x00]);
  };
  const { suite, get, configure, record } = publicPagesSuite(kind, env, { painter });
  const tagsOf = async (path: string) => {
    const { text } = await get(path).expect(200);
    return Object.fromEntries([...text.matchAll(/<meta \w+="([\w:]+)" content="([^"]*)">/g)].map(([, ...tag]) => tag));
  };
  beforeEach(async () => {
    suite.service.advance(120_000);
    drawn.length = 0;
    for (const [at, username] of ['Ann', 'Bob', 'Cid', 'Dee', 'Eve', 'Fay'].entries())
      await record(username.toLowerCase(), { set: 5000 - at, username });
    await configure({ publicPage: true, pageTitle: 'The Den' });
  });

  it('the preview has the title, facts and picture of the page, with absolute addresses', async () => {
    expect(await tagsOf('/g/guild?lang=de')).toMatchObject({
      'og:title': 'The Den',
      'og:site_name': 'Rangliste',
      'og:type': 'website',
      'og:url': 'https://ranks.example.com/g/guild?lang=de',
      'og:image': expect.stringMatching(/^https:\/\/ranks\.example\.com\/g\/guild\/top\.png\?v=[\w-]{10}&amp;lang=de$/),
      'og:image:width': '1200',
      'twitter:card': 'summary_large_image',
    });
    const { 'og:description': ofMember, ...tags } = await tagsOf('/g/guild/m/bob');
    expect(tags).toMatchObject({ 'og:title': 'Bob', 'og:site_name': 'The Den', 'og:type': 'profile' });
    expect(ofMember).toBe('Rank 2 of 6 · Level 10 · 4,999 XP');
    const before = await tagsOf('/g/guild');
    expect(before['og:description']).toContain('1. Ann · 2. Bob · 3. Cid');
    await record('fay', { add: 1 });
    expect((await tagsOf('/g/guild'))['og:image']).not.toBe(before['og:image']);
    expect(await tagsOf('/g/guild?overlay=1')).not.toHaveProperty('og:title');
  });

  it('the page of rewards has a preview with its roles and the picture of the ranking', async () => {
    const rewards = [
      { level: 10, role: '802' },
      { level: 5, role: '801' },
      { level: 5, role: '803' },
    ];
    const { guildConfig } = suite.service.store;
    await guildConfig.setRules('guild', JSON.stringify({ message: { xp: 20 }, rewards }));
    const roles = [{ id: '801', name: '\u202eRegular<b>', color: 0, position: 1 }];
    await suite.testStore.client.hset('gr:{guild}:about', 'roles', JSON.stringify(roles));
    await suite.testStore.client.hincrby('gr:{guild}:stats', 'rev', 1);
    const tags = await tagsOf('/g/guild/rewards?lang=de');
    expect(tags).toMatchObject({
      'og:type': 'website',
      'og:title': 'Belohnungen · The Den',
      'og:site_name': 'Rangliste',
      'og:url': 'https://ranks.example.com/g/guild/rewards?lang=de',
      'og:image': expect.stringMatching(/^https:\/\/ranks\.example\.com\/g\/guild\/top\.png\?v=[\w-]{10}&amp;lang=de$/),
      'og:image:alt': 'The Den · Rangliste',
      'twitter:card': 'summary_large_image',
    });
    expect(tags['og:description']).toMatch(/20 XP\. · Level 5 @Regular&lt;b&gt;$/);
    const before = (await tagsOf('/g/guild/rewards'))['og:image'];
    await record('fay', { add: 1 });
    expect((await tagsOf('/g/guild/rewards'))['og:image']).not.toBe(before);
  });

  it('the preview names another picture after each change of what it shows, on the page of each member too', async () => {
    const { writer, guildConfig } = suite.service.store;
    const paths = ['/g/guild', '/g/guild?page=2&limit=2', '/g/guild/m/fay'];
    const pictures = () => Promise.all(paths.map(async (path) => (await tagsOf(path))['og:image']));
    const seen = [await pictures()];
    for (const change of [
      () => record('ann', { add: 0, username: 'Anne' }),
      () => guildConfig.update('guild', { xpCurve: 'lurkr' }),
      () => writer.hide('guild', ['bob']),
    ]) {
      await change();
      seen.push(await pictures());
    }
    for (const [at] of paths.entries()) expect(new Set(seen.map((all) => all[at])).size).toBe(4);
  });

  it('the picture in the preview shows the first five members, and is drawn once for each of its states', async () => {
    const { headers, body } = await get('/g/guild/top.png').expect(200);
    expect(headers).toMatchObject({ 'content-type': 'image/png', 'cache-control': 'no-cache' });
    expect([...body]).toEqual([0x89, 0x50, 0xff, 0x00]);
    expect(drawn[0]).toMatch(/The Den.*6 members.*Ann.*Level 10.*5,000 XP.*Eve/);
    expect(drawn[0]).not.toContain('Fay');
    await get('/g/guild/top.png').expect(200);
    await get('/g/guild/top.png').set('if-none-match', String(headers.etag)).expect(304);
    expect(drawn.length).toBe(1);
    await suite.service.store.writer.hide('guild', ['ann']);
    await get('/g/guild/top.png').set('if-none-match', String(headers.etag)).expect(200);
    expect(drawn[1]).not.toContain('Ann');
    await get('/g/guild/top.png?lang=ja').expect(200);
    expect(drawn[2]).toContain('メンバー');
  });

  it('one picture is drawn at a time, and a request gets 503 when many wait', async () => {
    let release = () => {};
    drawing = new Promise<void>((resolve) => {
      release = resolve;
    });
    const guilds = Array.from({ length: 9 }, (_, at) => `waiting${at}`);
    for (const guild of guilds) await configure({ publicPage: true }, guild);
    const pictures = [...guilds.slice(0, 8), 'waiting0'].map((guild) => get(`/g/${guild}/top.png`).then((all) => all));
    // The others are there when this one is refused.
    await expect.poll(async () => (await get('/g/waiting8/top.png?lang=de')).status).toBe(503);
    const refused = await get('/g/waiting8/top.png').expect(503);
    expect(refused.headers['retry-after']).toBe('2');
    expect(drawn.length).toBe(1);
    release();
    expect((await Promise.all(pictures)).map(({ status }) => status)).toEqual(Array(9).fill(200));
    expect(drawn.length).toBe(8);
    await get('/g/waiting8/top.png').expect(200);
  });

  it('in a preview, no title and no name turns the direction of the texts around it', async () => {
    // The commands refuse such a title. Others can write to Redis too.
    await suite.testStore.client.hset('gr:{guild}:config', 'page_title', '\u202eDen\u2066');
    await record('ann', { set: 5000, username: '\u202eAnn' });
    await record('bob', { set: 4999, username: 'بوب' });
    for (const path of ['/g/guild', '/g/guild/m/ann', '/g/guild/m/bob']) {
      const { text } = await get(path).expect(200);
      expect(text.slice(0, text.indexOf('<body>'))).not.toMatch(/[\u202a-\u202e\u2066\u2067]/);
    }
    const tags = await tagsOf('/g/guild');
    expect(tags).toMatchObject({ 'og:title': 'Den', 'twitter:title': 'Den' });
    expect(tags['og:description']).toContain('1. Ann · 2. \u2068بوب\u2069 · 3. Cid');
    expect(await tagsOf('/g/guild/m/ann')).toMatchObject({ 'og:title': 'Ann', 'og:site_name': 'Den' });
    expect((await get('/g/guild/m/bob')).text).toContain('<title>\u2068بوب\u2069 · Den</title>');
    expect(String((await get('/g/guild/badge.svg')).body)).toContain('1. Ann</title>');
  });

  it('the page shows the colours and the picture that the owner chose, and its policy allows no more than these', async () => {
    const picture = 'https://cdn.discordapp.com/icons/1/a.png';
    await configure({ pageLook: { accent: '#ffdd33', accentDark: '#00ff88', background: '#ecfdf5', picture } });
    const { text, headers } = await get('/g/guild').expect(200);
    const [light, dark] = text.split('@media (prefers-color-scheme:dark)');
    expect(light).toContain('<style>@media (prefers-color-scheme:light){:root{--page:#ecfdf5;--accent:#ffdd33;');
    expect(light).toContain('--on-accent:#000000;--link:var(--text);');
    expect(dark).not.toContain('--page');
    expect(text).toContain(`<img class="picture" src="${picture}" alt=""`);
    const policy = String(headers['content-security-policy']);
    const style = /<style>(.*?)<\/style>/.exec(text)?.[1] ?? '';
    const digest = await crypto.subtle.digest('SHA-256', Buffer.from(style));
    expect(policy).toContain(`style-src 'self' 'sha256-${Buffer.from(digest).toString('base64')}';`);
    expect(policy).toContain('img-src data: https://cdn.discordapp.com;');
    const zipped = await get('/g/guild').set('accept-encoding', 'gzip').expect(200);
    expect(zipped.headers).toMatchObject({ 'content-encoding': 'gzip', 'content-security-policy': policy });
    await get('/g/guild/top.png').expect(200);
    expect(drawn[0]).toContain('fill="#00ff88"');
    await configure({ pageLook: { accent: '', accentDark: '', background: '', picture: '' } });
    expect((await get('/g/guild')).text).not.toMatch(/<style>|<img/);
    for (const wrong of [{ accent: 'red' }, { picture: 'http://x.example/a.png' }])
      await expect(configure({ pageLook: wrong })).rejects.toThrow(/of the public page is/);
  });
});
