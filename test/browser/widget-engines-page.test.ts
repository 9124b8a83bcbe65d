import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { axeViolations, COLOUR_RULES } from '../../tools/axe.ts';
import { ALL_VARIANTS } from '../support/variants.ts';
import { CHROMIUM, type Engine, type EnginePage } from './engines.ts';
import { RESERVED, reservedSpace } from './widget-layout.ts';
import { describeEngines, describeLogic, members, widgetView, widgetViolations } from './widget-suite.ts';
import { soon } from './widget-view.ts';

const GUIDE = readFileSync(new URL('../../docs/widget.md', import.meta.url), 'utf8');
/** The theming example of the guide. */
const [, THEMED = ''] = /```css\n(.*?)```/s.exec(GUIDE) ?? [];
const SCRIPT = '<script src="SERVICE/widget.js" defer></script>';
const TAG = '<guild-leaderboard guild="guild" api-key="KEY" page-size="5"></guild-leaderboard>';

/** Expects that axe finds no fault in the widget. The long tier asks it in Firefox too. */
async function expectNoFaults(engine: Engine, page: EnginePage): Promise<void> {
  if (ALL_VARIANTS || engine === CHROMIUM) expect(await widgetViolations(page)).toEqual([]);
}

describeEngines('the page around the widget', (engine) => {
  const view = widgetView(engine, members(30, 3000, 37), { env: { EMBED_ORIGINS: '*', CACHE_MAX_AGE_S: '3600' } });

  it('the widget uses the cache of the browser: five page views cost two requests', async () => {
    // A browser compares the Date header with its own clock.
    view.bench.service.setWallClock(Date.now() - Date.parse('2026-01-15T12:00:00Z'));
    for (let visit = 0; visit < 5; visit++) {
      await view.openLive();
      await view.sees('30 members');
    }
    expect(await view.bench.testStore.client.get('gr:quota:{guild}')).toBe('2');
  });

  it('the widget asks nothing while it is off screen', async () => {
    const count = view.asked();
    await view.openHtml(`${SCRIPT}<div id="far"></div>${TAG}`, 'lang="en"', '#far { height: 3000px }');
    await soon(() => view.inWidget("all('.is-loading').length")).toBe(1);
    await view.painted();
    expect(count()).toBe(0);
    await view.run('widget.scrollIntoView()');
    await view.sees('Live');
    expect(count()).toBeGreaterThan(0);
  });

  it('the widget has a width in a grid, a flex box and a float', async () => {
    const attributes = 'guild="guild" api-key="KEY" member="u3"';
    const three = ['leaderboard', 'member', 'stats'].map((name) => `<guild-${name} ${attributes}></guild-${name}>`);
    const parents = ['grid', 'row', 'column', 'centre', 'floats', 'float'];
    await view.openHtml(
      SCRIPT + parents.map((name) => three.map((each) => `<div class="${name}">${each}</div>`).join('')).join(''),
      'lang="en"',
      `body { width: 500px } .grid, .centre { display: grid } .centre { place-items: center } .row, .column { display: flex }
       .column { flex-direction: column } .floats > * { float: left } .float { float: left }`,
    );
    await soon(() => view.run('return widget.shadowRoot !== null')).toBe(true);
    const widths = await view.page.evaluate(
      "[...document.querySelectorAll('guild-leaderboard, guild-member, guild-stats')].map((node) => node.offsetWidth)",
    );
    // A parent that is as wide as its content gives no width, so there it is the least one.
    expect(widths).toEqual([...Array(15).fill(500), ...Array(3).fill(180)]);
  });

  it('the widget keeps its title with white space between the tags, and takes no font from the page', async () => {
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

  it('the page for frames shows the leaderboard of its fragment', async () => {
    const { service, key } = view.bench;
    await view.page.goto(`${service.url}/embed#guild=guild&api-key=${key}&page-size=5&theme=dark&lang=de`);
    await view.sees('30 Mitglieder');
    expect(await view.page.evaluate('[document.title, document.documentElement.lang]')).toEqual([
      'Leaderboard of guild',
      'de',
    ]);
    expect(view.messages).toEqual([]);
    await expectNoFaults(engine, view.page);
  });
});

/** Counts where the element below the widget is in each frame, and adds up the layout shifts of the page, which Firefox does not measure. */
const WATCH_SHIFTS = `
  window.tops = new Set();
  window.shift = 0;
  new PerformanceObserver((list) => { for (const { value } of list.getEntries()) shift += value; })
    .observe({ type: 'layout-shift', buffered: true });
  (function look() {
    tops.add(document.getElementById('below').getBoundingClientRect().top);
    requestAnimationFrame(look);
  })();
  requestAnimationFrame(() => requestAnimationFrame(() => {
    const script = document.createElement('script');
    script.src = document.getElementById('below').dataset.script;
    document.body.append(script);
  }));`;

describeEngines('the reserved space of the widget', (engine) => {
  const view = widgetView(engine, members(30, 3000, 37), { system: { colorScheme: 'light' } });

  // Chromium measures the shift of each frame too. Firefox has the least width, where lines break first.
  const rows = ALL_VARIANTS || engine === CHROMIUM ? RESERVED : RESERVED.slice(0, 1);
  it.each(rows)(
    'nothing below the widget moves, %s pixels wide, with attributes "%s"',
    async (width, attributes, blockSize) => {
      await view.tab.resize(width, 900);
      await view.openHtml(
        `<guild-leaderboard guild="guild" api-key="KEY" ${attributes}></guild-leaderboard>
         <p id="below" data-script="SERVICE/widget.js">below</p>`,
        'lang="en"',
        reservedSpace(blockSize),
      );
      await view.page.evaluate(WATCH_SHIFTS);
      await soon(() => view.run('return widget.shadowRoot !== null')).toBe(true);
      await view.sees('Live');
      await view.sees('30 members');
      await view.painted();
      expect(await view.page.evaluate('tops.size')).toBe(1);
      expect(await view.page.evaluate('shift')).toBeLessThan(width < 320 ? 0.03 : 0.001);
    },
  );
});

describeEngines('the widget in forced colours', (engine) => {
  const view = widgetView(engine, members(24, 24_000, 500), {
    system: { colorScheme: 'light', forcedColors: 'active' },
  });

  it('bars, disabled buttons and the row of the visitor can be seen in forced colours', async () => {
    await view.openLive({ member: 'u3' });
    await view.sees('24 members');
    expect(await view.page.evaluate("matchMedia('(forced-colors: active)').matches")).toBe(true);
    const seen = await view.inWidget(`(() => {
      const style = (selector) => getComputedStyle(all(selector)[0]);
      return [style('li:nth-child(4) .bar').backgroundColor !== style('.card').backgroundColor, style('.is-you').outlineStyle,
        style('.pager [aria-disabled=true]').color !== style('.pager [aria-disabled=false]').color];
    })()`);
    expect(seen).toEqual([true, 'solid', true]);
    await expectNoFaults(engine, view.page);
  });
});

describeLogic('the page around the widget', (engine) => {
  const view = widgetView(engine, members(30, 3000, 37));

  it('all widgets of a guild share one poller', async () => {
    const count = view.asked();
    await view.openHtml(`${SCRIPT}<guild-stats guild="guild" api-key="KEY"></guild-stats>${TAG}${TAG}`);
    await view.sees(/Live[\s\S]*Live/);
    await view.sees(/30 members[\s\S]*30 members[\s\S]*30 members/);
    expect(count()).toBe(2);
  });

  it('the widget asks for the page and the totals at once', async () => {
    let release = () => {};
    const both = new Promise<void>((resolve) => {
      release = resolve;
    });
    await view.tab.intercept(async (request) => {
      if (request.url().endsWith('/stats')) release();
      if (request.url().includes('/leaderboard?')) await both;
      return undefined;
    });
    await view.openLive();
  });

  it.each(['99999999999', 'Fri, 31 Dec 9999 23:59:59 GMT'])(
    'the widget waits a day at most after Retry-After: %s',
    async (retryAfter) => {
      const count = view.asked('/leaderboard?');
      const headers = {
        'Retry-After': retryAfter,
        'Access-Control-Allow-Origin': '*',
        'Access-Control-Allow-Headers': '*',
        'Access-Control-Expose-Headers': '*',
      };
      await view.tab.intercept(async (request) =>
        request.url().includes('/servers/') ? { status: 503, headers } : undefined,
      );
      await view.open();
      await view.sees('Leaderboard unavailable');
      // The wait of a day is up to ten seconds longer by chance, and runs already.
      await view.sees(/24:00:0\d|23:59:\d\d/);
      expect(count()).toBe(1);
    },
  );

  it('the widget says that a name is not searched, without a request', async () => {
    await view.openLive();
    const count = view.asked('/members/');
    await view.search('Ada Lovelace');
    await view.sees('No member has the id “Ada Lovelace”. Names are not searched.');
    expect(count()).toBe(0);
  });

  it('the widget needs no API key when base-url is the API at a server that adds the key', async () => {
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
      await view.openLive({ 'api-key': '', 'base-url': `${bench.alsoAllowed}/api/v1` });
    } finally {
      bench.alsoAllowed = '';
      proxy.close();
    }
  });

  it.each([
    ['', undefined],
    [THEMED, COLOUR_RULES],
  ])(
    'axe finds nothing in two widgets, a member and the totals, in both themes, with style %j',
    async (style, rules) => {
      await view.store.guildConfig.update('guild', { xpMultiplier: 2 });
      const tag = (name: string, attributes: string) =>
        `<guild-${name} guild="guild" api-key="KEY" theme="light" ${attributes}></guild-${name}>`;
      await view.tab.resize(800, 2500); // All are on screen.
      await view.openHtml(
        `${SCRIPT}<main><h1>Site</h1>${tag('leaderboard', 'member="u4"')}${tag('member', 'member="u2"')}${tag('stats', '')}
        ${tag('leaderboard', 'layout="table" member="u20" member-href="/u/{user_id}"')}</main>`,
        'lang="en"',
        `:root { color-scheme: light; background: canvas } ${style}`,
      );
      await view.sees(/30 members[\s\S]*30 members[\s\S]*30 members/);
      await view.sees('Lv 7');
      await view.search('u9');
      await view.sees('rank 10');
      await view.click('Show in list');
      await soon(() => view.inWidget("all('li.is-wanted').length")).toBe(1);
      expect(await axeViolations(view.page, rules)).toEqual([]);
      await view.page.evaluate(`document.documentElement.style.colorScheme = 'dark';
        for (const node of document.querySelectorAll('[theme]')) node.setAttribute('theme', 'dark');`);
      await soon(() => view.inWidget("getComputedStyle(all('.card')[0]).colorScheme")).toContain('dark');
      expect(await axeViolations(view.page, COLOUR_RULES)).toEqual([]);
    },
  );
});
