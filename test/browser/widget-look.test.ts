import { describe, expect, it } from 'vitest';
import { sharedChromium } from '../../tools/browser.ts';
import { needs } from '../support/needs.ts';
import { LANGUAGES } from './numbers.ts';
import { reservedSpace } from './widget-layout.ts';
import { chromiumView, installClock, members } from './widget-suite.ts';

describe('the look of the widget', needs('chromium', 'redis-server'), () => {
  const view = chromiumView(members(24, 24_000, 500));

  const live = () => view.page.getByText('Live', { exact: true }).first().waitFor();
  const row = (name: string) => view.page.locator('li', { has: view.page.getByText(name, { exact: true }) });
  const totals = () => expect.poll(() => view.inWidget("all('.stats')[0].textContent")).toContain('members');

  it('the widget shows the way to the next level by the curve, and none for an explicit level', async () => {
    const { writer, guildConfig } = view.store;
    await guildConfig.update('guild', { xpCurve: 'lurkr' });
    // Level 3 begins at 300 XP, level 4 at 550.
    await writer.record('guild', { userId: 'low', set: 400 });
    await writer.record('guild', { userId: 'chosen', set: 399, level: 50 });
    await view.open({ 'page-size': '30' });
    await totals();
    await expect.poll(() => row('low').locator('.next').textContent()).toBe('150 XP to level 4');
    expect(
      await row('low')
        .locator('.bar')
        .evaluate((node) => node.getAttribute('style')),
    ).toBe('width: 40%;');
    expect(await row('low').locator('.level .brief').textContent()).toBe('Lv 3');
    expect(await row('chosen').locator('.progress').isVisible()).toBe(false);
    expect(await row('chosen').locator('.level .brief').textContent()).toBe('Lv 50');
  });

  it('the widget shows a badge only when XP is multiplied', async () => {
    await view.open();
    await totals();
    expect(await view.page.locator('.badge').isVisible()).toBe(false);
    await view.store.guildConfig.update('guild', { xpMultiplier: 1.5 });
    await view.open();
    await view.page.getByText('1.5× XP').waitFor();
  });

  it('the widget animates the row, its place and its bar', async () => {
    await view.open({ refresh: '1', 'page-size': '10' });
    await live();
    await totals();
    // The first data starts transitions too.
    await view.page.evaluate(`Promise.all(
      document.querySelector('guild-leaderboard').shadowRoot.getAnimations().map(({ finished }) => finished))`);
    // Both can be over between two frames of a busy machine, but the event of a transition and the call of an animation come.
    await view.page.evaluate(`window.ran = new Set();
      document.querySelector('guild-leaderboard').shadowRoot.addEventListener('transitionrun', (event) => ran.add(event.propertyName));
      const { animate } = Element.prototype;
      Element.prototype.animate = function (keyframes, options) {
        const animation = animate.call(this, keyframes, options);
        for (const name of ['backgroundColor', 'transform']) if (name in animation.effect.getKeyframes()[0]) ran.add(name);
        return animation;
      };`);
    // The bar of a row that moves starts anew, so a member that stays in its place gets XP too.
    await view.store.writer.recordMany('guild', [
      { userId: 'u7', set: 22_100 },
      { userId: 'u3', add: 100 },
    ]);
    await row('Member 7').getByText('▲ 3').waitFor();
    await expect.poll(() => view.page.evaluate('[...ran].sort()')).toEqual(['backgroundColor', 'transform', 'width']);
  });

  it('the widget says how old the data are', async () => {
    await installClock(view);
    await view.open();
    await live();
    await view.page.clock.runFor(4000);
    // The clock of the page goes on by itself.
    await view.page.getByText(/updated ([4-9]|[1-5]\d)s ago/).waitFor();
  });

  it('the widget marks the visitor in the list, and shows the visitor below other pages', async () => {
    await view.open({ member: 'u3' });
    await live();
    await row('Member 3').getByText('you').waitFor();
    expect(await view.page.locator('.pinned').isVisible()).toBe(false);
    await view.page.getByRole('button', { name: 'Next' }).click();
    await view.page.locator('.pinned').getByText('Member 3').waitFor();
  });

  it('the widget gives a member the same colour each time, and the next member another colour', async () => {
    await view.open();
    await live();
    const hues = () => view.inWidget<string[]>("all('li .avatar').map((node) => node.style.getPropertyValue('--hue'))");
    const before = await hues();
    expect(new Set(before).size).toBe(5);
    await view.page.reload();
    await live();
    expect(await hues()).toEqual(before);
  });

  it.each(LANGUAGES)(
    'the widget keeps what a search found within the card at its least width, in %s',
    async (lang, dir) => {
      await view.page.setViewportSize({ width: 196, height: 900 });
      await view.open({}, `lang="${lang}" dir="${dir}"`);
      await expect.poll(() => view.texts('li .xp')).toHaveLength(5);
      await view.inWidget("all('.icon')[0].click()");
      await view.page.keyboard.type('u22');
      await view.page.keyboard.press('Enter');
      await expect.poll(() => view.shows('.found button')).toBe(true);
      const outside = `all('.found *').filter((node) => {
      const [{ left, right }, card] = [node, all('.card')[0]].map((each) => each.getBoundingClientRect());
      return left < card.left || right > card.right || node.scrollWidth > Math.max(1, node.clientWidth);
    }).map(({ textContent }) => textContent)`;
      expect(await view.inWidget(outside)).toEqual([]);
    },
  );

  it.each(['list', 'table'])('the widget has two lines for each member of a %s on a phone', async (layout) => {
    await view.page.setViewportSize({ width: 320, height: 900 });
    await view.open({ layout, podium: 'off' });
    await totals();
    const rows = await view.inWidget<Record<string, { y: number; height: number; text: string }>[]>(
      `all(':is(li, tr)[part=row]').map((row) => Object.fromEntries(['name', 'xp', 'level', 'track', 'progress'].map((part) => {
        const node = row.querySelector('.' + part);
        const { y, height } = node.getBoundingClientRect();
        return [part, { y: y + height / 2, height, text: node.innerText }];
      })))`,
    );
    expect(rows).toHaveLength(5);
    for (const { name, xp, level, track } of rows) {
      expect([xp?.y, track?.y]).toEqual([expect.closeTo(name?.y ?? 0, 0), expect.closeTo(level?.y ?? 0, 0)]);
      expect(track?.height).toBeGreaterThan(3);
      expect((level?.y ?? 0) - (name?.y ?? 0)).toBeGreaterThan(15);
    }
    expect(rows[0]).toMatchObject({ name: { text: 'Member 0' }, xp: { text: '24,000' }, level: { text: 'Lv 20' } });
    const shares = "all(':is(li, tr)[part=row] .progress').map((node) => getComputedStyle(node, '::after').content)";
    expect((await view.inWidget<string[]>(shares))[0]).toMatch(/^"\d+%"$/);
    if (layout === 'table') {
      expect(await view.page.getByRole('columnheader').allInnerTexts()).toEqual(['#', 'Member', 'Level', 'XP']);
      const line = "getComputedStyle(all('tbody tr')[1]).borderTopWidth";
      expect(await view.inWidget(line)).toBe('1px');
    }
  });

  it('the widget says below the head of a table, and above the line of the footer, that a guild is empty', async () => {
    await view.store.writer.remove(
      'guild',
      Array.from({ length: 24 }, (_, i) => `u${i}`),
    );
    await view.open({ layout: 'table' });
    await view.page.getByText('No XP.').waitFor();
    const edges = await view.inWidget<number[]>(`(() => {
      const range = new Range();
      range.selectNodeContents(all('.rows .note')[0]);
      const { top, bottom } = range.getBoundingClientRect();
      return [all('thead')[0].getBoundingClientRect().bottom, top, bottom, all('.footer')[0].getBoundingClientRect().top];
    })()`);
    expect(edges).toEqual(edges.toSorted((a, b) => a - b));
  });

  it('the widget leaves no empty space where JavaScript is off', async () => {
    await view.openHtml(view.bench.leaderboard({}), 'lang="en"', reservedSpace('48.75em'));
    const context = await (await sharedChromium()).newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(view.bench.site.url);
    expect((await page.locator('main').boundingBox())?.height).toBeLessThan(50);
    await context.close();
  });

  it('the widget is as small as a guild of two members', async () => {
    await view.store.writer.remove(
      'guild',
      Array.from({ length: 22 }, (_, i) => `u${i + 2}`),
    );
    await view.open({ 'page-size': '10' });
    await live();
    const box = await view.page.locator('guild-leaderboard').boundingBox();
    expect(box?.height).toBeLessThan(400);
    expect(await view.page.locator('.pager').isVisible()).toBe(false);
  });
});
