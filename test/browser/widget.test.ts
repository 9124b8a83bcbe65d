import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { needs } from '../support/needs.ts';
import { type WidgetBench, widgetBench } from './widget-page.ts';

describe('<guild-leaderboard> in Chromium', needs('tools', 'chromium'), () => {
  let bench: WidgetBench;

  beforeAll(async () => {
    bench = await widgetBench({ PLAN_QUOTAS: 'free=12,pro=10000' });
  });
  afterAll(() => bench.close());
  beforeEach(async () => {
    await bench.start();
    await bench.service.store.writer.recordMany('guild', [
      { userId: 'ada', set: 4675, profile: { username: 'Ada', dailyStreak: 3 } },
      ...Array.from({ length: 11 }, (_, i) => ({ userId: `u${i}`, set: 100 - i })),
    ]);
  });
  afterEach(() => bench.end());

  const rows = () => bench.page.locator('guild-leaderboard li');
  const status = (text: string | RegExp) =>
    bench.page.locator('guild-leaderboard :is(.footer, .note)').getByText(text).first();
  const button = (name: string) => bench.page.getByRole('button', { name, exact: true });
  const search = async (text: string) => {
    await button('Find a member by id').click();
    await bench.page.keyboard.type(text);
    await bench.page.keyboard.press('Enter');
  };

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

  it('keeps nothing when it is taken from the page, and works when it is put back', async () => {
    await bench.page.clock.install();
    await bench.open({ refresh: '5' });
    await status('Live').waitFor();
    let asked = 0;
    bench.page.on('request', () => asked++);
    await bench.page.evaluate("(window.taken = document.querySelector('guild-leaderboard')).remove()");
    await bench.page.clock.runFor(60_000);
    expect(asked).toBe(0);
    await bench.page.evaluate('document.body.append(taken)');
    await expect.poll(() => asked).toBeGreaterThan(0);
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
});
