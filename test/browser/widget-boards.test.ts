import { beforeEach, describe, expect, it } from 'vitest';
import { axeViolations, COLOUR_RULES } from '../../tools/axe.ts';
import { needs } from '../support/needs.ts';
import { chromiumView, members } from './widget-suite.ts';
import { soon } from './widget-view.ts';

const FIVE = 'all,week,month,week.prev,month.prev';
const WORDS: Record<string, string[]> = {
  en: ['All time', 'This week', 'This month', 'Last week', 'Last month'],
  de: ['Gesamt', 'Diese Woche', 'Dieser Monat', 'Letzte Woche', 'Letzter Monat'],
  fr: ['Général', 'Cette semaine', 'Ce mois', 'Semaine dernière', 'Mois dernier'],
  es: ['General', 'Esta semana', 'Este mes', 'Semana pasada', 'Mes pasado'],
  pt: ['Geral', 'Esta semana', 'Este mês', 'Semana passada', 'Mês passado'],
  ar: ['كل الأوقات', 'هذا الأسبوع', 'هذا الشهر', 'الأسبوع الماضي', 'الشهر الماضي'],
  ja: ['全期間', '今週', '今月', '先週', '先月'],
};

describe('the boards of <guild-leaderboard> in Chromium', needs('chromium'), () => {
  const view = chromiumView(members(12, 12_000, 500), { EMBED_ORIGINS: '*' });
  beforeEach(async () => {
    const { guildConfig, writer } = view.store;
    await guildConfig.update('guild', { boards: ['week', 'month'] });
    // The last seven members gained XP: the last one most of all.
    await writer.recordMany(
      'guild',
      Array.from({ length: 7 }, (_, i) => ({ userId: `u${i + 5}`, add: 10 * (i + 1) })),
    );
  });

  const tab = (name: string) => view.page.getByRole('tab', { name, exact: true });
  const tabs = () => view.page.getByRole('tab').allTextContents();
  const chosen = () => view.page.getByRole('tab', { selected: true }).allTextContents();
  const names = () => view.texts('li .name');
  const focused = () => view.inWidget<string>('root.activeElement?.textContent');
  const press = (key: string) => view.page.keyboard.press(key);
  const byXp = (...numbers: number[]) => numbers.map((n) => `Member ${n}`);

  it('shows the first board, and another one with its first page, totals and XP when its tab is chosen', async () => {
    await view.openLive({ boards: ' week, all', stats: 'on' });
    expect(await tabs()).toEqual(['This week', 'All time']);
    expect(await chosen()).toEqual(['This week']);
    expect(await names()).toEqual(byXp(11, 10, 9, 8, 7));
    expect(await view.texts('li .xp .full')).toEqual(['70', '60', '50', '40', '30']);
    await view.sees('7 members · 280 XP');
    await view.click('Next');
    await view.sees('2 / 2');
    expect(await names()).toEqual(byXp(6, 5));
    await tab('All time').click();
    await view.sees('1 / 3');
    await view.sees('12 members');
    expect(await names()).toEqual(byXp(0, 1, 2, 3, 4));
    expect(await chosen()).toEqual(['All time']);
    expect(await view.page.getByRole('tabpanel', { name: 'All time' }).getByRole('listitem').count()).toBe(5);
    expect(view.messages).toEqual([]);
  });

  it.each([
    ['ltr', 'ArrowRight', 'ArrowLeft'],
    ['rtl', 'ArrowLeft', 'ArrowRight'],
  ])('%s: keys move the focus over the tabs in a circle, and Enter or Space chooses', async (dir, on, back) => {
    await view.openLive({ boards: 'all,week,month' }, `lang="en" dir="${dir}"`);
    const asked = view.asked();
    await view.inWidget("all('[aria-controls=search]')[0].focus()");
    await press('Tab');
    expect(await focused()).toBe('All time');
    for (const [key, name] of [
      [on, 'This week'],
      [on, 'This month'],
      [on, 'All time'],
      [back, 'This month'],
      ['Home', 'All time'],
      ['End', 'This month'],
      [back, 'This week'],
    ] as const) {
      await press(key);
      expect(await focused()).toBe(name);
    }
    expect(await view.inWidget('getComputedStyle(root.activeElement).outlineStyle')).toBe('solid');
    expect(asked()).toBe(0);
    expect(await chosen()).toEqual(['All time']);
    await press('Enter');
    await soon(names).toEqual(byXp(11, 10, 9, 8, 7));
    expect([await chosen(), await focused()]).toEqual([['This week'], 'This week']);
    await press('End');
    await press('Space');
    await soon(chosen).toEqual(['This month']);
    // The tab that is chosen is the only one in the order of the Tab key, and the board comes after it.
    await press('Tab');
    expect(await view.inWidget('root.activeElement.role')).toBe('tabpanel');
    await press('Shift+Tab');
    expect(await focused()).toBe('This month');
  });

  it('refreshes the board that is shown, and asks nothing about the others', async () => {
    await view.openLive({ boards: 'all,week,month', refresh: '1' });
    await tab('This week').click();
    await soon(names).toEqual(byXp(11, 10, 9, 8, 7));
    const week = view.asked('/servers/guild~week/leaderboard?limit=5&page=1');
    const others = view.asked('/servers/guild/');
    await view.store.writer.record('guild', { userId: 'u0', add: 1000 });
    await soon(names).toEqual(byXp(0, 11, 10, 9, 8));
    expect(week()).toBeGreaterThan(0);
    expect(others()).toBe(0);
    expect(await view.inWidget("all('li .mark').filter((node) => !node.hidden).length")).toBe(4);
  });

  it('finds, marks and pins members of the board that is shown, without progress to a level', async () => {
    await view.openLive({ boards: 'all,week', member: 'u5' });
    await view.sees('XP to level');
    await soon(() => view.texts('.pinned .rank')).toEqual(['6']);
    await tab('This week').click();
    await soon(() => view.texts('.pinned .rank')).toEqual(['7']);
    expect(await view.shows('li .progress')).toBe(false);
    await view.search('u6');
    await view.sees('rank 6');
    await view.click('Show in list');
    await soon(() => view.texts('li.is-wanted .name')).toEqual(['Member 6']);
    await view.search('u0');
    await view.sees('u0: No XP');
    await tab('All time').click();
    expect(await view.shows('.found')).toBe(false);
    await view.search('u0');
    await view.sees('rank 1');
  });

  it('keeps the board and its rows while the quota is used up', async () => {
    await view.store.guildConfig.update('guild', { plan: 'free' });
    await view.openLive({ boards: 'all,week' });
    const url = `${view.bench.service.url}/api/v1/servers/guild/stats`;
    for (let used = 2; used < 12; used++) await fetch(url, { headers: { 'x-api-key': view.bench.key } });
    await view.run('widget.refresh()');
    await view.sees('The hourly quota is used up.');
    const asked = view.asked();
    await tab('This week').click();
    await view.painted();
    expect([await chosen(), (await names()).length, asked()]).toEqual([['All time'], 5, 0]);
  });

  it('has no tabs without the attribute, and for one board alone', async () => {
    for (const [attributes, first] of [
      [{}, 'Member 0'],
      [{ boards: '' }, 'Member 0'],
      [{ boards: 'month' }, 'Member 11'],
    ] as [Record<string, string>, string][]) {
      await view.openLive(attributes);
      expect((await names())[0]).toBe(first);
      expect(await view.shows('.tabs')).toBe(false);
      expect(await view.page.getByRole('tabpanel').count()).toBe(0);
      expect(await view.inWidget("all('.rows')[0].hasAttribute('tabindex')")).toBe(false);
    }
    await view.run("widget.boards = 'week.prev,all'");
    await view.sees('Last week');
    await view.sees('No XP');
    await view.run("widget.boards = ''");
    await soon(async () => (await names())[0]).toBe('Member 0');
    expect(await view.shows('.tabs')).toBe(false);
  });

  it('names a board that does not exist, asks nothing, and starts again when it is mended', async () => {
    const asked = view.asked();
    await view.open({ boards: 'all,weak' });
    const message = 'The boards attribute takes all, week, month, week.prev and month.prev, not weak.';
    await view.sees(message);
    expect(asked()).toBe(0);
    expect(view.messages).toEqual([`Guildrank widget: ${message}`]);
    await view.run("widget.boards = 'all,week'");
    await view.sees('Live');
    expect(await tabs()).toEqual(['All time', 'This week']);
  });

  it.each(Object.entries(WORDS))('names the boards in %s, or as labels do', async (lang, words) => {
    await view.open({ boards: FIVE }, `lang="${lang}"`);
    await soon(tabs).toEqual(words);
    await view.run("widget.labels = { 'week.prev': 'Before' }");
    await soon(tabs).toEqual(words.with(3, 'Before'));
  });

  it.each(['ltr', 'rtl'])(
    '%s: tabs stay within the card at each width, and move nothing when data comes',
    async (dir) => {
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      await view.page.route('**/leaderboard?**', async (route) => {
        await held;
        await route.continue();
      });
      await view.open({ boards: FIVE }, `lang="en" dir="${dir}"`);
      await soon(tabs).toHaveLength(5);
      const heights = () => view.run<number>('return widget.offsetHeight');
      const before = await heights();
      release();
      await view.sees('Live');
      expect(await heights()).toBe(before);
      for (const width of [180, 240, 320, 480, 720]) {
        await view.tab.resize(width + 16, 900);
        await view.painted();
        expect(await view.page.evaluate('document.documentElement.scrollWidth')).toBe(width + 16);
        const cut = await view.inWidget<number>(
          "all('.tabs, [role=tab]').filter((node) => node.scrollWidth > node.clientWidth || node.scrollHeight > node.clientHeight).length",
        );
        if (width >= 320) expect({ width, cut }).toEqual({ width, cut: 0 });
        await view.inWidget("all('[role=tab]')[4].focus()");
        const [list, , , , last] = await view.boxes("[all('.tabs')[0], ...all('[role=tab]').slice(1)]");
        expect(last?.left).toBeGreaterThanOrEqual(list.left);
        expect(last?.right).toBeLessThanOrEqual(list.right);
      }
    },
  );

  it.each([
    ['light', 'lang="en"'],
    ['dark', 'lang="ar" dir="rtl"'],
  ])('axe finds nothing, %s, %s', async (theme, root) => {
    await view.open({ boards: FIVE, theme }, root);
    await soon(names).toHaveLength(5);
    const faults = async () =>
      (await axeViolations(view.page)).filter((each) => !/^(page-has-heading-one|region)/.test(each));
    expect(await faults()).toEqual([]);
    await view.tab.resize(320, 900);
    await view.page.getByRole('tab').nth(1).click();
    await soon(names).toEqual(byXp(11, 10, 9, 8, 7));
    expect(await faults()).toEqual([]);
  });

  it('the tab of the board that is shown can be told in forced colours', async () => {
    await view.page.emulateMedia({ forcedColors: 'active' });
    await view.openLive({ boards: 'all,week' });
    const colours = "all('[role=tab]').map((node) => getComputedStyle(node).backgroundColor)";
    expect(new Set(await view.inWidget<string[]>(colours)).size).toBe(2);
    expect(await axeViolations(view.page, COLOUR_RULES)).toEqual([]);
  });

  it('are taken from the fragment of the page for frames', async () => {
    const { service, key } = view.bench;
    await view.page.goto(`${service.url}/embed#guild=guild&api-key=${key}&page-size=5&boards=week,all`);
    await soon(names).toEqual(byXp(11, 10, 9, 8, 7));
    expect(await tabs()).toEqual(['This week', 'All time']);
  });
});
