import type { Browser, BrowserContext, Page } from 'playwright-core';
import request from 'supertest';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { demoPage } from '../../scripts/demo/demo-page.ts';
import { parseConfig } from '../../src/config.ts';
import { startServer } from '../../src/server.ts';
import { hasChromium, launchChromium, startSite } from '../support/browser.ts';
import { startService, type TestService } from '../support/service.ts';
import { mockStore, type TestStore } from '../support/stores.ts';

describe.skipIf(!hasChromium)('/docs in Chromium', () => {
  let browser: Browser;
  let context: BrowserContext;
  let testStore: TestStore;
  let service: TestService;
  let key: string;
  let page: Page;
  let complaints: string[];
  let elsewhere: string[];

  beforeAll(async () => {
    [browser, testStore] = await Promise.all([launchChromium(), mockStore.start()]);
    service = await startService(testStore);
    ({ key } = await service.store.apiKeys.create('guild', 'test', null));
    await service.store.writer.recordMany('guild', [
      { userId: 'ada', set: Number.MAX_SAFE_INTEGER },
      { userId: 'grace', set: Number.MAX_SAFE_INTEGER, profile: { username: '<b>Grace</b>' } },
      { userId: 'linus', set: 2 },
    ]);
  });
  afterAll(async () => {
    await browser.close();
    await service.close();
    await testStore.stop();
  });
  beforeEach(async () => {
    context = await browser.newContext();
    page = await context.newPage();
    complaints = [];
    elsewhere = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (asked) => {
      if (!asked.url().startsWith(service.url) && !asked.url().startsWith('data:')) elsewhere.push(asked.url());
    });
    await page.goto(`${service.url}/docs`);
    await page.getByRole('heading', { name: 'Statistics of the server' }).waitFor();
  });
  afterEach(() => context.close());

  const card = (name: string) => page.getByRole('region', { name, exact: true });
  async function fillIn(): Promise<void> {
    await page.getByLabel('API key').fill(key);
    await page.getByLabel('Server id').fill('guild');
  }

  it('shows the three operations, breaks no rule of its policy and sends no request to another host', async () => {
    const titles = ['A page of the leaderboard', 'One member', 'Statistics of the server'];
    for (const title of titles) expect(await card(title).count()).toBe(1);
    await page.getByText('Answers and their headers').first().click();
    expect(await page.getByRole('cell', { name: '429' }).first().isVisible()).toBe(true);
    expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] });
  });

  it('sends the leaderboard request that a person fills in, and shows names as text', async () => {
    await fillIn();
    const leaderboard = card('A page of the leaderboard');
    await leaderboard.getByLabel(/^limit/).fill('1');
    await leaderboard.getByRole('button', { name: 'Send' }).click();
    await leaderboard.getByText('200 OK').waitFor();
    const [body, headers, command] = await leaderboard.locator('pre').allTextContents();
    expect(JSON.parse(body ?? '').data).toHaveLength(1);
    expect(body).toContain('<b>Grace</b>');
    expect(headers).toContain('ratelimit: "hourly";r=99;t=3600');
    expect(command).toBe(`curl -i -H "x-api-key: $KEY" '${service.url}/api/v1/servers/guild/leaderboard?limit=1'`);
    expect(complaints).toEqual([]);
  });

  it('sends the member and statistics requests, and shows all digits of a total beyond 2^53', async () => {
    await fillIn();
    await card('One member')
      .getByLabel(/^user_id/)
      .fill('linus');
    await page.keyboard.press('Enter');
    await card('One member').getByText('200 OK').waitFor();
    const stats = card('Statistics of the server');
    await stats.getByRole('button', { name: 'Send' }).click();
    await stats.getByText('200 OK').waitFor();
    expect(await stats.locator('pre').first().textContent()).toContain('"total_xp": 18014398509481984');
  });

  it('shows the lines that load this version of the widget', async () => {
    const lines = await page.locator('#widget-snippet').textContent();
    const [, src = '', integrity] =
      /^<script src="(.*?)" integrity="(.*?)" crossorigin="anonymous" defer>/.exec(lines ?? '') ?? [];
    expect(src).toMatch(/\/widget\.[0-9a-f]{16}\.js$/);
    const site = await startSite();
    site.html = `<!doctype html>${lines}`;
    await page.goto(site.url);
    expect(await page.evaluate("customElements.get('guild-leaderboard') !== undefined")).toBe(true);
    await site.close();
    expect(integrity).toMatch(/^sha384-[\w+/]{64}$/);
  });

  it('shows a refused request with its status and body', async () => {
    await page.getByLabel('Server id').fill('guild');
    const stats = card('Statistics of the server');
    await stats.getByRole('button', { name: 'Send' }).click();
    await stats.getByText('401 Unauthorized').waitFor();
    expect(await stats.locator('pre').first().textContent()).toContain('"code": "missing_api_key"');
  });
});

describe('the pages without a key', () => {
  it.each([
    ['/docs', 'text/html; charset=utf-8'],
    ['/docs/docs.js', 'text/javascript; charset=utf-8'],
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

  it('the demo page is served when it is configured, with its guild names as text', async () => {
    const testStore = await mockStore.start();
    const config = parseConfig({ HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0', LOG_LEVEL: 'silent' });
    const store = { client: testStore.connect(), subscriber: testStore.connect() };
    const demo = { guilds: [{ name: '<b>"Demo"', guild: 'guild', key: 'gr_x' }] };
    const service = await startServer(config, { store, extraRoutes: demoPage(demo) });
    try {
      const { text, headers } = await request(service.url).get('/').expect(200);
      expect(text).toContain('&#60;b&#62;&#34;Demo&#34;');
      expect(text).toContain('<guild-leaderboard guild="guild" api-key="gr_x" refresh="2">');
      expect(headers).toMatchObject({ ...PAGE, 'cache-control': 'no-store' });
      await request(service.url).get('/demo.js').expect(200);
      await request(service.url).get('/demo.css').expect(200);
    } finally {
      await service.close();
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
