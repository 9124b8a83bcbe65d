import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RESERVED_SPACE } from '../../src/widget-file.ts';
import { axeViolations } from '../support/axe.ts';
import { hasChromium } from '../support/browser.ts';
import { type WidgetBench, widgetBench } from '../support/widget-page.ts';

const GUIDE = readFileSync(new URL('../../docs/widget.md', import.meta.url), 'utf8');
/** The theming example of the guide. */
const [, THEMED = ''] = /```css\n(.*?)```/s.exec(GUIDE) ?? [];

/** Returns the style that the guide names, for another height. */
const reserved = (blockSize: string) => RESERVED_SPACE.replace(/<.*?>/g, '').replace('48.75em', blockSize);

describe.skipIf(!hasChromium)('the widget on pages of others', () => {
  let bench: WidgetBench;

  beforeAll(async () => {
    bench = await widgetBench({ PLAN_QUOTAS: 'free=12,pro=10000', CACHE_MAX_AGE_S: '60' });
  });
  afterAll(() => bench.close());
  beforeEach(async () => {
    await bench.start();
    await bench.service.store.writer.recordMany(
      'guild',
      Array.from({ length: 30 }, (_, i) => ({
        userId: `u${i}`,
        set: 3000 - i * 37,
        profile: { username: `Member ${i}` },
      })),
    );
  });
  afterEach(() => bench.end());

  const live = () => bench.page.getByText('Live', { exact: true }).first().waitFor();
  const note = (text: string | RegExp) => bench.page.locator('.note').getByText(text).waitFor();
  /** Counts requests of an operation from now on. */
  function asked(path = '/servers/'): () => number {
    let count = 0;
    bench.page.on('request', (request) => {
      if (request.url().includes(path)) count++;
    });
    return () => count;
  }

  describe('delays', () => {
    it.each(['3600000', '1e308', 'Infinity'])('asks once in a minute with refresh="%s"', async (refresh) => {
      await bench.page.clock.install();
      const count = asked('/leaderboard');
      await bench.open({ refresh });
      await live();
      await bench.page.clock.runFor(60_000);
      expect(count()).toBe(1);
      expect(bench.messages.join()).toContain('86400 are used');
    });

    it.each(['99999999999', 'Fri, 31 Dec 9999 23:59:59 GMT'])('waits after Retry-After: %s', async (retryAfter) => {
      const count = asked('/leaderboard');
      await bench.page.route('**/servers/**', (route) =>
        route.fulfill({
          status: 503,
          headers: {
            'Retry-After': retryAfter,
            'Access-Control-Allow-Origin': '*',
            'Access-Control-Expose-Headers': '*',
          },
        }),
      );
      await bench.open();
      await note('The leaderboard is away for a moment.');
      await expect.poll(() => bench.messages.join()).toContain('86400 are used');
      expect(count()).toBe(1);
    });
  });

  describe('requests', () => {
    it('uses the cache of the browser: five page views cost two requests', async () => {
      // A browser compares the Date header with its own clock.
      bench.service.setWallClock(Date.now() - Date.parse('2026-01-15T12:00:00Z'));
      for (let view = 0; view < 5; view++) {
        await bench.open();
        await live();
        await expect.poll(() => bench.inWidget("all('.stats')[0].textContent")).toContain('30 members');
      }
      expect(await bench.counted()).toBe(2);
    });

    it('asks for the page and the totals at once', async () => {
      let isAsked = () => {};
      const both = new Promise<void>((resolve) => {
        isAsked = resolve;
      });
      await bench.page.route('**/leaderboard?**', async (route) => {
        await both;
        await route.continue();
      });
      bench.page.on('request', (request) => {
        if (request.url().endsWith('/stats')) isAsked();
      });
      await bench.open();
      await live();
    });

    it('asks nothing while it is off screen', async () => {
      const count = asked();
      await bench.open({ style: '' }, 'lang="en"', '<div id="far"></div>');
      await live();
      const before = count();
      await bench.openHtml(
        '<script src="SERVICE/widget.js" defer></script><div id="far"></div><guild-leaderboard guild="guild" api-key="KEY"></guild-leaderboard>',
        'lang="en"',
        '#far { height: 3000px }',
      );
      await bench.page.locator('guild-leaderboard .is-loading').first().waitFor({ state: 'attached' });
      await bench.page.evaluate('new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))');
      expect(count()).toBe(before);
      await bench.page.locator('guild-leaderboard').scrollIntoViewIfNeeded();
      await live();
    });

    it('has one poller for all widgets of a guild', async () => {
      const tag = '<guild-leaderboard guild="guild" api-key="KEY" page-size="5"></guild-leaderboard>';
      const stats = '<guild-stats guild="guild" api-key="KEY"></guild-stats>';
      const count = asked();
      await bench.openHtml(`<script src="SERVICE/widget.js" defer></script>${stats}${tag}${tag}`);
      await expect.poll(() => bench.page.getByText('Live', { exact: true }).count()).toBe(2);
      expect(count()).toBe(2);
    });
  });

  describe('the page around it', () => {
    it.each([
      // The margins of the page are 8 pixels.
      ...[196, 256, 280, 320, 479, 480, 800].map((width) => [width, '', '48.75em'] as const),
      [800, 'page-size="5"', 'calc(11.25em + 5 * 3.75em)'],
      [800, 'density="compact"', 'calc(11.25em + 10 * 2.75em)'],
      [320, 'layout="table"', 'calc(13.5em + 10 * 3.25em)'],
    ] as const)(
      'moves nothing below it, %s pixels wide, with attributes "%s", with the reserved space',
      async (width, attributes, blockSize) => {
        await bench.page.setViewportSize({ width, height: 900 });
        await bench.openHtml(
          `<guild-leaderboard guild="guild" api-key="KEY" ${attributes}></guild-leaderboard><p>below</p>`,
          'lang="en"',
          reserved(blockSize),
        );
        await bench.page.evaluate(`
        window.shift = 0;
        window.shifted = [];
        new PerformanceObserver((list) => {
          for (const { value, sources } of list.getEntries()) {
            window.shift += value;
            window.shifted.push(...sources.map(({ node }) => node?.className ?? node?.nodeName));
          }
        }).observe({ type: 'layout-shift', buffered: true });
        requestAnimationFrame(() => requestAnimationFrame(() => {
          const script = document.createElement('script');
          script.src = '${bench.service.url}/widget.js';
          document.body.append(script);
        }));`);
        await live();
        await expect.poll(() => bench.inWidget("all('.stats')[0].textContent")).toContain('30 members');
        await bench.page.evaluate('new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))');
        expect(
          await bench.page.evaluate('window.shift'),
          await bench.page.evaluate('window.shifted.join()'),
        ).toBeLessThan(width < 320 ? 0.03 : 0.001);
      },
    );

    it('keeps its title with white space between the tags', async () => {
      await bench.openHtml(
        `<script src="SERVICE/widget.js" defer></script><guild-leaderboard guild="guild" api-key="KEY">\n  <p>No script?</p>\n</guild-leaderboard>`,
      );
      await live();
      expect(await bench.page.getByRole('heading', { name: 'Leaderboard' }).isVisible()).toBe(true);
      expect(await bench.page.getByText('No script?').isVisible()).toBe(false);
    });

    it('takes neither a small root size nor text-transform from the page', async () => {
      await bench.openHtml(
        '<script src="SERVICE/widget.js" defer></script><guild-leaderboard guild="guild" api-key="KEY"></guild-leaderboard>',
        'lang="en"',
        'html { font-size: 62.5% } body { text-transform: uppercase; letter-spacing: 5px }',
      );
      await live();
      const style =
        "(({ fontSize, textTransform, letterSpacing }) => [fontSize, textTransform, letterSpacing])(getComputedStyle(all('.name')[4]))";
      expect(await bench.inWidget(style)).toEqual(['16px', 'none', 'normal']);
    });

    it('scrolls to the member that is shown in the list, focuses the row, and marks it', async () => {
      await bench.page.setViewportSize({ width: 800, height: 300 });
      await bench.open({ 'page-size': '30' });
      await live();
      await bench.page.getByRole('button', { name: 'Find a member by id' }).click();
      await bench.page.keyboard.type('u25');
      await bench.page.keyboard.press('Enter');
      await bench.page.getByRole('button', { name: 'Show in list' }).click();
      const row = bench.page.locator('li.is-wanted');
      await expect.poll(() => row.evaluate((node) => node.matches(':focus'))).toBe(true);
      await expect.poll(async () => (await row.boundingBox())?.y).toBeLessThan(300);
    });

    it('shows bars, disabled buttons and the found row in forced colours', async () => {
      await bench.page.emulateMedia({ forcedColors: 'active' });
      await bench.open({ member: 'u3' });
      await live();
      const seen = await bench.inWidget(`(() => {
        const style = (selector) => getComputedStyle(all(selector)[0]);
        const canvas = style('.card').backgroundColor;
        return [style('li:nth-child(4) .bar').backgroundColor !== canvas, style('.is-you').outlineStyle,
          style('.pager [aria-disabled=true]').color !== style('.pager [aria-disabled=false]').color];
      })()`);
      expect(seen).toEqual([true, 'solid', true]);
    });

    it.each(['\u200b\u2060', '\u3164', '\u00a0 \u2800'])(
      'shows the id instead of a name that nobody can see: %j',
      async (username) => {
        await bench.service.store.writer.record('guild', { userId: 'ghost', set: 9000, profile: { username } });
        await bench.open({ layout: 'table' });
        await live();
        expect(await bench.page.getByRole('rowheader', { name: 'ghost' }).count()).toBe(1);
      },
    );
  });

  describe('axe finds nothing', () => {
    it.each([
      ['light', ''],
      ['dark', ''],
      ['light', THEMED],
      ['dark', THEMED],
    ] as const)(
      'in two widgets, a member and the totals, in the %s theme, with style %j',
      async (colorScheme, style) => {
        await bench.service.store.guildConfig.update('guild', { xpMultiplier: 2 });
        await bench.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        const tag = (attributes: string) =>
          `<guild-leaderboard guild="guild" api-key="KEY" ${attributes}></guild-leaderboard>`;
        await bench.openHtml(
          `<script src="SERVICE/widget.js" defer></script><main><h1>Site</h1>${tag('member="u4"')}${tag('layout="table" member="u20" member-href="/u/{user_id}"')}
        <guild-member guild="guild" api-key="KEY" member="u2"></guild-member><guild-stats guild="guild" api-key="KEY"></guild-stats></main>`,
          'lang="en"',
          `:root { color-scheme: light dark } ${style}`,
        );
        await expect.poll(() => bench.page.getByText('30 members', { exact: false }).count()).toBe(3);
        await bench.page.locator('guild-leaderboard').nth(1).scrollIntoViewIfNeeded();
        await bench.page.locator('guild-stats').scrollIntoViewIfNeeded();
        await bench.page.getByText('daily streak 0').waitFor();
        await bench.page.getByRole('button', { name: 'Find a member by id' }).first().click();
        await bench.page.keyboard.type('u9');
        await bench.page.keyboard.press('Enter');
        await bench.page.getByRole('button', { name: 'Show in list' }).click();
        expect(await axeViolations(bench.page)).toEqual([]);
      },
    );
  });

  describe('messages', () => {
    it.each([
      ['a wrong path', { 'base-url': 'SERVICE/wrong' }, /There is no leaderboard service at .*\/wrong\/api\/v1/],
      ['no address', { 'base-url': 'http://' }, 'The base-url attribute is not an address.'],
      [
        'a key with an invisible character',
        { 'api-key': 'KEY\u200b' },
        'The api-key attribute has an invisible character.',
      ],
      ['a wrong key', { 'api-key': 'gr_no' }, 'The API key was not accepted. Check the api-key attribute.'],
      ['another guild', { guild: 'a b' }, 'The guild attribute is not the id of a server.'],
    ] as const)(
      'says what to mend in the middle of the card and once in the console: %s',
      async (_, attributes, text) => {
        await bench.page.clock.install();
        const count = asked('/leaderboard');
        await bench.open(attributes);
        await note(text);
        const before = count();
        await bench.page.clock.runFor(600_000);
        expect(count()).toBe(before);
        const told = bench.messages.filter((message) => /Guildrank widget|uncaught/.test(message));
        expect(told).toEqual([expect.stringMatching(text)]);
      },
    );

    it('says that a name is not searched, without a request', async () => {
      await bench.open();
      await live();
      const count = asked('/members/');
      await bench.page.getByRole('button', { name: 'Find a member by id' }).click();
      await bench.page.keyboard.type('Ada Lovelace');
      await bench.page.keyboard.press('Enter');
      await bench.page.getByText('No member has the id “Ada Lovelace”. Names are not searched.').waitFor();
      expect(count()).toBe(0);
    });

    it('needs no API key when base-url is a proxy that adds it', async () => {
      const proxy = createServer(async (req, res) => {
        const answer = await fetch(bench.service.url + (req.url ?? ''), { headers: { 'x-api-key': bench.key } });
        res.setHeader('Access-Control-Allow-Origin', '*');
        res.setHeader('Content-Type', 'application/json');
        res.end(await answer.text());
      });
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
      const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
      try {
        bench.alsoAllowed = url;
        await bench.open({ 'api-key': '', 'base-url': url });
        await live();
      } finally {
        bench.alsoAllowed = '';
        proxy.close();
      }
    });
  });
});
