import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Page, type Site, sharedChromium, startSite } from '../../tools/browser.ts';
import { needs } from '../support/needs.ts';
import { startService, type TestService } from '../support/service.ts';
import { mockStore, type TestStore } from '../support/stores.ts';
import { PATIENT } from '../support/wait.ts';
import { type PageWatch, watchPage } from './engines.ts';

/** The guide, whose receiver of messages is run. */
const GUIDE = readFileSync(new URL('../../docs/widget.md', import.meta.url), 'utf8');

describe('/embed in a frame, in Chromium', needs('chromium'), () => {
  let testStore: TestStore;
  let site: Site;
  let stranger: Site;
  let service: TestService;
  let key: string;
  let page: Page;
  let watch: PageWatch;

  beforeAll(async () => {
    [testStore, site, stranger] = await Promise.all([mockStore.start(), startSite(), startSite()]);
    service = await startService(testStore, { EMBED_ORIGINS: new URL(site.url).origin });
    // A key that works on the service's own pages alone: no other site can use it.
    ({ key } = await service.store.apiKeys.create('guild', 'test', null, [service.url]));
    await service.store.writer.recordMany('guild', [
      { userId: 'ada', set: 4675, username: 'Ada' },
      { userId: 'grace', set: 2000, username: 'Grace' },
    ]);
  });
  afterAll(async () => {
    await service.close();
    await Promise.all([site.close(), stranger.close(), testStore.stop()]);
  });
  beforeEach(async () => {
    page = await (await sharedChromium()).newPage();
    watch = watchPage(page, service.url);
  });
  afterEach(() => page.close());

  async function open(on: Site, fragment: string): Promise<void> {
    on.html = `<!doctype html><title>site</title><link rel="icon" href="data:,">
      <iframe title="Leaderboard" src="${service.url}/embed#${fragment}" width="600" height="700"></iframe>`;
    await page.goto(on.url);
  }
  const frame = () => page.frameLocator('iframe');
  const names = () => frame().getByRole('rowheader').locator('bdi:not(.role-name)').allTextContents();

  it('/embed shows the leaderboard of the fragment on a site that may embed it, and sends the key in a header alone', async () => {
    const asked: string[] = [];
    const withKey: string[] = [];
    page.on('request', (request) => {
      asked.push(request.url(), JSON.stringify({ ...request.headers(), 'x-api-key': '' }));
      if ('x-api-key' in request.headers()) withKey.push(new URL(request.url()).origin);
    });
    await open(site, `guild=guild&layout=table&api-key=${key}&page-size=1&theme=dark&lang=de`);
    await frame().getByRole('rowheader', { name: 'Ada' }).waitFor();
    expect(await names()).toEqual(['Ada']);
    expect(await frame().locator('guild-leaderboard').getAttribute('theme')).toBe('dark');
    const inside = page.frames()[1];
    expect(await inside?.evaluate('[document.title, document.documentElement.lang]')).toEqual([
      'Leaderboard of guild',
      'de',
    ]);
    // Playwright names a request with its fragment, which Chromium does not send.
    const sent = asked.map((text) => text.replace(/#.*/, ''));
    expect(sent.filter((text) => text.includes(key))).toEqual([]);
    expect(new Set(withKey)).toEqual(new Set([service.url]));
    expect(service.logText()).not.toContain(key);
    expect(watch.complaints).toEqual([]);
  });

  it('/embed follows a change of the fragment', async () => {
    await open(site, `guild=guild&layout=table&api-key=${key}&page-size=1`);
    await frame().getByRole('rowheader', { name: 'Ada' }).waitFor();
    await page.evaluate(
      `document.querySelector('iframe').src = '${service.url}/embed#guild=guild&layout=table&lang=ar&dir=rtl&api-key=${key}'`,
    );
    await frame().getByRole('rowheader', { name: 'Grace' }).waitFor();
    expect(await frame().locator('guild-leaderboard:dir(rtl)').count()).toBe(1);
    expect(await names()).toEqual(['Ada', 'Grace']);
  });

  it('/embed takes from the fragment no address to which the key would be sent', async () => {
    const hosts = new Set<string>();
    page.on('request', (request) => hosts.add(new URL(request.url()).origin));
    await open(site, `guild=guild&layout=table&api-key=${key}&base-url=${stranger.url}&onclick=alert(1)`);
    await frame().getByRole('rowheader', { name: 'Ada' }).waitFor();
    expect(
      await frame()
        .locator('guild-leaderboard')
        .evaluate((node) => node.getAttributeNames().sort()),
    ).toEqual(['api-key', 'guild', 'layout']);
    expect(hosts).toEqual(new Set([new URL(site.url).origin, service.url]));
  });

  it('/embed tells its height, takes a theme from the page around it alone, and ignores other messages', async () => {
    await open(site, `guild=guild&api-key=${key}`);
    await frame().getByText('Live').waitFor();
    await frame().getByText('2 members').waitFor();
    const [, receiver = ''] = /```js\n(const frame = .*?)```/s.exec(GUIDE) ?? [];
    await page.evaluate(`(() => { ${receiver.replaceAll('https://ranks.example.com', service.url)} })()`);
    const theme = () => frame().locator('guild-leaderboard').getAttribute('theme');
    const room = () => page.evaluate("document.querySelector('iframe').clientHeight");
    // The receiver came after the first message, so it hears of a change.
    await page.evaluate(
      "document.documentElement.dataset.theme = 'dark'; document.querySelector('iframe').width = 250",
    );
    await expect.poll(theme).toBe('dark');
    const height = await vi.waitFor(async () => {
      const told = await room();
      const own = (await frame().locator('guild-leaderboard').boundingBox())?.height;
      expect(told).toBe(own);
      return told;
    }, PATIENT);
    const inside = page.frames()[1];
    await inside?.evaluate("postMessage({ type: 'guildrank:theme', theme: 'light' }, '*')");
    await page.evaluate(`postMessage({ type: 'guildrank:height', height: 1 }, '*');
      for (const wrong of [null, 'light', 7, { type: 'guildrank:theme' }, { type: 'guildrank:theme', theme: 'x' }, { theme: 'light' }])
        document.querySelector('iframe').contentWindow.postMessage(wrong, '*');`);
    // A message waits for those before it.
    await page.evaluate(
      "document.querySelector('iframe').contentWindow.postMessage({ type: 'guildrank:theme', theme: 'auto' }, '*')",
    );
    await expect.poll(theme).not.toBe('dark');
    expect([await theme(), await room()]).toEqual(['auto', height]);
    expect(watch.complaints).toEqual([]);
  });

  it('/embed says what it needs in a browser without JavaScript', async () => {
    const context = await (await sharedChromium()).newContext({ javaScriptEnabled: false });
    try {
      const plain = await context.newPage();
      await plain.goto(`${service.url}/embed#guild=guild`);
      expect(await plain.locator('noscript p').isVisible()).toBe(true);
    } finally {
      await context.close();
    }
  });

  it('/embed is shown on no other site', async () => {
    await open(stranger, `guild=guild&layout=table&api-key=${key}`);
    await expect.poll(() => watch.complaints.join()).toContain('frame-ancestors');
    expect(
      page
        .frames()
        .map((each) => each.url())
        .filter((url) => url.startsWith(service.url)),
    ).toEqual([]);
  });
});
