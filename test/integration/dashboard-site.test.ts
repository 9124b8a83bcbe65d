import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LANGUAGE_LABELS } from '../../src/dashboard/widget/widget-form.ts';
import { reservedSpace } from '../../src/service/http/site/widget-file.ts';
import { LANGUAGES } from '../../src/widget/translation.ts';
import { type Answer, startTestDashboard, type TestDashboard, type Visitor } from '../support/dashboard.ts';
import { needs } from '../support/needs.ts';

const PAGE = '/guilds/own/widget';
const API = 'https://ranks.example.com';

describe('services that a site may not use', needs('redis-server'), () => {
  it.each([
    ['without a page for frames', {}, ['iframe', 'notion', 'obs'], 'EMBED_ORIGINS'],
    [
      'whose page Notion may not show',
      { EMBED_ORIGINS: API },
      ['notion'],
      'add https://www.notion.so to EMBED_ORIGINS',
    ],
    [
      'that the site may not read',
      { CORS_ORIGINS: API },
      ['html', 'wordpress'],
      'add https://www.example.com to CORS_',
    ],
  ])('a service %s makes no key for a site, and says what its operator has to set', async (_, env, targets, told) => {
    const dashboard = await startTestDashboard({ DASHBOARD_API_URL: API, ...env });
    const owner = await dashboard.signIn('own', 'u1');
    for (const target of targets) {
      const answer = await owner.submit(PAGE, PAGE, { target, site: 'www.example.com' });
      expect([target, answer.status]).toEqual([target, 400]);
      expect(answer.text).toContain(told);
    }
    expect(await dashboard.store.apiKeys.list('own')).toEqual([]);
    await dashboard.close();
  });
});

describe('what a service does not allow yet', needs('redis-server'), () => {
  /** Returns the texts of a page, without its markup. */
  const textOf = ({ text }: Answer) => text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
  /** Returns the codes that the page of the site shows. */
  const codesFor = async (visitor: Visitor) =>
    [...(await visitor.get(PAGE)).text.matchAll(/<code id="(\w+-\w+)">/g)].map(([, id]) => id);
  const start = (env: Record<string, string>) =>
    startTestDashboard({
      DASHBOARD_API_URL: API,
      PUBLIC_PAGES: '1',
      DASHBOARD_HELP_URL: 'https://help.example',
      ...env,
    });
  const asks = (setting: string) =>
    `Ask the operator, who runs this service (see Help ). The operator allows it with ${setting} in the settings of the service and of this dashboard.`;

  it('an owner reads on the page of the site what does not work yet and whom to ask, and gets no code that would not work', async () => {
    const none = await start({});
    const owner = await none.signIn('own', 'u1');
    const text = textOf(await owner.get(PAGE));
    expect(text).toContain(
      `lets no other site show your leaderboard in a frame. ${asks('EMBED_ORIGINS=https://YOUR-SITE')}`,
    );
    expect(text).toContain(`show your leaderboard in a frame. ${asks('EMBED_ORIGINS=https://www.notion.so')}`);
    expect(text).toContain('Turn on your public page , and you get the address of its overlay here.');
    expect(await codesFor(owner)).toEqual(['keyed-html', 'keyed-wordpress']);
    await none.store.guildConfig.update('own', { publicPage: true });
    expect(await codesFor(owner)).toEqual(['code-html', 'keyed-html', 'code-wordpress', 'keyed-wordpress', 'code-obs']);
    await none.close();
    const some = await start({ EMBED_ORIGINS: 'https://a.example' });
    const visitor = await some.signIn('own', 'u1');
    const other = textOf(await visitor.get(PAGE));
    expect(await codesFor(visitor)).toEqual(['keyed-html', 'keyed-wordpress', 'keyed-iframe', 'keyed-obs']);
    expect(other).toContain('Only these sites may show your leaderboard in a frame: https://a.example');
    expect(other).toContain(asks('EMBED_ORIGINS=https://a.example,https://YOUR-SITE'));
    expect(other).toContain(
      `does not let Notion show your leaderboard in a frame. ${asks('EMBED_ORIGINS=https://a.example,https://www.notion.so')}`,
    );
    await some.close();
  });

  it('an owner reads on the public page why there is no preview, and that the page works all the same', async () => {
    const path = '/guilds/own/settings/public-page';
    const dashboard = await start({ EMBED_ORIGINS: 'https://a.example' });
    const owner = await dashboard.signIn('own', 'u1');
    expect(textOf(await owner.get(path))).toContain('Turn the page on and save it, and you see it here.');
    await dashboard.store.guildConfig.update('own', { publicPage: true });
    const text = textOf(await owner.get(path));
    expect(text).toContain('Your page is on, and &quot;View public page&quot; above opens it. You see no preview here');
    expect(text).toContain(asks(`EMBED_ORIGINS=https://a.example,${dashboard.url}`));
    await dashboard.close();
    const without = await start({ PUBLIC_PAGES: '' });
    expect(textOf(await (await without.signIn('own', 'u1')).get(path))).toContain(asks('PUBLIC_PAGES=1'));
    await without.close();
  });
});

describe('the way of a guild to a site', needs('redis-server'), () => {
  let dashboard: TestDashboard;
  let owner: Visitor;

  beforeAll(async () => {
    const env = {
      DASHBOARD_API_URL: API,
      PUBLIC_PAGES: '1',
      EMBED_ORIGINS: 'https://frames.example,https://www.notion.so',
    };
    dashboard = await startTestDashboard({ TRUST_PROXY: '1', ...env });
  });
  afterAll(() => dashboard.close());
  beforeEach(async () => {
    await dashboard.store.client.flushall();
    await dashboard.store.guildConfig.update('own', { plan: 'starter' });
    owner = await dashboard.signIn('own', 'u1');
  });

  const make = (fields: Record<string, string>) =>
    owner.submit(PAGE, PAGE, { target: 'html', site: 'www.example.com', cap: '500', ...fields });
  const keys = () => dashboard.store.apiKeys.list('own');
  const follow = ({ headers }: Answer) => owner.get(headers.get('location') ?? '');
  /** Returns the code that a page shows, as a person copies it. */
  const codeIn = ({ text }: Answer, id = 'code') => {
    const [, code = ''] = new RegExp(`<code id="${id}">([^]*?)</code>`).exec(text) ?? [];
    return code.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
  };

  it('a key stays when its code could not be shown because the guild could not be read', async () => {
    const answer = await make({});
    const { client } = dashboard.store;
    await client.set('gr:{own}:stats', 'no hash');
    expect((await follow(answer)).status).toBe(503);
    await client.del('gr:{own}:stats');
    expect(codeIn(await follow(answer))).toMatch(/api-key="gr_\w{38}"/);
  });

  it.each([
    ['site', { site: 'not a site' }, 'Give one address'],
    ['cap', { cap: '-1' }, 'cap'],
    ['page-size', { 'page-size': '9999' }, 'The page size is a whole number'],
  ] as const)(
    'the form marks the wrong field %s, says why beside it, and gives it the focus',
    async (name, fields, problem) => {
      const { status, text } = await make(fields);
      const [, attributes = ''] = new RegExp(`<input([^>]* name="${name}"[^>]*)>`).exec(text) ?? [];
      expect([status, attributes]).toEqual([400, expect.stringMatching(/aria-invalid="true"/)]);
      expect(attributes).toContain('autofocus');
      const [, id] = /aria-describedby="[^"]*?([\w-]+-error)"/.exec(attributes) ?? [];
      expect(new RegExp(`<p class="error" id="${id}">(.*?)</p>`).exec(text)?.[1]).toContain(problem);
      expect(await keys()).toEqual([]);
    },
  );

  it('the form makes a key for the site alone, with the cap that it proposes, and shows the key in the code once', async () => {
    expect((await owner.get(PAGE)).text).toMatch(/name="cap"[^>]* value="500"/);
    const answer = await make({
      site: ' https://WWW.example.com/ranks?x=1 ',
      theme: 'dark',
      podium: 'off',
      lang: 'ar',
    });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, expect.not.stringContaining('gr_')]);
    await owner.request('HEAD', answer.headers.get('location') ?? '', {});
    const shown = await follow(answer);
    const [, key] = /api-key="(gr_\w{38})"/.exec(codeIn(shown)) ?? [];
    expect(codeIn(shown)).toBe(
      [
        '<style>',
        `  ${reservedSpace(48.75)}`,
        '</style>',
        `<script src="${API}/widget.js" defer></script>`,
        `<guild-leaderboard guild="own" api-key="${key}" theme="dark" lang="ar" podium="off" dir="rtl"></guild-leaderboard>`,
      ].join('\n'),
    );
    expect((await follow(answer)).status).toBe(410);
    expect(await keys()).toMatchObject([
      { name: 'www.example.com', origins: ['https://www.example.com'], cap: 500, expiresAt: null },
    ]);
    expect((await owner.get('/guilds/own/activity')).text).toContain(
      'for https://www.example.com, 500 requests an hour',
    );
  });

  it.each([
    ['https://example.com/path', 'https://example.com'],
    ['example.com', 'https://example.com'],
    ['http://example.com:8000/', 'http://example.com:8000'],
    ['localhost:3000', 'http://localhost:3000'],
    ['https://intranet', 'https://intranet'],
    ['https://bücher.example/#top,left', 'https://xn--bcher-kva.example'],
  ])('the form takes the address %s for the origin %s', async (site, origin) => {
    expect((await make({ site })).status).toBe(303);
    expect((await keys()).map(({ origins }) => origins)).toEqual([[origin]]);
  });

  const ONE = 'Give one address, without a user name, such as https://www.example.com, not &quot;';

  it('a form with a text that is no address of a site gets 400, says what to enter, keeps its input, and makes no key', async () => {
    for (const [site, problem] of [
      ['', 'Give the address of your site, such as https://www.example.com.'],
      ['example', '&quot;example&quot; is not the address of a site: copy it from your browser, such as'],
      ['file:///home/me/index.html', 'is not the address of a site'],
      ['https://a.example, https://b.example', ONE],
      ['https://a.example/ https://b.example/', ONE],
      ['https://a.example,https://b.example', ONE],
      ['https://user@example.com', ONE],
      ['user@example.com', ONE],
      ['mailto:a@b.example', ONE],
      ['javascript:alert(1)', 'is not the address of a site'],
      [`https://${'a'.repeat(600)}.example`, 'is not the address of a site'],
      ['https://*.example.com', 'has a wildcard, which is not supported'],
    ] as const) {
      const { status, text } = await make({ site, theme: 'dark', cap: '70' });
      expect([site, status]).toEqual([site, 400]);
      expect(text).toContain(problem);
      expect(text).toMatch(/name="cap"[^>]* value="70"/);
      expect(text).toContain('<input type="hidden" name="theme" value="dark">');
    }
    expect((await make({ cap: 'many' })).text).toContain('is no cap: give a whole number');
    expect((await make({ target: 'constructor' })).status).toBe(400);
    expect((await make({ lang: 'xx' })).text).toContain('Choose one of en, de, fr, es, pt, ar, ja.');
    expect((await make({ 'page-size': '101' })).text).toContain('The page size is a whole number from 1 to 100.');
    expect(await keys()).toEqual([]);
  });

  it('the key of a frame is limited to the service, whose page the frame shows', async () => {
    const look = { site: 'frames.example', week: 'on', 'page-size': '5', density: 'compact', accent: '#0f766e' };
    const frame = codeIn(await follow(await make({ ...look, target: 'iframe' })));
    const address = `${API}/embed#guild=own&amp;api-key=KEY&amp;density=compact&amp;page-size=5&amp;boards=all%2Cweek`;
    expect(frame.replace(/gr_\w{38}/, 'KEY')).toBe(
      `<iframe title="Leaderboard" width="100%" height="448" style="border: 0"\n  src="${address}"></iframe>`,
    );
    const notion = codeIn(await follow(await make({ site: '', target: 'notion', lang: 'ar' })));
    expect(notion).toMatch(/^https:\/\/ranks\.example\.com\/embed#guild=own&api-key=gr_\w{38}&lang=ar&dir=rtl$/);
    expect(await keys()).toMatchObject([
      { name: 'frames.example', origins: [API] },
      { name: 'Notion', origins: [API] },
    ]);
    expect((await make({ target: 'iframe' })).text).toContain(
      'https://www.example.com may not show your leaderboard in a frame yet: ask the operator',
    );
    expect(await keys()).toHaveLength(2);
    expect((await owner.get(PAGE)).text).toContain(
      'Only these sites may show your leaderboard in a frame: <code>https://frames.example</code>',
    );
  });

  it('the page gives OBS the overlay of a public page without a key, and else the page for frames', async () => {
    expect(codeIn(await owner.get(PAGE), 'keyed-obs')).toBe(`${API}/embed#guild=own&api-key=gr_...`);
    await dashboard.store.guildConfig.update('own', { publicPage: true });
    const page = await owner.get(`${PAGE}?page-size=5`);
    expect(codeIn(page, 'code-obs')).toBe(`${API}/g/own?overlay=1&limit=5`);
    expect((await make({ target: 'obs' })).text).toContain('The public page needs no API Key');
    expect(await keys()).toEqual([]);
  });

  it('the page offers the code without a key first while there is a public page, and says what each way costs', async () => {
    const before = await owner.get(PAGE);
    expect(before.text).not.toContain('id="code-html"');
    expect(before.text).toContain('the code needs an API Key');
    await dashboard.store.guildConfig.update('own', { publicPage: true });
    const page = await owner.get(`${PAGE}?theme=dark`);
    expect(codeIn(page, 'code-html').split('\n').at(-1)).toBe(
      '<guild-leaderboard guild="own" theme="dark"></guild-leaderboard>',
    );
    expect(codeIn(page, 'code-notion')).toBe(`${API}/embed#guild=own&theme=dark`);
    expect(codeIn(page, 'keyed-html')).toContain('api-key="gr_..."');
    expect(page.text.indexOf('id="code-html"')).toBeLessThan(page.text.indexOf('id="keyed-html"'));
    expect(page.text).toContain('Without an API Key, it uses nothing: each view and each refresh is a request');
  });

  it('the page offers the languages of the widget, and the tabs of the boards that the guild counts', async () => {
    expect(Object.keys(LANGUAGE_LABELS)).toEqual(['', ...LANGUAGES]);
    expect((await owner.get(PAGE)).text).not.toContain('name="week"');
    await dashboard.store.guildConfig.update('own', { boards: ['week'] });
    const { text } = await owner.get(PAGE);
    expect(text.match(/name="(?:week|month)[.a-z]*"/g)).toEqual(['name="week"', 'name="week.prev"']);
    await dashboard.store.writer.record('own', { userId: 'a', add: 5 });
    const board = await owner.get(`${PAGE}/data/api/v1/servers/own~week/leaderboard`);
    expect(JSON.parse(board.text)).toMatchObject({ total: 1, data: [{ user_id: 'a', xp: 5 }] });
    expect((await owner.get(`${PAGE}/data/api/v1/servers/other~week/leaderboard`)).status).toBe(404);
  });

  it('the overview leads a new guild by steps, until the first request with a key', async () => {
    const { store } = dashboard;
    const undone = async () => {
      const { text } = await owner.get('/guilds/own');
      return [...text.matchAll(/<a class="button tight" href="\/guilds\/own(\/[\w/-]+)">/g)].map(([, path]) => path);
    };
    expect(await undone()).toEqual(['/import', '/settings/rules', '/settings/public-page', '/widget']);
    await store.writer.record('own', { userId: 'a', set: 5 });
    await store.guildConfig.setRules('own', '{"message":{"xp":5}}');
    const { record } = await store.apiKeys.create('own', 'site', null);
    expect(await undone()).toEqual(['/settings/public-page', '/widget']);
    await store.client.hset('gr:{own}:usage', `${Math.floor(Date.now() / 3_600_000)}:data`, 1);
    expect(await undone()).toEqual(['/settings/public-page']);
    await store.client.del('gr:{own}:usage');
    await store.guildConfig.update('own', { publicPage: true });
    expect((await owner.get('/guilds/own')).text).toContain('<span class="pill">3 of 4</span>');
    await store.client.hset('gr:{own}:keys:used', record.id, new Date().toISOString());
    expect((await owner.get('/guilds/own')).text).not.toContain('Finish setting up');
  });

  it('the overview shows the first members of all time, and of the boards that the guild counts', async () => {
    const { store } = dashboard;
    await store.writer.record('own', { userId: 'old', set: 500 });
    expect((await owner.get('/guilds/own?top=week')).text).not.toContain('This week');
    await store.guildConfig.update('own', { boards: ['week'] });
    expect((await owner.get('/guilds/own?top=week')).text).toContain('Nobody has gained XP this week yet.');
    await store.writer.record('own', { userId: 'new', add: 70 });
    const { text } = await owner.get('/guilds/own?top=week');
    expect([...text.matchAll(/members\?id=(\w+)"/g)].map(([, id]) => id)).toEqual(['new']);
    expect(text).toContain('<span class="good">+70</span> this week');
    const all = (await owner.get('/guilds/own')).text;
    expect([...all.matchAll(/members\?id=(\w+)"/g)].map(([, id]) => id)).toEqual(['old', 'new']);
  });

  it('the overview shows the requests by time with an axis and as a table, and the share of each key', async () => {
    const { store } = dashboard;
    const a = await store.apiKeys.create('own', 'a', null);
    const b = await store.apiKeys.create('own', 'b', null);
    const hour = Math.floor(Date.now() / 3_600_000);
    const counts = {
      [`${hour}:${a.record.id}`]: 30,
      [`${hour - 30}:${b.record.id}`]: 1200,
      [`${hour}:${b.record.id}:refused`]: 7,
      [`${hour}:data`]: 4000,
      [`${hour - 30}:data`]: 500,
      [`${hour}:page`]: 20,
    };
    expect((await owner.get('/guilds/own')).text).toContain('No requests in this time.');
    await store.client.hset('gr:{own}:usage', counts);
    const { text } = await owner.get('/guilds/own');
    expect(text).toContain('Without an API Key: 20 requests for the public page, and 4,000 of widgets and programs.');
    expect(text).toContain('Last 24 hours: 30 requests, 7 refused, at most 37 in an hour.');
    const week = (await owner.get('/guilds/own?requests=week')).text;
    expect(week).toContain('Without an API Key: 20 requests for the public page, and 4,500 of widgets and programs.');
    expect(week).toContain('Last 7 days: 1,230 requests, 7 refused, at most 1,200 in a day.');
    const at = new Date(hour * 3_600_000).toISOString();
    expect(text).toContain(`<td><time datetime="${at}">`);
    expect(text).toMatch(/data-label="Requests">30<\/td><td class="right" data-label="Refused">7<\/td><\/tr>/);
    const list = (await owner.get('/guilds/own/keys')).text;
    expect(list).toContain('98 % of all requests in 7 days');
    expect(list).toContain('<dt>7 days</dt><dd>1,200 requests, <span class="bad once">7 refused</span></dd>');
    expect(list).toContain('<dt>24 hours</dt><dd>30 requests</dd>');
    expect(list).toContain('<dt>24 hours</dt><dd>0 requests, <span class="bad once">7 refused</span></dd>');
  });
});
