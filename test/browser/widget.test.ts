import { describe, expect, it } from 'vitest';
import type { Response } from '../../tools/browser.ts';
import { needs } from '../support/needs.ts';
import { chromiumView, installClock, members } from './widget-suite.ts';

describe('<guild-leaderboard> in Chromium', needs('chromium', 'redis-server'), () => {
  const ada = { userId: 'ada', set: 4675, username: 'Ada' };
  const view = chromiumView([ada, ...members(11, 100, 1)]);

  const rows = () => view.page.locator('guild-leaderboard li');
  const status = (text: string | RegExp) =>
    view.page.locator('guild-leaderboard :is(.footer, .note)').getByText(text).first();
  const button = (name: string) => view.page.getByRole('button', { name, exact: true });
  const search = async (text: string) => {
    await button('Find a member by id').click();
    await view.page.keyboard.type(text);
    await view.page.keyboard.press('Enter');
  };

  /**
   * Lets the time of an installed clock pass until the widget requests its page, and returns the response. A single `runFor` would let
   * more time pass while the request is on its way.
   */
  async function nextPage(): Promise<Response | null> {
    const asked = view.page.waitForRequest((request) => request.url().includes('/leaderboard?'));
    let isOver = false;
    asked
      .catch(() => {}) // Awaited below.
      .finally(() => {
        isOver = true;
      });
    while (!isOver) await view.page.clock.runFor(10_000);
    return (await asked).response();
  }

  it('the widget is a list, or a table with column and row headers, and has a labelled search, for assistive technology', async () => {
    await view.open();
    await status('Live').waitFor();
    const list = view.page.getByRole('list', { name: 'Leaderboard' });
    expect(await list.getByRole('listitem').count()).toBe(5);
    await view.open({ layout: 'table' });
    await status('Live').waitFor();
    expect(await view.page.getByRole('table', { name: 'Leaderboard' }).count()).toBe(1);
    expect(await view.page.getByRole('columnheader').allTextContents()).toEqual(['#', 'Member', 'level ', 'XP']);
    expect(await view.page.getByRole('rowheader', { name: 'Ada' }).count()).toBe(1);
    expect(await view.page.getByRole('group', { name: 'Leaderboard' }).count()).toBe(1);
    await search('ada');
    expect(await view.page.getByRole('textbox', { name: 'Find a member by id' }).count()).toBe(1);
  });

  it('the widget keeps its size from before the first answer on', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await view.page.route('**/leaderboard?**', async (route) => {
      await held;
      await route.continue();
    });
    await view.open();
    await view.page.getByText('Loading …').waitFor({ state: 'attached' });
    const before = await view.page.locator('guild-leaderboard').boundingBox();
    release();
    await status('Live').waitFor();
    expect(await view.page.locator('guild-leaderboard').boundingBox()).toEqual(before);
  });

  it('the widget asks nothing while its tab is hidden, and asks at once when the tab is looked at again', async () => {
    await installClock(view);
    await view.open({ refresh: '10' });
    await status('Live').waitFor();
    const asked = view.asked('/leaderboard');
    await view.setHidden(true);
    await view.page.clock.runFor(60_000);
    expect(asked()).toBe(0);
    const answer = view.page.waitForResponse((response) => response.url().includes('/leaderboard'));
    await view.setHidden(false);
    await view.page.clock.runFor(1);
    await answer;
    expect(asked()).toBe(1);
  });

  it('over the quota, the widget says so, counts down, keeps its rows, and sends no request until Retry-After is over', async () => {
    await view.store.guildConfig.update('guild', { plan: 'free' });
    await installClock(view);
    await view.open({ refresh: '1' });
    await status('Live').waitFor();
    for (let used = 2; used < 12; used++) {
      await fetch(`${view.bench.service.url}/api/v1/servers/guild/stats`, { headers: { 'x-api-key': view.bench.key } });
    }
    expect((await nextPage())?.status()).toBe(429);
    await status('Not updated').waitFor();
    expect(view.messages.join()).toContain('Guildrank widget: The hourly quota is used up.');
    expect(await rows().count()).toBe(5);
    const countdown = () => view.page.locator('guild-leaderboard .footer [aria-hidden=true]:not(.dot)').textContent();
    expect(await countdown()).toMatch(/^ · Next try in [\d:]+:\d\d$/);
    let asked = 0;
    view.page.on('request', () => asked++);
    const first = await countdown();
    await view.page.clock.runFor(600_000);
    expect(await countdown()).not.toBe(first);
    await button('Next').click();
    expect(asked).toBe(0);
    await view.setHidden(true);
    await view.setHidden(false);
    const seen = await countdown();
    await view.page.clock.runFor(5000);
    expect(await countdown()).not.toBe(seen);
    await view.bench.testStore.connect().del('gr:quota:{guild}');
    const served = view.page.waitForResponse((response) => response.url().includes('/leaderboard') && response.ok());
    await view.page.clock.runFor(3_600_000);
    await served;
    await status('Live').waitFor();
  });

  it('the widget keeps nothing when it is taken from the page, and works when it is put back', async () => {
    await installClock(view);
    await view.open({ refresh: '5' });
    await status('Live').waitFor();
    let asked = 0;
    view.page.on('request', () => asked++);
    await view.page.evaluate("(window.taken = document.querySelector('guild-leaderboard')).remove()");
    await view.page.clock.runFor(60_000);
    expect(asked).toBe(0);
    await view.page.evaluate('document.body.append(taken)');
    await expect.poll(() => asked).toBeGreaterThan(0);
  });

  it('the widget slows down when the quota would not last at its pace', async () => {
    await view.store.guildConfig.update('guild', { plan: 'free' });
    await installClock(view);
    await view.open({ refresh: '1' });
    await status('Live').waitFor();
    const asked = view.asked('/leaderboard');
    // Two of twelve requests are used: ten are left for 3600 seconds.
    await view.page.clock.runFor(300_000);
    expect(asked()).toBe(0);
    const answer = view.page.waitForResponse((response) => response.url().includes('/leaderboard'));
    await view.page.clock.runFor(61_000);
    await answer;
    expect(asked()).toBe(1);
  });

  it("the widget follows the system's colours unless an attribute sets a theme", async () => {
    const background = () => view.inWidget("getComputedStyle(all('.card')[0]).backgroundColor");
    const LIGHT = 'rgb(255, 255, 255)';
    const DARK = 'rgb(20, 23, 29)';
    for (const [attributes, light, dark] of [
      [{}, LIGHT, DARK],
      [{ theme: 'auto' }, LIGHT, DARK],
      [{ theme: 'light' }, LIGHT, LIGHT],
      [{ theme: 'dark' }, DARK, DARK],
    ] as [Record<string, string>, string, string][]) {
      await view.open(attributes);
      await view.page.emulateMedia({ colorScheme: 'light' });
      expect(await background()).toBe(light);
      await view.page.emulateMedia({ colorScheme: 'dark' });
      expect(await background()).toBe(dark);
    }
  });
});
