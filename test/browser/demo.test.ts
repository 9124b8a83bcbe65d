import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type DemoServer, demoPage } from '../../scripts/demo/demo-page.ts';
import { DEMO_GUILDS, DEMO_REWARDS, DEMO_VISITOR, fillDemoGuild } from '../../scripts/demo/guilds.ts';
import { parseConfig } from '../../src/config/service.ts';
import { type Core, openCore } from '../../src/core/core.ts';
import { createService, type RunningService } from '../../src/service/service.ts';
import { axeViolations, COLOUR_RULES, SCROLL_RULES } from '../../tools/axe.ts';
import {
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
  sharedChromium,
  startSite,
} from '../../tools/browser.ts';
import { needs } from '../support/needs.ts';
import { LONG_REDIS_TIMEOUT } from '../support/process.ts';
import { SILENT } from '../support/service.ts';
import { mockStore } from '../support/stores.ts';
import { MANY_LOOKS_MS, type PageWatch, watchPage } from './engines.ts';

describe('the demo in Chromium', needs('chromium'), () => {
  let service: RunningService;
  let core: Core;
  let servers: DemoServer[];
  let context: BrowserContext;
  let page: Page;
  let watch: PageWatch;
  let links = 0;
  /** Stands for the dashboard. */
  let dashboard: Awaited<ReturnType<typeof startSite>>;

  beforeAll(async () => {
    const store = await mockStore.start();
    const config = parseConfig({
      HOST: '127.0.0.1',
      PORT: '0',
      ADMIN_PORT: '0',
      PUBLIC_PAGES: '1',
      EMBED_ORIGINS: '*',
      ...LONG_REDIS_TIMEOUT,
    });
    core = openCore(store.connect(), config.keyPrefix);
    servers = [];
    for (const guild of DEMO_GUILDS) {
      servers.push({ ...guild, requestsPerHour: 100, key: await fillDemoGuild(core, guild, Date.now()) });
    }
    dashboard = await startSite();
    dashboard.html = '<!doctype html><title>signed in</title>';
    const extraRoutes = demoPage({
      servers,
      visitor: DEMO_VISITOR,
      rewards: DEMO_REWARDS,
      redisUrl: undefined,
      dashboardLink: async () => `${dashboard.url}?link=${++links}`,
    });
    const connections = { client: store.connect(), subscriber: store.connect() };
    service = await (await createService(config, { logger: SILENT, store: connections, extraRoutes })).start();
  });
  afterAll(async () => {
    await service.close();
    await dashboard.close();
  });
  afterEach(() => context.close());

  async function open(path: string, options: BrowserContextOptions = {}): Promise<void> {
    context = await (await sharedChromium()).newContext({ viewport: { width: 1280, height: 900 }, ...options });
    page = await context.newPage();
    watch = watchPage(page, service.url);
    await page.goto(service.url + path);
  }
  const widget = () => page.locator('guild-leaderboard');
  const overflow = () => page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

  it(
    'the demo page has no fault that axe finds and fits its window, in light and dark, even on a phone',
    async () => {
      await open('/');
      await widget().getByText('Ada Lovelace').first().waitFor();
      const found: unknown[] = [];
      for (const [width, colorScheme, rules] of [
        [1440, 'light', undefined],
        [1440, 'dark', COLOUR_RULES],
        [768, 'light', SCROLL_RULES],
        [360, 'dark', undefined],
        [360, 'light', COLOUR_RULES],
      ] as const) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme });
        found.push(...(await axeViolations(page, rules)).map((violation) => [width, colorScheme, violation]));
        if ((await overflow()) !== 0) found.push([width, 'is too wide']);
      }
      for (const width of [320, 240]) {
        await page.setViewportSize({ width, height: 900 });
        if ((await overflow()) !== 0) found.push([width, 'is too wide']);
      }
      expect(found).toEqual([]);
    },
    MANY_LOOKS_MS,
  );

  it('the demo page shows a live widget, the public page and the rank card, and asks no other host', async () => {
    await open('/');
    await widget().getByText('Sally Ride').waitFor();
    const frame = page.frameLocator('iframe');
    await page.locator('iframe').scrollIntoViewIfNeeded();
    await frame.getByRole('heading', { name: 'The Den' }).waitFor();
    // The card, the badge and the picture of the dashboard.
    const hasLoaded = "[...document.querySelectorAll('main img')].map(({ naturalWidth }) => naturalWidth > 0)";
    await expect.poll(() => page.evaluate(hasLoaded)).toEqual([true, true, true]);
    await widget().scrollIntoViewIfNeeded();
    await core.writer.record('demo-pro', { userId: DEMO_VISITOR.id, add: 1_000_000 });
    await widget().getByText('1,019,980').waitFor();
    expect(watch).toEqual({ complaints: [], elsewhere: [] });
  });

  it('the demo page copies each code, and the tag shows the leaderboard on a page of another origin', async () => {
    await open('/', { permissions: ['clipboard-read', 'clipboard-write'] });
    const copied: Record<string, string> = {};
    for (const button of await page.locator('button[data-copy]').all()) {
      if (!(await button.isVisible())) await page.getByRole('radio', { name: 'Python' }).check();
      await button.click();
      const id = (await button.getAttribute('data-copy')) ?? '';
      const code = (await page.locator(`#${id}`).textContent()) ?? '';
      await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(code);
      copied[id] = code;
    }
    const keys = servers.map(({ id, key }) => [`key-${id}`, key]);
    expect(copied).toMatchObject({
      'award-javascript': expect.stringContaining("from 'guildrank-kit/writer'"),
      'award-python': expect.stringContaining('from guildrank import'),
      curl: `curl -H 'x-api-key: ${servers[0]?.key}' '${service.url}/api/v1/servers/demo-pro/leaderboard?limit=3'`,
      ...Object.fromEntries(keys),
    });
    const site = await startSite();
    site.html = `<!doctype html>${copied.tag}`;
    await page.goto(site.url);
    await widget().getByText('Grace Hopper').first().waitFor();
    await site.close();
  });

  it('the demo page leads to the dashboard by another link each time', async () => {
    await open('/');
    const before = links;
    for (const link of [before + 1, before + 2]) {
      await page.goto(service.url);
      await page.getByRole('navigation').getByRole('link', { name: 'Dashboard' }).click();
      await page.waitForURL(`${dashboard.url}?link=${link}`);
    }
  });

  it('the demo page shows all but the widget without JavaScript, and leads to the public page in its place', async () => {
    await open('/', { javaScriptEnabled: false });
    expect(await page.locator('button[data-copy]:visible').count()).toBe(0);
    await page.getByRole('radio', { name: 'Python' }).check();
    expect(await page.locator('#award-python').isVisible()).toBe(true);
    expect(await page.locator('#award-javascript').isVisible()).toBe(false);
    await page.locator('iframe').scrollIntoViewIfNeeded();
    await page.frameLocator('iframe').getByText('Ada Lovelace').first().waitFor();
    await widget().getByRole('link', { name: 'public page' }).click();
    await page.waitForURL('**/g/demo-pro');
  });

  it('the demo fills the fields of /docs, so that Send alone gets 200 from each operation', async () => {
    await open('/');
    await page.getByRole('navigation').getByRole('link', { name: 'API' }).click();
    await page.getByText('its key and its server are filled in').waitFor();
    for (const name of ['A page of the leaderboard', 'One member', 'Statistics of the server']) {
      const card = page.getByRole('region', { name, exact: true });
      await card.getByRole('button', { name: 'Send', exact: true }).click();
      await card.getByText('200 OK').waitFor();
      for (const language of ['curl', 'fetch', 'Python']) {
        await card.getByLabel(language).check();
        const code = await card.getByRole('group', { name: 'Code', exact: true }).textContent();
        expect(code).toContain(servers[0]?.key);
      }
    }
    expect(await page.locator('#widget-snippet').textContent()).toContain('<guild-leaderboard guild="demo-pro">');
    expect(watch.complaints).toEqual([]);
  });
});
