import type { Browser, Page } from 'puppeteer-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { axeViolations } from '../support/axe.ts';
import { hasFirefox, launchFirefox } from '../support/browser.ts';
import { type Layout, MEASURE, MILLIONS, SIZES } from '../support/widget-layout.ts';
import { inFirstWidget, startWidgetSite, type WidgetSite } from '../support/widget-site.ts';

/** Firefox cannot emulate these for one page: the visitor has a dark system, and prefers reduced motion. */
const SETTINGS = { 'layout.css.prefers-color-scheme.content-override': 0, 'ui.prefersReducedMotion': 1 };

describe.skipIf(!hasFirefox)('the widget in Firefox', () => {
  let browser: Browser;
  let bench: WidgetSite;
  let page: Page;
  let messages: string[];

  beforeAll(async () => {
    [browser, bench] = await Promise.all([
      launchFirefox(SETTINGS),
      startWidgetSite({ PLAN_QUOTAS: 'free=12,pro=10000' }),
    ]);
  });
  afterAll(async () => {
    await browser.close();
    await bench.close();
  });
  beforeEach(async () => {
    await bench.reset();
    await bench.service.store.writer.recordMany(
      'guild',
      Array.from({ length: 24 }, (_, i) => ({
        userId: `u${i}`,
        set: 24_000 - i * 500,
        profile: { username: `Member ${i}` },
      })),
    );
    page = await browser.newPage();
    messages = [];
    page.on('console', (message) => messages.push(message.text()));
    page.on('pageerror', (error) => messages.push(String(error)));
  });
  afterEach(() => page.close());

  const inWidget = <T>(expression: string) => page.evaluate(inFirstWidget(expression)) as Promise<T>;
  const footer = () => inWidget<string>("all('.footer')[0].textContent");
  /** Opens a leaderboard and waits for its data. */
  async function open(attributes: Record<string, string> = {}, root?: string, live = 'Live'): Promise<void> {
    bench.write(bench.leaderboard(attributes), root);
    await page.goto(bench.site.url);
    await expect.poll(footer).toContain(live);
  }

  it('shows the leaderboard, and tells the author nothing', async () => {
    await open({ member: 'u9' });
    const names = await inWidget("all('li .name').map((node) => node.textContent)");
    expect(names).toEqual(Array.from({ length: 5 }, (_, i) => `Member ${i}`));
    await expect.poll(() => inWidget("all('.stats')[0].textContent")).toContain('24 members');
    await expect.poll(() => inWidget("all('.pinned .name')[0].textContent")).toBe('Member 9');
    expect(messages).toEqual([]);
  });

  it('asks with the ETag after a refresh, shows what changed, and moves nothing with reduced motion', async () => {
    await open({ refresh: '1' });
    await expect.poll(() => bench.service.log.some(({ status }) => status === 304)).toBe(true);
    await page.evaluate(`window.ran = 0;
      (function look() {
        ran += document.querySelector('guild-leaderboard').shadowRoot.getAnimations().length;
        requestAnimationFrame(look);
      })();`);
    await bench.service.store.writer.record('guild', { userId: 'u4', set: 23_900 });
    await expect.poll(() => inWidget("all('li .name')[1].textContent")).toBe('Member 4');
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    expect(await page.evaluate('ran')).toBe(0);
  });

  it('keeps its rows and counts down when the quota is used up', async () => {
    await bench.service.store.guildConfig.update('guild', { plan: 'free' });
    await open();
    for (let used = 2; used < 12; used++) {
      await fetch(`${bench.service.url}/api/v1/servers/guild/stats`, { headers: { 'x-api-key': bench.key } });
    }
    await page.evaluate("document.querySelector('guild-leaderboard').refresh()");
    await expect.poll(footer).toMatch(/The hourly quota is used up\..*Next try in \d+:\d\d/);
    expect(await inWidget("all('li').length")).toBe(5);
  });

  it.each(SIZES)('%s pixels, %s, %s: nothing overlaps, and names have room', async (width, layout, dir) => {
    await page.setViewport({ width: width + 16, height: 1200 });
    await page.setRequestInterception(true);
    page.on('request', (request) =>
      request.method() === 'GET' && request.url().includes('/leaderboard?')
        ? request.respond({
            body: MILLIONS,
            headers: { 'Access-Control-Allow-Origin': '*' },
            contentType: 'application/json',
          })
        : request.continue(),
    );
    await open({ layout, 'page-size': '10', member: 'm4' }, `lang="en" dir="${dir}"`);
    const { first, scroll, overlaps, narrowest, card } = await inWidget<Layout>(MEASURE);
    expect({ first, scroll, overlaps }).toEqual({ first: '1,234,561', scroll: width + 16, overlaps: 0 });
    expect(narrowest).toBeGreaterThan(60);
    expect(card).toBe(Math.min(width, 720));
  });

  it.each(
    ['light', 'dark', 'auto'].flatMap((theme) => [
      [theme, 'lang="en"', 'Live', 'list'],
      [theme, 'lang="ar" dir="rtl"', 'مباشر', 'table'],
    ]),
  )('axe finds nothing in the %s theme, with %s', async (theme, root, live, layout) => {
    await open({ theme, layout, member: 'u4' }, root, live);
    await expect.poll(() => inWidget("all('.stats')[0].textContent")).toContain('24');
    expect(await inWidget("getComputedStyle(all('.card')[0]).backgroundColor")).toBe(
      theme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(20, 23, 29)',
    );
    const found = await axeViolations(page);
    expect(found.filter((violation) => !/^(page-has-heading-one|region)/.test(violation))).toEqual([]);
  });
});
