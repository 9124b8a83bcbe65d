import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasChromium, launchChromium, type Site, startSite, tellWhenSkipped } from '../support/browser.ts';
import { startService, type TestService } from '../support/service.ts';
import { mockStore, type TestStore } from '../support/stores.ts';

tellWhenSkipped();

const HOSTILE = '<img src=x onerror="window.pwned=1">';

describe.skipIf(!hasChromium)('<guild-leaderboard> in Chromium', () => {
  let browser: Browser;
  let context: BrowserContext;
  let site: Site;
  let testStore: TestStore;
  let service: TestService;
  let key: string;
  let page: Page;
  let violations: string[];

  beforeAll(async () => {
    [browser, site, testStore] = await Promise.all([launchChromium(), startSite(), mockStore.start()]);
    service = await startService(testStore, { PLAN_QUOTAS: 'free=12,pro=10000' });
  });
  afterAll(async () => {
    await browser.close();
    await site.close();
    await service.close();
    await testStore.stop();
  });
  beforeEach(async () => {
    await testStore.empty();
    await setPlan('pro');
    ({ key } = await service.store.apiKeys.create('guild', 'test', null));
    await service.store.writer.recordMany('guild', [
      { userId: 'ada', set: 4675, profile: { username: 'Ada', dailyStreak: 3 } },
      { userId: 'evil', set: 2000, profile: { username: HOSTILE } },
      { userId: 'arab', set: 1000, profile: { username: 'محمد عبد الله بن عبد الرحمن' } },
      { userId: 'long', set: 500, profile: { username: 'word '.repeat(60) } },
      { userId: 'emoji', set: 400, profile: { username: '👩‍👩‍👧‍👦'.repeat(40) } },
      ...Array.from({ length: 7 }, (_, i) => ({ userId: `u${i}`, set: 100 - i })),
    ]);
    context = await browser.newContext({ viewport: { width: 800, height: 900 } });
    page = await context.newPage();
    violations = [];
    page.on('console', (message) => {
      if (/Content Security Policy/.test(message.text())) violations.push(message.text());
    });
    page.on('pageerror', (error) => violations.push(error.message));
  });
  afterEach(() => context.close());

  async function setPlan(plan: string): Promise<void> {
    await service.store.guildConfig.update('guild', { plan });
  }

  /** Opens a page of another origin with the widget on it, under a policy that allows nothing inline. */
  async function open(attributes: Record<string, string> = {}, root = 'lang="en"', before = ''): Promise<void> {
    const all = { guild: 'guild', 'api-key': key, 'page-size': '5', ...attributes };
    const text = Object.entries(all).map(([name, value]) => `${name}="${value}"`);
    site.policy = `default-src 'none'; script-src ${service.url}; connect-src ${service.url}; img-src data:`;
    site.html = `<!doctype html><html ${root}><title>site</title><link rel="icon" href="data:,">
      ${before}<script src="${service.url}/widget.js" defer></script><guild-leaderboard ${text.join(' ')}></guild-leaderboard>`;
    await page.goto(site.url);
  }
  /** Evaluates an expression in which `all` finds elements of the widget. */
  const inWidget = (expression: string) =>
    page.evaluate(`((root) => {
      const all = (selector) => [...root.querySelectorAll(selector)];
      return ${expression};
    })(document.querySelector('guild-leaderboard').shadowRoot)`);
  /** Makes the page believe that its tab is hidden, or looked at again. */
  const setHidden = (hidden: boolean) =>
    page.evaluate(
      `Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${hidden} });
       document.dispatchEvent(new Event('visibilitychange'));`,
    );
  const rows = () => page.locator('guild-leaderboard tbody tr');
  const cell = (row: number, name: string) => rows().nth(row).locator(name);
  const status = (text: string | RegExp) => page.locator('guild-leaderboard .bottom').getByText(text).first();
  const button = (name: string) => page.getByRole('button', { name });

  it('shows ranks, names, levels, XP with a bar to scale, and the statistics, on a page of another origin', async () => {
    await open();
    await status('Live').waitFor();
    expect(await rows().count()).toBe(5);
    expect(await cell(0, '.rank').textContent()).toBe('1');
    expect(await cell(0, '.name').textContent()).toBe('Ada');
    expect(await cell(0, '.level').textContent()).toBe('10');
    expect(await cell(0, '.xp .full').textContent()).toBe('4,675');
    const widths = await inWidget("all('.fill').map((fill) => Number.parseFloat(fill.style.inlineSize))");
    expect(widths).toEqual([4675, 2000, 1000, 500, 400].map((xp) => expect.closeTo((100 * xp) / 4675, 2)));
    const stats = await page.locator('guild-leaderboard dd').allTextContents();
    expect(stats).toEqual(['12', '9.3K', '2', 'standard ×1']);
  });

  it.each(['img', 'form', 'object', 'embed', 'iframe'])(
    'finds its service, and sends the key nowhere else, on a page with a <%s name="currentScript">',
    async (tag) => {
      const sentTo: string[] = [];
      page.on('request', (request) => {
        if ('x-api-key' in request.headers()) sentTo.push(new URL(request.url()).origin);
      });
      await open({}, 'lang="en"', `<${tag} name="currentScript" src="https://evil.example/x.png"></${tag}>`);
      await status('Live').waitFor();
      expect(new Set(sentTo)).toEqual(new Set([service.url]));
    },
  );

  it('is a table with a caption, column and row headers, and a labelled search, for assistive technology', async () => {
    await open();
    await status('Live').waitFor();
    expect(await page.getByRole('table', { name: 'Members by XP, highest first' }).count()).toBe(1);
    expect(await page.getByRole('columnheader').allTextContents()).toEqual(['#', 'Member', 'Level', 'XP']);
    expect(await page.getByRole('rowheader', { name: 'Ada' }).count()).toBe(1);
    expect(await page.getByRole('region', { name: 'Leaderboard' }).count()).toBe(1);
    expect(await page.getByLabel('Find a member by id').count()).toBe(1);
  });

  it('shows every name as text and runs no markup in it', async () => {
    await open();
    await status('Live').waitFor();
    expect(await cell(1, '.name').textContent()).toBe(HOSTILE);
    await page.getByPlaceholder('Member id').fill('evil');
    await button('Find').click();
    await page.getByText('rank 2').waitFor();
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.evaluate('window.pwned')).toBeUndefined();
    expect(violations).toEqual([]);
  });

  it('pages with the keyboard, keeps the focus at the ends, and counts ranks on', async () => {
    await open();
    await status('Live').waitFor();
    await button('Next').focus();
    await page.keyboard.press('Enter');
    await page.getByText('Page 2 of 3').waitFor();
    expect(await cell(0, '.rank').textContent()).toBe('6');
    await page.keyboard.press('Enter');
    await page.getByText('Page 3 of 3').waitFor();
    expect(await rows().count()).toBe(2);
    expect(await button('Next').getAttribute('aria-disabled')).toBe('true');
    await page.keyboard.press('Enter');
    expect(await page.evaluate(`document.activeElement.shadowRoot.activeElement.textContent`)).toBe('Next');
    await button('Previous').click();
    await page.getByText('Page 2 of 3').waitFor();
  });

  it('finds a member by id and shows where it stands; says so when there is none', async () => {
    await open();
    await status('Live').waitFor();
    await page.getByPlaceholder('Member id').fill('u6');
    await page.keyboard.press('Enter');
    await page.getByText('rank 12, level 0, 94 XP, daily streak 0').waitFor();
    await button('Show in list').click();
    await page.getByText('Page 3 of 3').waitFor();
    expect(await page.locator('guild-leaderboard tr.wanted .name').textContent()).toBe('u6');
    await page.getByPlaceholder('Member id').fill('nobody');
    await page.keyboard.press('Enter');
    await page.getByText('There is no member with that id in the ranking.').waitFor();
    await button('Close').click();
    expect(await page.locator('guild-leaderboard .found').isVisible()).toBe(false);
  });

  it('follows a change by itself, asking with the ETag and moving nothing else on the page', async () => {
    await open({ refresh: '1' });
    await status('Live').waitFor();
    await page.waitForResponse((response) => response.url().includes('/leaderboard') && response.status() === 304);
    const before = await page.locator('guild-leaderboard').boundingBox();
    await service.store.writer.record('guild', { userId: 'arab', set: 9000 });
    await rows().first().locator('.full', { hasText: '9,000' }).waitFor();
    expect(await cell(0, '.name').textContent()).toContain('محمد');
    expect(await cell(1, '.name').textContent()).toBe('Ada');
    expect(await page.locator('guild-leaderboard').boundingBox()).toEqual(before);
  });

  it('keeps its size from before the first answer on', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/leaderboard?**', async (route) => {
      await held;
      await route.continue();
    });
    await open();
    await page.getByText('Loading …').waitFor();
    const before = await page.locator('guild-leaderboard').boundingBox();
    release();
    await status('Live').waitFor();
    expect(await page.locator('guild-leaderboard').boundingBox()).toEqual(before);
  });

  it('asks nothing while its tab is hidden, and at once when it is looked at again', async () => {
    await page.clock.install();
    await open({ refresh: '10' });
    await status('Live').waitFor();
    let asked = 0;
    page.on('request', (request) => {
      if (request.url().includes('/leaderboard') && request.method() === 'GET') asked++;
    });
    await setHidden(true);
    await page.clock.runFor(60_000);
    expect(asked).toBe(0);
    const answer = page.waitForResponse((response) => response.url().includes('/leaderboard'));
    await setHidden(false);
    await page.clock.runFor(1);
    await answer;
    expect(asked).toBe(1);
  });

  it('over the quota it says so, counts down, keeps its rows, and sends no request until Retry-After is over', async () => {
    await setPlan('free');
    await page.clock.install();
    await open({ refresh: '1' });
    await status('Live').waitFor();
    for (let used = 2; used < 12; used++) {
      await fetch(`${service.url}/api/v1/servers/guild/stats`, { headers: { 'x-api-key': key } });
    }
    const refused = page.waitForResponse((response) => response.status() === 429);
    await page.clock.runFor(3_600_000);
    await refused;
    await status('The hourly quota of this server is used up.').waitFor();
    expect(await rows().count()).toBe(5);
    const countdown = () => page.locator('guild-leaderboard .bottom [aria-hidden]').textContent();
    expect(await countdown()).toMatch(/^ Next try in \d+:\d\d$/);
    let asked = 0;
    page.on('request', () => asked++);
    const first = await countdown();
    await page.clock.runFor(600_000);
    expect(await countdown()).not.toBe(first);
    await button('Next').click();
    expect(asked).toBe(0);
    await setHidden(true);
    await setHidden(false);
    const seen = await countdown();
    await page.clock.runFor(5000);
    expect(await countdown()).not.toBe(seen);
    await testStore.connect().del('gr:quota:{guild}');
    const served = page.waitForResponse(
      (response) => response.url().includes('/leaderboard') && response.status() === 304,
    );
    await page.clock.runFor(3_600_000);
    await served;
    await status('Live').waitFor();
  });

  it.each([
    [{ 'api-key': 'nonsense' }, 'The API key was not accepted. Check the api-key attribute.'],
    [{ guild: 'other' }, 'This API key belongs to another server.'],
    [{ guild: '' }, 'Set the attributes guild and api-key.'],
    [{ guild: 'a b' }, 'The request was refused: guild_id must be 1 to 64'],
  ] as [Record<string, string>, string][])('explains the mistake in %j in plain words', async (attributes, message) => {
    await open(attributes);
    await status(message).waitFor();
  });

  it('slows down when the quota would not last at its pace', async () => {
    await setPlan('free');
    await page.clock.install();
    await open({ refresh: '1' });
    await status('Live').waitFor();
    let asked = 0;
    page.on('request', (request) => {
      if (request.url().includes('/leaderboard') && request.method() === 'GET') asked++;
    });
    // Two of twelve requests are used: ten are left for 3600 seconds.
    await page.clock.runFor(300_000);
    expect(asked).toBe(0);
    const answer = page.waitForResponse((response) => response.url().includes('/leaderboard'));
    await page.clock.runFor(61_000);
    await answer;
    expect(asked).toBe(1);
  });

  it("follows the system's colours unless an attribute sets a theme", async () => {
    const background = () => inWidget("getComputedStyle(all('.card')[0]).backgroundColor");
    const LIGHT = 'rgb(255, 255, 255)';
    const DARK = 'rgb(22, 25, 31)';
    for (const [attributes, light, dark] of [
      [{}, LIGHT, DARK],
      [{ theme: 'auto' }, LIGHT, DARK],
      [{ theme: 'light' }, LIGHT, LIGHT],
      [{ theme: 'dark' }, DARK, DARK],
    ] as [Record<string, string>, string, string][]) {
      await open(attributes);
      await page.emulateMedia({ colorScheme: 'light' });
      expect(await background()).toBe(light);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await background()).toBe(dark);
    }
  });

  it('works with a key that is limited to the origin of its page, and explains a refusal on another', async () => {
    const { apiKeys } = service.store;
    const { key: ours } = await apiKeys.create('guild', 'ours', null, [new URL(site.url).origin]);
    await open({ 'api-key': ours });
    await status('Live').waitFor();
    const { key: theirs } = await apiKeys.create('guild', 'theirs', null, ['https://a.example']);
    await open({ 'api-key': theirs });
    await status('This API key works only in pages of the websites that it was made for.').waitFor();
  });

  it('starts again when an attribute changes', async () => {
    await open({ 'api-key': 'nonsense' });
    await status(/not accepted/).waitFor();
    await page.evaluate(`document.querySelector('guild-leaderboard').setAttribute('api-key', '${key}')`);
    await status('Live').waitFor();
    expect(await rows().count()).toBe(5);
  });

  it('right to left: the columns are mirrored, the bars grow from the right, and a long name loses its end', async () => {
    await open({}, 'lang="en" dir="rtl"');
    await status('Live').waitFor();
    const box = async (locator: ReturnType<typeof cell>) => (await locator.boundingBox()) ?? { x: 0, width: 0 };
    const rank = await box(cell(0, '.rank'));
    const xp = await box(cell(0, '.xp'));
    expect(rank.x).toBeGreaterThan(xp.x);
    const track = await box(cell(1, '.track'));
    const fill = await box(cell(1, '.fill'));
    expect(fill.x + fill.width).toBeCloseTo(track.x + track.width, 0);
    expect(fill.x).toBeGreaterThan(track.x);
    const directions = await inWidget("all('bdi').map((name) => getComputedStyle(name).direction)");
    expect(directions).toEqual(['ltr', 'ltr', 'rtl', 'ltr', expect.any(String)]);
    const names = await Promise.all([0, 2, 3].map((row) => box(cell(row, 'bdi'))));
    expect(new Set(names.map(({ x, width }) => Math.round(x + width))).size).toBe(1);
  });

  it('long names and many emoji stay within their row and the phone', async () => {
    await page.setViewportSize({ width: 320, height: 900 });
    await open();
    await status('Live').waitFor();
    const heights = await inWidget("all('tbody tr').map((row) => row.getBoundingClientRect().height)");
    expect(heights).toEqual([48, 48, 48, 48, 48]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
  });

  it.each(['light', 'dark'] as const)('its %s text has a contrast of 4.5 to 1 at least', async (theme) => {
    await open({ theme });
    await status('Live').waitFor();
    const worst = await page.evaluate(CONTRAST);
    expect(worst).toBeGreaterThanOrEqual(4.5);
  });
});

/** The least contrast ratio of a text in the widget to the background behind it (WCAG 2). */
const CONTRAST = `(() => {
  const root = document.querySelector('guild-leaderboard').shadowRoot;
  const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = (c) => c.slice(0, 3).map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  const luminance = (c) => { const [r, g, b] = light(c); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const behind = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const color = rgb(getComputedStyle(at).backgroundColor);
      if (color.length === 3 || color[3] > 0) return color;
    }
    return [255, 255, 255];
  };
  const ratios = [...root.querySelectorAll('*')]
    .filter((node) => [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim()))
    .map((node) => [luminance(rgb(getComputedStyle(node).color)), luminance(behind(node))])
    .map(([a, b]) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
  return Math.min(...ratios);
})()`;
