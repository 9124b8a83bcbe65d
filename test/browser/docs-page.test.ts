import request from 'supertest';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PROBLEMS } from '../../src/service/http/response/problem.ts';
import { RESERVED_SPACE } from '../../src/service/http/site/widget-file.ts';
import { axeViolations, SIZE_RULES } from '../../tools/axe.ts';
import { type Page, sharedChromium, startSite } from '../../tools/browser.ts';
import { needs } from '../support/needs.ts';
import { startService } from '../support/service.ts';
import { mockStore } from '../support/stores.ts';
import { type DocsService, startDocsService } from './docs-service.ts';
import { MANY_LOOKS_MS, openChromium, type PageWatch, type Tab, watchPage } from './engines.ts';

describe('/docs in Chromium', needs('chromium'), () => {
  let docs: DocsService;
  let tab: Tab<Page>;
  let page: Page;
  let watch: PageWatch;

  beforeAll(async () => {
    docs = await startDocsService();
    tab = await openChromium({ colorScheme: 'light' });
    page = tab.page;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  });
  afterAll(async () => {
    await tab.close();
    await docs.close();
  });
  beforeEach(async () => {
    await tab.clear();
    watch = watchPage(page, docs.url);
    await docs.renewQuota();
  });

  async function open(path: string): Promise<void> {
    await page.goto(docs.url + path);
    await page.getByRole('heading', { name: 'Statistics of the server' }).waitFor();
  }
  const card = (name: string) => page.getByRole('region', { name, exact: true });
  const leaderboard = () => card('A page of the leaderboard');
  const sample = (name: string) => card(name).getByRole('group', { name: 'Code', exact: true });
  async function fillIn(): Promise<void> {
    await page.getByLabel('API key').fill(docs.key);
    await page.getByLabel('Server id').fill('guild');
  }
  async function send(name: string, status: string): Promise<void> {
    await card(name).getByRole('button', { name: 'Send', exact: true }).click();
    await card(name).getByText(status, { exact: true }).waitFor();
  }
  const shown = (name: string, title: 'Body' | 'Headers') =>
    card(name).getByRole('group', { name: title, exact: true }).textContent();

  /** Waits until the element is the target of the address and in view. */
  async function expectTarget(id: string): Promise<void> {
    await page.waitForFunction(`((target) => {
      const top = target?.getBoundingClientRect().top ?? -1;
      return target?.id === ${JSON.stringify(id)} && top >= 0 && top < innerHeight;
    })(document.querySelector(':target'))`);
  }

  it('/docs shows the status of an answer at once, even on a phone', async () => {
    for (const [width, height] of [
      [360, 500],
      [1200, 700],
    ] as const) {
      await open('/docs');
      await fillIn();
      await page.setViewportSize({ width, height });
      for (const name of ['A page of the leaderboard', 'Statistics of the server']) {
        await page.evaluate(`[...document.querySelectorAll('section')]
          .find(({ ariaLabel }) => ariaLabel === ${JSON.stringify(name)})
          .querySelector('[type=submit]').scrollIntoView({ block: 'end' })`);
        await send(name, '200 OK');
        const { y, height: lines } = (await card(name).locator('.status').boundingBox()) ?? { y: -1, height: 0 };
        expect(y).toBeGreaterThan(-1);
        expect(y + lines).toBeLessThan(height + 1);
      }
    }
  });

  it('/docs without JavaScript says at once where the document is, and leaves nothing empty', async () => {
    const context = await (await sharedChromium()).newContext({ javaScriptEnabled: false });
    const plain = await context.newPage();
    await plain.goto(`${docs.url}/docs`);
    expect(await plain.locator('p:visible').allTextContents()).toEqual([
      'This page needs JavaScript. The document it shows is at api/v1/openapi.json.',
    ]);
    expect((await plain.locator('main').boundingBox())?.height ?? 0).toBe(0);
    await context.close();
  });

  it('/docs/ leads to /docs, even below a path of a proxy', async () => {
    await open('/docs/');
    expect(page.url()).toBe(`${docs.url}/docs`);
    expect(new URL('../docs', 'https://example.com/ranks/docs/').pathname).toBe('/ranks/docs');
  });

  it('/docs moves nothing that a person sees while it loads', async () => {
    const fresh = await page.context().newPage();
    await fresh.addInitScript(`window.shift = 0;
      new PerformanceObserver((list) => { for (const { value } of list.getEntries()) shift += value; })
        .observe({ type: 'layout-shift', buffered: true });`);
    await fresh.goto(`${docs.url}/docs`);
    await fresh.getByRole('heading', { name: 'Statistics of the server' }).waitFor();
    await fresh.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    expect(await fresh.evaluate('shift')).toBeLessThan(0.1);
    await fresh.close();
  });

  it.each(['getStats', 'code-wrong_guild', 'schema-Problem', 'codes'])(
    '/docs shows #%s in view on a fresh load',
    async (id) => {
      await open(`/docs#${id}`);
      await expectTarget(id);
    },
  );

  describe('the open page', () => {
    beforeEach(() => open('/docs'));

    it('/docs shows the three operations, breaks no rule of its policy and sends no request to another host', async () => {
      const titles = ['A page of the leaderboard', 'One member', 'Statistics of the server'];
      for (const title of titles) expect(await card(title).count()).toBe(1);
      expect(watch).toEqual({ complaints: [], elsewhere: [] });
    });

    it('/docs sends the leaderboard request that a person fills in, and shows names as text', async () => {
      await fillIn();
      await leaderboard()
        .getByLabel(/^limit/)
        .fill('1');
      await send('A page of the leaderboard', '200 OK');
      const body = (await shown('A page of the leaderboard', 'Body')) ?? '';
      expect(JSON.parse(body).data).toHaveLength(1);
      expect(body).toContain('<b>Grace</b>');
      expect(await shown('A page of the leaderboard', 'Headers')).toContain('ratelimit: "hourly";r=99;t=3600');
      expect(watch.complaints).toEqual([]);
    });

    it('/docs shows how long an answer took and what is left of the quota', async () => {
      await fillIn();
      await send('Statistics of the server', '200 OK');
      const facts = await card('Statistics of the server').locator('.facts').textContent();
      expect(facts).toMatch(/^\d+ ms · 99 of 100 requests left, renewed in 60 min$/);
    });

    it('/docs sends the request again with the ETag of the answer, which gives 304', async () => {
      await fillIn();
      await send('Statistics of the server', '200 OK');
      await card('Statistics of the server').getByRole('button', { name: 'Send again with this ETag' }).click();
      await card('Statistics of the server').getByText('304 Not Modified').waitFor();
      expect(await shown('Statistics of the server', 'Body')).toBe('(none)');
      expect(await card('Statistics of the server').locator('.facts').textContent()).toContain('98 of 100');
      expect(await sample('Statistics of the server').textContent()).toMatch(/-H 'if-none-match: "[\w-]+"'/);
    });

    it('/docs sends the member and statistics requests, and shows all digits of a total beyond 2^53', async () => {
      await fillIn();
      await card('One member')
        .getByLabel(/^user_id/)
        .fill('linus');
      await page.keyboard.press('Enter');
      await card('One member').getByText('200 OK').waitFor();
      await send('Statistics of the server', '200 OK');
      expect(await shown('Statistics of the server', 'Body')).toContain('"total_xp": 18014398509481984');
    });

    it('/docs shows the lines that load this version of the widget', async () => {
      const lines = await page.locator('#widget-snippet').textContent();
      const [style, script = ''] = lines?.split('\n') ?? [];
      expect(style).toBe(RESERVED_SPACE);
      const [, src = '', integrity] =
        /^<script src="(.*?)" integrity="(.*?)" crossorigin="anonymous" defer>/.exec(script) ?? [];
      expect(src).toMatch(/\/widget\.[0-9a-f]{16}\.js$/);
      const site = await startSite();
      site.html = `<!doctype html>${lines}`;
      await page.goto(site.url);
      expect(await page.evaluate("customElements.get('guild-leaderboard') !== undefined")).toBe(true);
      await site.close();
      expect(integrity).toMatch(/^sha384-[\w+/]{64}$/);
    });

    it('/docs shows code for the request before it is sent, in three languages, as the fields are', async () => {
      const name = 'A page of the leaderboard';
      const address = `${docs.url}/api/v1/servers/81384788765712384/leaderboard`;
      expect(await sample(name).textContent()).toBe(`curl -i -H "x-api-key: $KEY" \\\n  '${address}'`);
      await fillIn();
      await leaderboard()
        .getByLabel(/^limit/)
        .fill('5');
      expect(await sample(name).textContent()).toContain("/servers/guild/leaderboard?limit=5'");
      await leaderboard().getByLabel('fetch').check();
      expect(await sample(name).textContent()).toContain('await fetch("');
      await leaderboard().getByLabel('Python').check();
      expect(await sample(name).textContent()).toContain('/servers/guild/leaderboard?limit=5"');
      // The choice holds for all operations, and no code holds the key.
      expect(await sample('One member').textContent()).toContain('import os');
      expect(await page.locator('main').textContent()).not.toContain(docs.key);
    });

    it('/docs copies code, and selects it where the browser offers no clipboard', async () => {
      const copy = leaderboard().getByRole('button', { name: 'Copy Code' });
      await copy.click();
      await leaderboard().getByText('Copied').waitFor();
      expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^curl -i /);
      await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`);
      await copy.click();
      await leaderboard().getByText('Selected').waitFor();
      expect(await page.evaluate('String(getSelection())')).toMatch(/^curl -i /);
    });

    it('/docs shows a refused request with its status, its body and a link to what to do', async () => {
      await fillIn();
      await page.getByLabel('API key').fill('gr_x');
      await send('Statistics of the server', '401 Unauthorized');
      expect(await shown('Statistics of the server', 'Body')).toContain('"code": "invalid_api_key"');
      await card('Statistics of the server').getByRole('link', { name: 'What to do' }).click();
      await expectTarget('code-invalid_api_key');
    });

    it('/docs says what to mend when a field cannot be sent', async () => {
      const press = () => card('Statistics of the server').getByRole('button', { name: 'Send', exact: true }).click();
      await press();
      expect(await page.evaluate('document.activeElement.id')).toBe('key');
      await page.getByLabel('API key').fill(docs.key);
      await press();
      expect(await page.evaluate('document.activeElement.id')).toBe('guild');
      await fillIn();
      await page.getByLabel('API key').fill(`${docs.key}\u200b`);
      await send('Statistics of the server', 'The key or a header has a character that cannot be sent. Copy it again.');
    });

    it('/docs shows an example of each answer, with its headers and a link to its schema', async () => {
      const member = card('One member');
      await member.locator('summary').filter({ hasText: '200' }).click();
      expect(
        JSON.parse((await member.getByRole('group', { name: 'Example', exact: true }).textContent()) ?? ''),
      ).toMatchObject({
        username: 'Ada',
        daily_streak: 5,
      });
      await member.getByRole('link', { name: 'Member', exact: true }).click();
      await expectTarget('schema-Member');
      for (const status of ['400', '401', '403', '404', '405', '429', '500', '503']) {
        const answer = member.locator('details').filter({ has: page.locator('b', { hasText: status }) });
        await answer.locator('summary').click();
        const example = JSON.parse((await answer.locator('pre').first().textContent()) ?? '');
        expect(String(example.status)).toBe(status);
        expect(await answer.getByRole('link', { name: example.code }).getAttribute('href')).toBe(
          `#code-${example.code}`,
        );
        expect(await answer.getByRole('rowheader', { name: 'X-Request-Id' }).isVisible()).toBe(true);
      }
    });

    it('/docs has one table of all problem codes', async () => {
      const rows = await page.getByRole('group', { name: 'Problem codes' }).locator('tbody tr').allInnerTexts();
      const stated = rows.map((row) => row.split('\t').slice(0, 2));
      expect(Object.fromEntries(stated)).toEqual(
        Object.fromEntries(Object.entries(PROBLEMS).map(([code, { status }]) => [code, String(status)])),
      );
      for (const row of rows) expect(row.split('\t').filter((cell) => cell.trim() !== '')).toHaveLength(4);
    });

    it('every link within /docs has a target, and no id stands twice', async () => {
      const dangling = await page.evaluate(`[...document.querySelectorAll('a[href^="#"]')]
      .map(({ hash }) => hash.slice(1))
      .filter((id) => document.querySelectorAll('[id="' + id + '"]').length !== 1)`);
      expect(dangling).toEqual([]);
    });

    it('/docs keeps key and server in no storage unless a person asks for it, and then in this tab only', async () => {
      const stored = () =>
        page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');
      const keep = page.getByLabel('Keep both in this tab');
      await fillIn();
      expect(await stored()).toBe('[{},{},""]');
      await open('/docs');
      expect(await page.getByLabel('API key').inputValue()).toBe('');

      await fillIn();
      await keep.check();
      await open('/docs');
      expect(await keep.isChecked()).toBe(true);
      expect(await page.getByLabel('API key').inputValue()).toBe(docs.key);
      expect(await page.getByLabel('Server id').inputValue()).toBe('guild');
      expect(await sample('Statistics of the server').textContent()).toContain('/servers/guild/stats');
      const other = await page.context().newPage();
      await other.goto(`${docs.url}/docs`);
      expect(await other.getByLabel('API key').inputValue()).toBe('');
      await other.close();

      await keep.uncheck();
      expect(await stored()).toBe('[{},{},""]');
    });

    it('/docs shows the edges of fields and buttons in forced colours, and moves nothing by itself', async () => {
      await page.emulateMedia({ forcedColors: 'active' });
      const edges = await page.evaluate<
        string[]
      >(`[...document.querySelectorAll('button, input:not([type=radio], [type=checkbox])')]
      .map((node) => getComputedStyle(node).borderStyle)`);
      expect(edges.filter((style) => style === 'none')).toEqual([]);
      const moving = await page.evaluate(`[...document.querySelectorAll('*')]
      .filter((node) => { const { transitionDuration, animationName } = getComputedStyle(node);
        return transitionDuration !== '0s' || animationName !== 'none'; }).length`);
      expect(moving).toBe(0);
    });

    it('/docs has no fault that axe finds, and no sideways scroll, at any width and in both themes', {
      timeout: MANY_LOOKS_MS,
    }, async () => {
      await fillIn();
      await send('Statistics of the server', '200 OK');
      await card('One member')
        .getByLabel(/^user_id/)
        .fill('nobody');
      await send('One member', '404 Not Found');
      await page.evaluate('for (const details of document.querySelectorAll("details")) details.open = true');
      for (const width of [180, 360, 1280, 1600]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      }
      // A theme changes colours alone, and no size hides an element or has colours of its own.
      for (const [width, colorScheme, rules] of [
        [180, 'light', SIZE_RULES],
        [1280, 'dark', undefined],
      ] as const) {
        await page.setViewportSize({ width, height: 800 });
        await page.emulateMedia({ colorScheme });
        expect([width, colorScheme, await axeViolations(page, rules)]).toEqual([width, colorScheme, []]);
      }
    });
  });
});

describe('the pages without a key', () => {
  it.each([
    ['/docs', 'text/html; charset=utf-8'],
    ['/docs/docs.js', 'text/javascript; charset=utf-8'],
    ['/docs/samples.js', 'text/javascript; charset=utf-8'],
    ['/docs/docs.css', 'text/css; charset=utf-8'],
    ['/widget.js', 'text/javascript; charset=utf-8'],
  ])('%s is served, with an ETag, to GET and HEAD only, and not counted', async (path, type) => {
    const testStore = await mockStore.start();
    const service = await startService(testStore);
    try {
      const { headers } = await request(service.url).get(path).expect(200).expect('content-type', type);
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff' });
      expect(headers).not.toHaveProperty('ratelimit');
      await request(service.url).get(path).set('if-none-match', String(headers.etag)).expect(304);
      await request(service.url).head(path).expect(200);
      await request(service.url).post(path).expect(405);
      if (path === '/docs') expect(headers).toMatchObject(PAGE);
      if (path === '/widget.js') expect(headers).toMatchObject(SHARED);
      // Only the demo has a page at the root.
      await request(service.url).get('/').expect(404);
    } finally {
      await service.close();
      await testStore.stop();
    }
  });
});

const PAGE = {
  'content-security-policy': expect.stringMatching(
    /^default-src 'none'; script-src 'self'; style-src 'self'; (?!.*unsafe)/,
  ),
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
};
const SHARED = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'cache-control': 'public, max-age=3600',
};
