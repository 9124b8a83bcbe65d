import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { needs } from '../support/needs.ts';
import { type WidgetBench, widgetBench } from './widget-page.ts';

describe('the look of the widget', needs('tools', 'chromium'), () => {
  let bench: WidgetBench;

  beforeAll(async () => {
    bench = await widgetBench({ PLAN_QUOTAS: 'free=12,pro=10000' });
  });
  afterAll(() => bench.close());
  beforeEach(async () => {
    await bench.start();
    await bench.service.store.writer.recordMany(
      'guild',
      Array.from({ length: 24 }, (_, i) => ({
        userId: `u${i}`,
        set: 24_000 - i * 500,
        profile: { username: `Member ${i}` },
      })),
    );
  });
  afterEach(() => bench.end());

  const live = () => bench.page.getByText('Live', { exact: true }).first().waitFor();
  const row = (name: string) => bench.page.locator('li', { has: bench.page.getByText(name, { exact: true }) });
  const totals = () => expect.poll(() => bench.inWidget("all('.stats')[0].textContent")).toContain('members');

  it('shows the way to the next level by the curve, and none for an explicit level', async () => {
    const { writer, guildConfig } = bench.service.store;
    await guildConfig.update('guild', { xpCurve: 'lurkr' });
    // Level 3 begins at 300 XP, level 4 at 550.
    await writer.record('guild', { userId: 'low', set: 400 });
    await writer.record('guild', { userId: 'chosen', set: 399, profile: { level: 50 } });
    await bench.open({ 'page-size': '30' });
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

  it('shows a badge only when XP is multiplied', async () => {
    await bench.open();
    await totals();
    expect(await bench.page.locator('.badge').isVisible()).toBe(false);
    await bench.service.store.guildConfig.update('guild', { xpMultiplier: 1.5 });
    await bench.open();
    await bench.page.getByText('1.5× XP').waitFor();
  });

  it('marks who rose and fell since the last look', async () => {
    await bench.open({ refresh: '1', 'page-size': '10' });
    await live();
    expect(await bench.page.locator('li .mark:visible').count()).toBe(0);
    await bench.service.store.writer.record('guild', { userId: 'u7', set: 22_100 });
    await expect.poll(() => row('Member 7').locator('.mark').textContent()).toBe('▲ 3');
    expect(await row('Member 5').locator('.mark').textContent()).toBe('▼ 1');
    await bench.setHidden(true);
    await bench.setHidden(false);
    await expect.poll(() => bench.page.locator('li .mark:visible').count()).toBe(0);
  });

  it.each([
    ['reduce', []],
    ['no-preference', ['backgroundColor', 'transform', 'width']],
  ] as const)('with prefers-reduced-motion: %s it animates %j', async (reducedMotion, expected) => {
    await bench.page.emulateMedia({ reducedMotion });
    await bench.open({ refresh: '1', 'page-size': '10' });
    await live();
    await totals();
    // The first data starts transitions too.
    await bench.page.evaluate(`Promise.all(
      document.querySelector('guild-leaderboard').shadowRoot.getAnimations().map(({ finished }) => finished))`);
    // A transition can be over between two frames of a busy machine, but its event comes.
    await bench.page.evaluate(`window.ran = new Set();
      document.querySelector('guild-leaderboard').shadowRoot.addEventListener('transitionrun', (event) => ran.add(event.propertyName));
      (function look() {
        for (const { effect } of document.querySelector('guild-leaderboard').shadowRoot.getAnimations()) {
          for (const name of ['width', 'backgroundColor', 'transform']) if (name in effect.getKeyframes()[0]) ran.add(name);
        }
        requestAnimationFrame(look);
      })();`);
    // The bar of a row that moves starts anew, so a member that stays in its place gets XP too.
    await bench.service.store.writer.recordMany('guild', [
      { userId: 'u7', set: 22_100 },
      { userId: 'u3', add: 100 },
    ]);
    await row('Member 7').getByText('▲ 3').waitFor();
    // After two frames the new data has started what it starts.
    await bench.page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    await expect.poll(() => bench.page.evaluate('[...ran].sort()')).toEqual(expected);
  });

  it('says how old the data is', async () => {
    await bench.page.clock.install();
    await bench.open();
    await live();
    await bench.page.clock.runFor(4000);
    await bench.page.getByText('updated 4s ago').waitFor();
  });

  it('marks the visitor in the list, and shows the visitor below other pages', async () => {
    await bench.open({ member: 'u3' });
    await live();
    await row('Member 3').getByText('you').waitFor();
    expect(await bench.page.locator('.pinned').isVisible()).toBe(false);
    await bench.page.getByRole('button', { name: 'Next' }).click();
    await bench.page.locator('.pinned').getByText('Member 3').waitFor();
  });

  it('has the same colour for a member each time, and another for the next', async () => {
    await bench.open();
    await live();
    const hues = () =>
      bench.inWidget<string[]>("all('li .avatar').map((node) => node.style.getPropertyValue('--hue'))");
    const before = await hues();
    expect(new Set(before).size).toBe(5);
    await bench.page.reload();
    await live();
    expect(await hues()).toEqual(before);
  });

  it('is as small as a guild of two members', async () => {
    await bench.service.store.writer.remove(
      'guild',
      Array.from({ length: 22 }, (_, i) => `u${i + 2}`),
    );
    await bench.open({ 'page-size': '10' });
    await live();
    const box = await bench.page.locator('guild-leaderboard').boundingBox();
    expect(box?.height).toBeLessThan(400);
    expect(await bench.page.locator('.pager').isVisible()).toBe(false);
  });
});
