import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasChromium, tellWhenSkipped } from '../support/browser.ts';
import { type WidgetBench, widgetBench } from '../support/widget-page.ts';

tellWhenSkipped();

const HOSTILE = '<img src=x onerror="window.pwned=1">';

describe.skipIf(!hasChromium)('<guild-leaderboard> in Chromium', () => {
  let bench: WidgetBench;

  beforeAll(async () => {
    bench = await widgetBench({ PLAN_QUOTAS: 'free=12,pro=10000' });
  });
  afterAll(() => bench.close());
  beforeEach(async () => {
    await bench.start();
    await bench.service.store.writer.recordMany('guild', [
      { userId: 'ada', set: 4675, profile: { username: 'Ada', dailyStreak: 3 } },
      { userId: 'evil', set: 2000, profile: { username: HOSTILE } },
      { userId: 'arab', set: 1000, profile: { username: 'محمد عبد الله بن عبد الرحمن' } },
      { userId: 'long', set: 500, profile: { username: 'word '.repeat(60) } },
      { userId: 'emoji', set: 400, profile: { username: '👩‍👩‍👧‍👦'.repeat(40) } },
      ...Array.from({ length: 7 }, (_, i) => ({ userId: `u${i}`, set: 100 - i })),
    ]);
  });
  afterEach(() => bench.end());

  const rows = () => bench.page.locator('guild-leaderboard li');
  const cell = (row: number, name: string) => rows().nth(row).locator(name);
  const status = (text: string | RegExp) =>
    bench.page.locator('guild-leaderboard :is(.footer, .note)').getByText(text).first();
  const button = (name: string) => bench.page.getByRole('button', { name, exact: true });
  const search = async (text: string) => {
    await button('Find a member by id').click();
    await bench.page.keyboard.type(text);
    await bench.page.keyboard.press('Enter');
  };

  it('shows ranks, names, levels, XP and the totals, on a page of another origin', async () => {
    await bench.open();
    await status('Live').waitFor();
    expect(await rows().count()).toBe(5);
    expect(await cell(0, '.rank').textContent()).toBe('1');
    expect(await cell(0, '.name').textContent()).toBe('Ada');
    expect(await cell(0, '.level .long').textContent()).toBe('level 10');
    expect(await cell(0, '.xp .full').textContent()).toBe('4,675');
    expect(await bench.page.locator('guild-leaderboard .stats').textContent()).toContain(
      '12 members · 9.3K XP · avg. level 2',
    );
    expect(await bench.page.locator('guild-leaderboard .badge').isVisible()).toBe(false);
  });

  it.each(['img', 'form', 'object', 'embed', 'iframe'])(
    'finds its service, and sends the key nowhere else, on a page with a <%s name="currentScript">',
    async (tag) => {
      const sentTo: string[] = [];
      bench.page.on('request', (request) => {
        if ('x-api-key' in request.headers()) sentTo.push(new URL(request.url()).origin);
      });
      await bench.open({}, 'lang="en"', `<${tag} name="currentScript" src="https://evil.example/x.png"></${tag}>`);
      await status('Live').waitFor();
      expect(new Set(sentTo)).toEqual(new Set([bench.service.url]));
    },
  );

  it('is a list, or a table with column and row headers, and has a labelled search, for assistive technology', async () => {
    await bench.open();
    await status('Live').waitFor();
    const list = bench.page.getByRole('list', { name: 'Leaderboard' });
    expect(await list.getByRole('listitem').count()).toBe(5);
    await bench.open({ layout: 'table' });
    await status('Live').waitFor();
    expect(await bench.page.getByRole('table', { name: 'Leaderboard' }).count()).toBe(1);
    expect(await bench.page.getByRole('columnheader').allTextContents()).toEqual(['#', 'Member', 'level ', 'XP']);
    expect(await bench.page.getByRole('rowheader', { name: 'Ada' }).count()).toBe(1);
    expect(await bench.page.getByRole('group', { name: 'Leaderboard' }).count()).toBe(1);
    await search('ada');
    expect(await bench.page.getByRole('textbox', { name: 'Find a member by id' }).count()).toBe(1);
  });

  it('shows every name as text and runs no markup in it', async () => {
    await bench.open();
    await status('Live').waitFor();
    expect(await cell(1, '.name').textContent()).toBe(HOSTILE);
    await search('evil');
    await bench.page.getByText('rank 2').waitFor();
    expect(await bench.page.locator('img').count()).toBe(0);
    expect(await bench.page.evaluate('window.pwned')).toBeUndefined();
    expect(bench.messages).toEqual([]);
  });

  it('pages with the keyboard, keeps the focus at the ends, and counts ranks on', async () => {
    await bench.open();
    await status('Live').waitFor();
    await button('Next').focus();
    await bench.page.keyboard.press('Enter');
    await bench.page.getByText('2 / 3').waitFor();
    expect(await cell(0, '.rank').textContent()).toBe('6');
    await bench.page.keyboard.press('Enter');
    await bench.page.getByText('3 / 3').waitFor();
    expect(await rows().count()).toBe(2);
    expect(await button('Next').getAttribute('aria-disabled')).toBe('true');
    await bench.page.keyboard.press('Enter');
    expect(await bench.page.evaluate(`document.activeElement.shadowRoot.activeElement.ariaLabel`)).toBe('Next');
    await button('Previous').click();
    await bench.page.getByText('2 / 3').waitFor();
  });

  it('finds a member by id and shows where it stands; says so when there is none', async () => {
    await bench.open();
    await status('Live').waitFor();
    await search('u6');
    await bench.page.getByText('rank 12, level 0, 94 XP, daily streak 0').waitFor();
    await button('Show in list').click();
    await bench.page.getByText('3 / 3').waitFor();
    expect(await bench.page.locator('guild-leaderboard li.is-wanted .name').textContent()).toBe('u6');
    await bench.page.getByPlaceholder('Find a member by id').fill('nobody');
    await bench.page.keyboard.press('Enter');
    await bench.page.getByText('No member has the id “nobody”. Names are not searched.').waitFor();
    await button('Close').click();
    expect(await bench.page.locator('guild-leaderboard .found').isVisible()).toBe(false);
  });

  it('follows a change by itself, asking with the ETag and moving nothing else on the page', async () => {
    await bench.open({ refresh: '1' });
    await status('Live').waitFor();
    // The browser sends the ETag that it keeps, and shows the script its own copy.
    await expect.poll(() => bench.service.log.some(({ status }) => status === 304)).toBe(true);
    const before = await bench.page.locator('guild-leaderboard').boundingBox();
    await bench.service.store.writer.record('guild', { userId: 'arab', set: 9000 });
    await rows().first().locator('.full', { hasText: '9,000' }).waitFor();
    expect(await cell(0, '.name').textContent()).toContain('محمد');
    expect(await cell(1, '.name').textContent()).toBe('Ada');
    expect(await bench.page.locator('guild-leaderboard').boundingBox()).toEqual(before);
  });

  it('keeps its size from before the first answer on', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await bench.page.route('**/leaderboard?**', async (route) => {
      await held;
      await route.continue();
    });
    await bench.open();
    await bench.page.getByText('Loading …').waitFor({ state: 'attached' });
    const before = await bench.page.locator('guild-leaderboard').boundingBox();
    release();
    await status('Live').waitFor();
    expect(await bench.page.locator('guild-leaderboard').boundingBox()).toEqual(before);
  });

  it('asks nothing while its tab is hidden, and at once when it is looked at again', async () => {
    await bench.page.clock.install();
    await bench.open({ refresh: '10' });
    await status('Live').waitFor();
    let asked = 0;
    bench.page.on('request', (request) => {
      if (request.url().includes('/leaderboard') && request.method() === 'GET') asked++;
    });
    await bench.setHidden(true);
    await bench.page.clock.runFor(60_000);
    expect(asked).toBe(0);
    const answer = bench.page.waitForResponse((response) => response.url().includes('/leaderboard'));
    await bench.setHidden(false);
    await bench.page.clock.runFor(1);
    await answer;
    expect(asked).toBe(1);
  });

  it('over the quota it says so, counts down, keeps its rows, and sends no request until Retry-After is over', async () => {
    await bench.service.store.guildConfig.update('guild', { plan: 'free' });
    await bench.page.clock.install();
    await bench.open({ refresh: '1' });
    await status('Live').waitFor();
    for (let used = 2; used < 12; used++) {
      await fetch(`${bench.service.url}/api/v1/servers/guild/stats`, { headers: { 'x-api-key': bench.key } });
    }
    expect((await bench.nextPage())?.status()).toBe(429);
    await status('The hourly quota is used up.').waitFor();
    expect(await rows().count()).toBe(5);
    const countdown = () => bench.page.locator('guild-leaderboard .footer [aria-hidden=true]:not(.dot)').textContent();
    expect(await countdown()).toMatch(/^ Next try in \d+:\d\d$/);
    let asked = 0;
    bench.page.on('request', () => asked++);
    const first = await countdown();
    await bench.page.clock.runFor(600_000);
    expect(await countdown()).not.toBe(first);
    await button('Next').click();
    expect(asked).toBe(0);
    await bench.setHidden(true);
    await bench.setHidden(false);
    const seen = await countdown();
    await bench.page.clock.runFor(5000);
    expect(await countdown()).not.toBe(seen);
    await bench.testStore.connect().del('gr:quota:{guild}');
    const served = bench.page.waitForResponse((response) => response.url().includes('/leaderboard') && response.ok());
    await bench.page.clock.runFor(3_600_000);
    await served;
    await status('Live').waitFor();
  });

  it.each([
    [{ 'api-key': 'nonsense' }, 'The API key was not accepted. Check the api-key attribute.'],
    [{ guild: 'other' }, 'This API key belongs to another server.'],
    [{ guild: '' }, 'Set the attributes guild and api-key.'],
    [{ guild: 'a b' }, 'The guild attribute is not the id of a server.'],
  ] as [Record<string, string>, string][])('explains the mistake in %j in plain words', async (attributes, message) => {
    await bench.open(attributes);
    await status(message).waitFor();
  });

  it('slows down when the quota would not last at its pace', async () => {
    await bench.service.store.guildConfig.update('guild', { plan: 'free' });
    await bench.page.clock.install();
    await bench.open({ refresh: '1' });
    await status('Live').waitFor();
    let asked = 0;
    bench.page.on('request', (request) => {
      if (request.url().includes('/leaderboard') && request.method() === 'GET') asked++;
    });
    // Two of twelve requests are used: ten are left for 3600 seconds.
    await bench.page.clock.runFor(300_000);
    expect(asked).toBe(0);
    const answer = bench.page.waitForResponse((response) => response.url().includes('/leaderboard'));
    await bench.page.clock.runFor(61_000);
    await answer;
    expect(asked).toBe(1);
  });

  it("follows the system's colours unless an attribute sets a theme", async () => {
    const background = () => bench.inWidget("getComputedStyle(all('.card')[0]).backgroundColor");
    const LIGHT = 'rgb(255, 255, 255)';
    const DARK = 'rgb(20, 23, 29)';
    for (const [attributes, light, dark] of [
      [{}, LIGHT, DARK],
      [{ theme: 'auto' }, LIGHT, DARK],
      [{ theme: 'light' }, LIGHT, LIGHT],
      [{ theme: 'dark' }, DARK, DARK],
    ] as [Record<string, string>, string, string][]) {
      await bench.open(attributes);
      await bench.page.emulateMedia({ colorScheme: 'light' });
      expect(await background()).toBe(light);
      await bench.page.emulateMedia({ colorScheme: 'dark' });
      expect(await background()).toBe(dark);
    }
  });

  it('works with a key that is limited to the origin of its page, and explains a refusal on another', async () => {
    const { apiKeys } = bench.service.store;
    const { key: ours } = await apiKeys.create('guild', 'ours', null, [new URL(bench.site.url).origin]);
    await bench.open({ 'api-key': ours });
    await status('Live').waitFor();
    const { key: theirs } = await apiKeys.create('guild', 'theirs', null, ['https://a.example']);
    await bench.open({ 'api-key': theirs });
    await status('This API key works only in pages of the websites that it was made for.').waitFor();
  });

  it('starts again when an attribute changes', async () => {
    await bench.open({ 'api-key': 'nonsense' });
    await status(/not accepted/).waitFor();
    await bench.page.evaluate(`document.querySelector('guild-leaderboard').setAttribute('api-key', '${bench.key}')`);
    await status('Live').waitFor();
    expect(await rows().count()).toBe(5);
  });

  it('right to left: the columns are mirrored, the bars grow from the right, and a long name loses its end', async () => {
    await bench.open({ podium: 'off' }, 'lang="en" dir="rtl"');
    await status('Live').waitFor();
    const box = async (locator: ReturnType<typeof cell>) => (await locator.boundingBox()) ?? { x: 0, width: 0 };
    const rank = await box(cell(1, '.rank'));
    const xp = await box(cell(1, '.xp'));
    expect(rank.x).toBeGreaterThan(xp.x);
    const track = await box(cell(1, '.track'));
    const fill = await box(cell(1, '.bar'));
    expect(fill.x + fill.width).toBeCloseTo(track.x + track.width, 0);
    expect(fill.x).toBeGreaterThan(track.x);
    const directions = await bench.inWidget("all('li bdi').map((name) => getComputedStyle(name).direction)");
    expect(directions).toEqual(['ltr', 'ltr', 'rtl', 'ltr', expect.any(String)]);
    const names = await Promise.all([0, 2, 3].map((row) => box(cell(row, 'bdi'))));
    expect(new Set(names.map(({ x, width }) => Math.round(x + width))).size).toBe(1);
  });

  it('long names and many emoji stay within their row and the phone', async () => {
    await bench.page.setViewportSize({ width: 320, height: 900 });
    await bench.open();
    await status('Live').waitFor();
    const heights = await bench.inWidget("all('li .who').map((name) => name.getBoundingClientRect().height)");
    expect(heights).toEqual([24, 24, 24, 24, 24]);
    expect(await bench.page.evaluate('document.documentElement.scrollWidth')).toBe(320);
  });
});
