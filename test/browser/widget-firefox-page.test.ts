import type { Browser, Page } from 'puppeteer-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RESERVED_SPACE } from '../../src/widget-file.ts';
import { axeViolations } from '../support/axe.ts';
import { hasFirefox, launchFirefox } from '../support/browser.ts';
import { inFirstWidget, startWidgetSite, type WidgetSite } from '../support/widget-site.ts';

/** Firefox cannot emulate forced colours for one page: a browser of its own has them. */
const FORCED_COLOURS = { 'browser.display.document_color_use': 2, 'ui.useAccessibilityTheme': 1 };

describe.skipIf(!hasFirefox)('the page around the widget in Firefox', () => {
  let plain: Browser;
  let forced: Browser;
  let bench: WidgetSite;
  let pages: Page[];
  let messages: string[];

  beforeAll(async () => {
    [plain, forced, bench] = await Promise.all([
      launchFirefox({}),
      launchFirefox(FORCED_COLOURS),
      startWidgetSite({ EMBED_ORIGINS: '*' }),
    ]);
  });
  afterAll(async () => {
    await Promise.all([plain.close(), forced.close()]);
    await bench.close();
  });
  beforeEach(async () => {
    await bench.reset();
    await bench.service.store.writer.recordMany(
      'guild',
      Array.from({ length: 24 }, (_, i) => ({ userId: `u${i}`, set: 24_000 - i * 500 })),
    );
    pages = [];
    messages = [];
  });
  afterEach(() => Promise.all(pages.map((page) => page.close())));

  async function open(browser: Browser, html: string, width = 800): Promise<Page> {
    const page = await browser.newPage();
    pages.push(page);
    page.on('console', (message) => messages.push(message.text()));
    page.on('pageerror', (error) => messages.push(String(error)));
    await page.setViewport({ width, height: 900 });
    bench.write(html, 'lang="en"', RESERVED_SPACE.replace(/<.*?>/g, ''));
    await page.goto(bench.site.url);
    return page;
  }
  const isLive = (page: Page) =>
    expect.poll(() => page.evaluate(inFirstWidget("all('.footer')[0].textContent + all('.stats')[0].textContent")));

  // The margins of the page are 8 pixels.
  it.each([196, 256, 280, 480, 800])(
    'nothing below it moves, %i pixels wide, with the reserved space',
    async (width) => {
      const tag = '<guild-leaderboard guild="guild" api-key="KEY"></guild-leaderboard><p id="below">below</p>';
      const page = await open(plain, tag, width);
      await page.evaluate(`window.tops = new Set();
      (function look() {
        tops.add(document.getElementById('below').getBoundingClientRect().top);
        requestAnimationFrame(look);
      })();
      requestAnimationFrame(() => requestAnimationFrame(() => {
        const script = document.createElement('script');
        script.src = '${bench.service.url}/widget.js';
        document.body.append(script);
      }));`);
      await isLive(page).toMatch(/Live.*24 members/);
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      expect(await page.evaluate('tops.size')).toBe(1);
    },
  );

  it('bars, disabled buttons and the row of the visitor can be seen in forced colours', async () => {
    const page = await open(forced, bench.leaderboard({ member: 'u3' }));
    await isLive(page).toMatch(/Live.*24 members/);
    expect(await page.evaluate("matchMedia('(forced-colors: active)').matches")).toBe(true);
    const seen = await page.evaluate(
      inFirstWidget(`(() => {
        const style = (selector) => getComputedStyle(all(selector)[0]);
        return [style('li:nth-child(4) .bar').backgroundColor !== style('.card').backgroundColor, style('.is-you').outlineStyle,
          style('.pager [aria-disabled=true]').color !== style('.pager [aria-disabled=false]').color];
      })()`),
    );
    expect(seen).toEqual([true, 'solid', true]);
    expect((await axeViolations(page)).filter((each) => !/^(page-has-heading-one|region)/.test(each))).toEqual([]);
  });

  it('the page for frames shows the leaderboard of its fragment', async () => {
    const page = await plain.newPage();
    pages.push(page);
    page.on('console', (message) => messages.push(message.text()));
    await page.goto(`${bench.service.url}/embed#guild=guild&api-key=${bench.key}&page-size=5&theme=dark&lang=de`);
    await page.waitForSelector('guild-leaderboard');
    await isLive(page).toMatch(/Live.*24 Mitglieder/);
    expect(await page.evaluate('[document.title, document.documentElement.lang]')).toEqual([
      'Leaderboard of guild',
      'de',
    ]);
    expect(messages).toEqual([]);
    expect((await axeViolations(page)).filter((each) => !/^(page-has-heading-one|region)/.test(each))).toEqual([]);
  });
});
