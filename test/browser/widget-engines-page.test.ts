import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { axeViolations } from '../../tools/axe.ts';
import { launchFirefox } from '../../tools/browser.ts';
import { needs } from '../support/needs.ts';
import { RESERVED, reservedSpace } from './widget-layout.ts';
import { describeEngines, members, soon, widgetView } from './widget-view.ts';

const GUIDE = readFileSync(new URL('../../docs/widget.md', import.meta.url), 'utf8');
/** The theming example of the guide. */
const [, THEMED = ''] = /```css\n(.*?)```/s.exec(GUIDE) ?? [];
const SCRIPT = '<script src="SERVICE/widget.js" defer></script>';
const TAG = '<guild-leaderboard guild="guild" api-key="KEY" page-size="5"></guild-leaderboard>';

/** Returns the faults that axe finds in the widget, on a page without headings. */
const faults = async (page: Parameters<typeof axeViolations>[0]) =>
  (await axeViolations(page)).filter((each) => !/^(page-has-heading-one|region)/.test(each));

describeEngines('the page around the widget', (engine) => {
  const view = widgetView(engine, members(30, 3000, 37), { EMBED_ORIGINS: '*', CACHE_MAX_AGE_S: '60' });
  /** Counts requests of an operation from now on. */
  function asked(path = '/servers/'): () => number {
    let count = 0;
    view.page.on('request', (request) => {
      if (request.method() === 'GET' && request.url().includes(path)) count++;
    });
    return () => count;
  }

  it('uses the cache of the browser: five page views cost two requests', async () => {
    // A browser compares the Date header with its own clock.
    view.bench.service.setWallClock(Date.now() - Date.parse('2026-01-15T12:00:00Z'));
    for (let visit = 0; visit < 5; visit++) {
      await view.openLive();
      await view.sees('30 members');
    }
    expect(await view.bench.testStore.client.get('gr:quota:{guild}')).toBe('2');
  });

  it('asks nothing while it is off screen', async () => {
    const count = asked();
    await view.openHtml(`${SCRIPT}<div id="far"></div>${TAG}`, 'lang="en"', '#far { height: 3000px }');
    await soon(() => view.inWidget("all('.is-loading').length")).toBe(1);
    await view.painted();
    expect(count()).toBe(0);
    await view.run('widget.scrollIntoView()');
    await view.sees('Live');
    expect(count()).toBeGreaterThan(0);
  });

  it('has one poller for all widgets of a guild', async () => {
    const count = asked();
    await view.openHtml(`${SCRIPT}<guild-stats guild="guild" api-key="KEY"></guild-stats>${TAG}${TAG}`);
    await view.sees(/Live[\s\S]*Live/);
    await view.sees(/30 members[\s\S]*30 members[\s\S]*30 members/);
    expect(count()).toBe(2);
  });

  it('asks for the page and the totals at once', async () => {
    let release = () => {};
    const both = new Promise<void>((resolve) => {
      release = resolve;
    });
    await view.page.setRequestInterception(true);
    view.page.on('request', async (request) => {
      if (request.url().endsWith('/stats')) release();
      if (request.url().includes('/leaderboard?')) await both;
      await request.continue();
    });
    await view.openLive();
  });

  it.each(['99999999999', 'Fri, 31 Dec 9999 23:59:59 GMT'])(
    'waits a day at most after Retry-After: %s',
    async (retryAfter) => {
      await view.page.setRequestInterception(true);
      const count = asked('/leaderboard?');
      view.page.on('request', (request) =>
        request.url().includes('/servers/')
          ? request.respond({
              status: 503,
              headers: {
                'Retry-After': retryAfter,
                'Access-Control-Allow-Origin': '*',
                'Access-Control-Allow-Headers': '*',
                'Access-Control-Expose-Headers': '*',
              },
            })
          : request.continue(),
      );
      await view.open();
      await view.sees('The leaderboard is away for a moment.');
      await soon(async () => view.messages.join()).toContain('86400 are used');
      expect(count()).toBe(1);
    },
  );

  it('keeps its title with white space between the tags, and takes no font from the page', async () => {
    await view.openHtml(
      `${SCRIPT}<guild-leaderboard guild="guild" api-key="KEY">\n  <p>No script?</p>\n</guild-leaderboard>`,
      'lang="en"',
      'html { font-size: 62.5% } body { text-transform: uppercase; letter-spacing: 5px }',
    );
    await view.sees('Live');
    expect(await view.shows('h2')).toBe(true);
    expect(await view.page.evaluate("document.querySelector('p').checkVisibility()")).toBe(false);
    const style =
      "(({ fontSize, textTransform, letterSpacing }) => [fontSize, textTransform, letterSpacing])(getComputedStyle(all('.name')[4]))";
    expect(await view.inWidget(style)).toEqual(['16px', 'none', 'normal']);
  });

  it('says that a name is not searched, without a request', async () => {
    await view.openLive();
    const count = asked('/members/');
    await view.search('Ada Lovelace');
    await view.sees('No member has the id “Ada Lovelace”. Names are not searched.');
    expect(count()).toBe(0);
  });

  it('needs no API key when base-url is a proxy that adds it', async () => {
    const { bench } = view;
    const proxy = createServer(async (req, res) => {
      const answer = await fetch(bench.service.url + (req.url ?? ''), { headers: { 'x-api-key': bench.key } });
      res.setHeader('Access-Control-Allow-Origin', '*');
      res.setHeader('Content-Type', 'application/json');
      res.end(await answer.text());
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    try {
      bench.alsoAllowed = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
      await view.openLive({ 'api-key': '', 'base-url': bench.alsoAllowed });
    } finally {
      bench.alsoAllowed = '';
      proxy.close();
    }
  });

  it.each(['light', 'dark'].flatMap((theme) => ['', THEMED].map((style) => [theme, style] as const)))(
    'axe finds nothing in two widgets, a member and the totals, in the %s theme, with style %j',
    async (theme, style) => {
      await view.store.guildConfig.update('guild', { xpMultiplier: 2 });
      const tag = (name: string, attributes: string) =>
        `<guild-${name} guild="guild" api-key="KEY" theme="${theme}" ${attributes}></guild-${name}>`;
      await view.page.setViewport({ width: 800, height: 2500 }); // All are on screen.
      await view.openHtml(
        `${SCRIPT}<main><h1>Site</h1>${tag('leaderboard', 'member="u4"')}${tag('member', 'member="u2"')}${tag('stats', '')}
        ${tag('leaderboard', 'layout="table" member="u20" member-href="/u/{user_id}"')}</main>`,
        'lang="en"',
        `:root { color-scheme: ${theme}; background: canvas } ${style}`,
      );
      await view.sees(/30 members[\s\S]*30 members[\s\S]*30 members/);
      await view.sees('daily streak 0');
      await view.search('u9');
      await view.sees('rank 10');
      await view.click('Show in list');
      await soon(() => view.inWidget("all('li.is-wanted').length")).toBe(1);
      expect(await axeViolations(view.page)).toEqual([]);
    },
  );

  it('the page for frames shows the leaderboard of its fragment', async () => {
    const { service, key } = view.bench;
    await view.page.goto(`${service.url}/embed#guild=guild&api-key=${key}&page-size=5&theme=dark&lang=de`);
    await view.sees('30 Mitglieder');
    expect(await view.page.evaluate('[document.title, document.documentElement.lang]')).toEqual([
      'Leaderboard of guild',
      'de',
    ]);
    expect(view.messages).toEqual([]);
    expect(await faults(view.page)).toEqual([]);
  });
});

// Chromium measures its own layout shifts, and emulates forced colours for one page: widget-robust.test.ts.
describe('the page around the widget in a Firefox with forced colours', needs('tools', 'firefox-esr'), () => {
  const settings = { 'browser.display.document_color_use': 2, 'ui.useAccessibilityTheme': 1 };
  const view = widgetView({ launch: () => launchFirefox(settings) }, members(24, 24_000, 500));

  it.each(RESERVED)(
    'nothing below it moves, %s pixels wide, with attributes "%s", with the reserved space',
    async (width, attributes, blockSize) => {
      await view.page.setViewport({ width, height: 900 });
      await view.openHtml(
        `<guild-leaderboard guild="guild" api-key="KEY" ${attributes}></guild-leaderboard><p id="below">below</p>`,
        'lang="en"',
        reservedSpace(blockSize),
      );
      await view.page.evaluate(`window.tops = new Set();
      (function look() {
        tops.add(document.getElementById('below').getBoundingClientRect().top);
        requestAnimationFrame(look);
      })();
      requestAnimationFrame(() => requestAnimationFrame(() => {
        const script = document.createElement('script');
        script.src = '${view.bench.service.url}/widget.js';
        document.body.append(script);
      }));`);
      await view.page.waitForFunction("document.querySelector('guild-leaderboard').shadowRoot");
      await view.sees('Live');
      await view.sees('24 members');
      await view.painted();
      expect(await view.page.evaluate('tops.size')).toBe(1);
    },
  );

  it('bars, disabled buttons and the row of the visitor can be seen', async () => {
    await view.openLive({ member: 'u3' });
    await view.sees('24 members');
    expect(await view.page.evaluate("matchMedia('(forced-colors: active)').matches")).toBe(true);
    const seen = await view.inWidget(`(() => {
      const style = (selector) => getComputedStyle(all(selector)[0]);
      return [style('li:nth-child(4) .bar').backgroundColor !== style('.card').backgroundColor, style('.is-you').outlineStyle,
        style('.pager [aria-disabled=true]').color !== style('.pager [aria-disabled=false]').color];
    })()`);
    expect(seen).toEqual([true, 'solid', true]);
    expect(await faults(view.page)).toEqual([]);
  });
});
