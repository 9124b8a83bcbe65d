// The promises of the widget that hold in both engines. widget-engines-page and widget-author have the others of this kind.
// describeLogic has those whose code asks nothing special of an engine, and those of axe, which judges the elements and colours that the
// file of the widget gives to both: Firefox runs them in the long tier.
// Chromium alone, in widget, widget-look and widget-robust:
// - Delays, the countdown, the age of the data, a hidden tab: they need a clock of the test, which only Playwright has here.
// - Transitions, and a system whose theme changes while a page is open: Firefox has one setting of both for all pages.
// - Roles and names as assistive technology gets them: Playwright computes them.
// - The way to the next level, the badge, the pinned visitor, small guilds, colours of ids: no engine computes them otherwise.
import { expect, it } from 'vitest';
import { COLOUR_RULES } from '../../tools/axe.ts';
import { ALL_VARIANTS } from '../support/variants.ts';
import { CHROMIUM, onRequest } from './engines.ts';
import { LAYOUTS, type Layout, MEASURE, MILLIONS, WIDTHS } from './widget-layout.ts';
import { describeEngines, describeLogic, members, widgetView, widgetViolations } from './widget-suite.ts';
import { soon } from './widget-view.ts';

const HOSTILE = '<img src=x onerror="window.pwned=1">';
/** What axe judges: attributes of the document, the live mark, layout and density. */
const JUDGED = [
  ['lang="en"', 'Live', 'list', 'comfortable'],
  ['lang="ar" dir="rtl"', 'مباشر', 'table', 'comfortable'],
  ['lang="ar" dir="rtl"', 'مباشر', 'list', 'compact'],
] as const;
const HIDDEN_NAMES = ['\u200b\u2060', '\u3164', '\u00a0 \u2800'];

describeEngines('the widget', (engine) => {
  const view = widgetView(engine, members(24, 24_000, 500));
  const names = () => view.texts('li .name');
  // Of the layouts, the second tier has two in Firefox: each one and each direction once.
  const layouts = LAYOUTS.filter(
    ([layout, dir]) => ALL_VARIANTS || engine === CHROMIUM || (layout === 'list') === (dir === 'rtl'),
  );

  it('the widget turns its pages by the keyboard, keeps the focus at the ends, and counts ranks on', async () => {
    await view.openLive({ 'page-size': '10' });
    await view.inWidget("all('[aria-label=Next]')[0].focus()");
    await view.page.keyboard.press('Enter');
    await view.sees('2 / 3');
    expect((await view.texts('.rank'))[0]).toBe('11');
    await view.page.keyboard.press('Enter');
    await view.sees('3 / 3');
    expect(await names()).toHaveLength(4);
    await view.page.keyboard.press('Enter');
    const focused = '((button) => [button.ariaLabel, button.ariaDisabled])(root.activeElement)';
    expect(await view.inWidget(focused)).toEqual(['Next', 'true']);
    await view.click('Previous');
    await view.sees('2 / 3');
  });

  it('the widget scrolls to the member that is shown in the list, focuses the row, and marks it', async () => {
    await view.tab.resize(800, 300);
    await view.openLive({ 'page-size': '30' });
    await view.search('u20');
    await view.sees('rank 21');
    await view.click('Show in list');
    await soon(() => view.inWidget("all('li.is-wanted')[0]?.matches(':focus')")).toBe(true);
    await soon(() => view.inWidget("all('li.is-wanted')[0].getBoundingClientRect().y")).toBeLessThan(300);
  });

  it('the widget puts the first three on a podium, the first in the middle and highest', async () => {
    await view.openLive();
    const [first, second, third, fourth] = await view.boxes("all('li')");
    expect(second.x).toBeLessThan(first.x);
    expect(first.x).toBeLessThan(third.x);
    expect(first.y).toBeLessThan(second.y);
    expect(fourth.y).toBeGreaterThan(second.y);
  });

  it('from right to left, the columns are mirrored, the bars grow from the right, and a long name loses its end', async () => {
    await view.store.writer.recordMany('guild', [
      { userId: 'arab', set: 90_000, username: 'محمد عبد الله بن عبد الرحمن' },
      { userId: 'long', set: 80_000, username: 'word '.repeat(60) },
    ]);
    await view.openLive({ podium: 'off' }, 'lang="en" dir="rtl"');
    await view.sees('XP to level');
    const [rank, xp, track, bar] = await view.boxes(
      "['.rank', '.xp', '.track', '.bar'].map((part) => all('li')[2].querySelector(part))",
    );
    expect(rank.left).toBeGreaterThan(xp.left);
    expect(bar.right).toBeCloseTo(track.right, 0);
    expect(bar.left).toBeGreaterThan(track.left);
    const directions = await view.inWidget("all('li .name').map((name) => getComputedStyle(name).direction)");
    expect(directions).toEqual(['rtl', 'ltr', 'ltr', 'ltr', 'ltr']);
    const ends = await view.boxes("all('li .name')");
    expect(new Set(ends.map(({ right }) => Math.round(right))).size).toBe(1);
  });

  it('long names and many emoji stay within their row and the phone', async () => {
    await view.store.writer.recordMany('guild', [
      { userId: 'long', set: 90_000, username: 'word '.repeat(60) },
      { userId: 'emoji', set: 80_000, username: '👩‍👩‍👧‍👦'.repeat(20) },
    ]);
    await view.tab.resize(320, 900);
    await view.openLive();
    expect(await view.inWidget("all('li .who').map((name) => name.getBoundingClientRect().height)")).toEqual(
      Array(5).fill(24),
    );
    expect(await view.page.evaluate('document.documentElement.scrollWidth')).toBe(320);
  });

  it('a table keeps the mark of the visitor away from the level', async () => {
    await view.store.writer.record('guild', { userId: 'long', set: 90_000, username: 'word '.repeat(60) });
    await view.openLive({ layout: 'table', member: 'long' });
    const [mark, level] = await view.boxes(
      "[...all('.you'), ...all('tbody .level')].filter((node) => node.checkVisibility())",
    );
    expect(level.left - mark.right).toBeGreaterThanOrEqual(7);
  });

  it.each(layouts)('in a %s (%s), nothing overlaps at any width, and names have room', async (layout, dir) => {
    await view.tab.intercept(async (request) =>
      request.method() === 'GET' && request.url().includes('/leaderboard?')
        ? { body: MILLIONS, headers: { 'Access-Control-Allow-Origin': '*' }, contentType: 'application/json' }
        : undefined,
    );
    await view.tab.resize(1616, 1200);
    await view.openLive({ layout, 'page-size': '10', member: 'm4' }, `lang="en" dir="${dir}"`);
    for (const width of WIDTHS) {
      // The margins of the page are 8 pixels.
      await view.tab.resize(width + 16, 1200);
      await soon(() => view.page.evaluate('innerWidth')).toBe(width + 16);
      await view.painted();
      const { narrowest, status, ...measured } = await view.inWidget<Layout>(MEASURE);
      const card = Math.min(width, 720);
      expect({ width, ...measured }).toEqual({ width, first: '1,234,561', scroll: width + 16, overlaps: 0, card });
      expect(narrowest).toBeGreaterThan(60);
      expect(status).toBeLessThan(45); // Two lines.
    }
  });
});

describeLogic('the widget', (engine) => {
  const view = widgetView(engine, members(24, 24_000, 500));
  const names = () => view.texts('li .name');

  it('the widget shows ranks, names, levels, XP and the totals, and tells the author nothing', async () => {
    await view.openLive({ member: 'u9' });
    await view.sees('24 members · 438K XP · avg. level 17');
    expect(await names()).toEqual(Array.from({ length: 5 }, (_, i) => `Member ${i}`));
    expect(await view.texts('li .rank')).toEqual(['1', '2', '3', '4', '5']);
    expect((await view.texts('li .xp .full')).slice(0, 2)).toEqual(['24,000', '23,500']);
    expect((await view.texts('li .level .long'))[0]).toBe('level 20');
    expect(await view.shows('.badge')).toBe(false);
    await soon(() => view.texts('.pinned .name')).toEqual(['Member 9']);
    expect(view.messages).toEqual([]);
  });

  it('the widget shows every name as text, runs no markup in it, and shows the id instead of a name that nobody can see', async () => {
    await view.store.writer.recordMany('guild', [
      { userId: 'evil', set: 90_000, username: HOSTILE },
      ...HIDDEN_NAMES.map((username, i) => ({ userId: `ghost${i}`, set: 80_000 - i, username })),
    ]);
    await view.openLive();
    expect(await names()).toEqual([HOSTILE, 'ghost0', 'ghost1', 'ghost2', 'Member 0']);
    await view.search('evil');
    await view.sees(`${HOSTILE}: rank 1`);
    expect(await view.inWidget("all('img').length")).toBe(0);
    expect(await view.page.evaluate('window.pwned')).toBeUndefined();
    expect(view.messages).toEqual([]);
  });

  it('the widget asks with the ETag after a refresh, shows what changed, and moves nothing with reduced motion', async () => {
    await view.openLive({ refresh: '1' });
    await view.sees('24 members');
    await soon(async () => view.bench.service.log.some(({ status }) => status === 304)).toBe(true);
    const box = () => view.run('return JSON.stringify(widget.getBoundingClientRect())');
    const before = await box();
    await view.page.evaluate(`window.ran = 0;
      const root = document.querySelector('guild-leaderboard').shadowRoot;
      root.addEventListener('transitionrun', () => ran++);
      (function look() {
        ran += root.getAnimations().length;
        requestAnimationFrame(look);
      })();`);
    await view.store.writer.record('guild', { userId: 'u4', set: 23_900 });
    await soon(async () => (await names())[1]).toBe('Member 4');
    expect(
      await view.inWidget("all('li .mark').filter((node) => !node.hidden).map((node) => node.textContent)"),
    ).toEqual(['▲ 3', '▼ 1', '▼ 1', '▼ 1']);
    await view.painted();
    expect(await view.page.evaluate('ran')).toBe(0);
    expect(await box()).toBe(before);
    await view.setHidden(true);
    await view.setHidden(false);
    await soon(() => view.shows('li .mark:not([hidden])')).toBe(false);
  });

  it('the widget works with a key that is limited to the origin of its page, and explains a refusal on another origin', async () => {
    const { apiKeys } = view.store;
    const { key: ours } = await apiKeys.create('guild', 'ours', null, [new URL(view.bench.site.url).origin]);
    await view.openLive({ 'api-key': ours });
    const { key: theirs } = await apiKeys.create('guild', 'theirs', null, ['https://a.example']);
    await view.open({ 'api-key': theirs });
    await view.sees('Leaderboard unavailable');
    await soon(async () => view.messages.join()).toContain(
      'This API key works only in pages of the websites that it was made for.',
    );
  });

  it.each(['img', 'form', 'object', 'embed', 'iframe'])(
    'the widget finds its service, and sends the key nowhere else, on a page with a <%s name="currentScript">',
    async (tag) => {
      const sentTo = new Set<string>();
      onRequest(view.page, (request) => {
        if ('x-api-key' in request.headers()) sentTo.add(new URL(request.url()).origin);
      });
      await view.openHtml(
        `<${tag} name="currentScript" src="https://evil.example/x.png"></${tag}>${view.bench.leaderboard({})}`,
      );
      await view.sees('Live');
      expect(sentTo).toEqual(new Set([view.bench.service.url]));
    },
  );

  it('the widget finds a member by id, and says so when there is no such member', async () => {
    await view.openLive();
    await view.search('u6');
    await view.sees(/rank 7, level 19, 21,000 XP$/m);
    await view.click('Show in list');
    await view.sees('2 / 5');
    expect(await view.texts('li.is-wanted .name')).toEqual(['Member 6']);
    await view.search('nobody');
    await view.sees('No member has the id “nobody”. Names are not searched.');
    await view.click('Close');
    expect(await view.shows('.found')).toBe(false);
  });

  it.each([
    [{ 'api-key': 'nonsense' }, 'The API key was not accepted. Check the api-key attribute.'],
    [{ guild: 'other' }, 'This API key belongs to another server.'],
    [{ guild: '' }, 'Set the guild attribute.'],
  ] as [Record<string, string>, string][])(
    'the widget explains the mistake in %j, and starts again when it is mended',
    async (attributes, message) => {
      await view.open(attributes);
      await view.sees('Leaderboard unavailable');
      await soon(async () => view.messages.join()).toContain(message);
      await view.run(`widget.guild = 'guild'; widget.apiKey = '${view.bench.key}'`);
      await view.sees('Live');
      expect(await names()).toHaveLength(5);
    },
  );

  it.each(['search', 'stats', 'pager', 'podium'])('the widget can go without %s', async (name) => {
    const selectors: Record<string, string> = { search: '[aria-controls=search]', podium: '.podium' };
    const selector = selectors[name] ?? `.${name}`;
    await view.openLive();
    expect(await view.shows(selector)).toBe(true);
    await view.run(`widget.${name} = false`);
    await soon(() => view.shows(selector)).toBe(false);
  });

  it.each(JUDGED)('axe finds nothing in any theme, with %s, %s, %s, %s', async (root, live, layout, density) => {
    await view.openLive({ layout, density, member: 'u4' }, root, live);
    await view.sees('24');
    for (const [theme, rules] of [
      ['light', undefined],
      ['dark', COLOUR_RULES],
      ['auto', COLOUR_RULES],
    ] as const) {
      await view.run(`widget.theme = '${theme}'`);
      await soon(() => view.inWidget("getComputedStyle(all('.card')[0]).backgroundColor")).toBe(
        theme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(20, 23, 29)',
      );
      expect([theme, ...(await widgetViolations(view.page, rules))]).toEqual([theme]);
    }
  });
});
