import { beforeEach, expect, it } from 'vitest';
import { axeViolations, COLOUR_RULES } from '../../tools/axe.ts';
import { ALL_VARIANTS } from '../support/variants.ts';
import { CHROMIUM } from './engines.ts';
import { describeEngines, describeLogic, fillBoards, members, widgetView, widgetViolations } from './widget-suite.ts';
import { soon } from './widget-view.ts';

const FIVE = 'all,week,month,week.prev,month.prev';
const WORDS = {
  en: ['All time', 'This week', 'This month', 'Last week', 'Last month'],
  de: ['Gesamt', 'Diese Woche', 'Dieser Monat', 'Letzte Woche', 'Letzter Monat'],
  fr: ['Général', 'Cette semaine', 'Ce mois', 'Semaine dernière', 'Mois dernier'],
  es: ['General', 'Esta semana', 'Este mes', 'Semana pasada', 'Mes pasado'],
  pt: ['Geral', 'Esta semana', 'Este mês', 'Semana passada', 'Mês passado'],
  ar: ['كل الأوقات', 'هذا الأسبوع', 'هذا الشهر', 'الأسبوع الماضي', 'الشهر الماضي'],
  ja: ['全期間', '今週', '今月', '先週', '先月'],
};
const KEYS = [
  ['ltr', 'ArrowRight', 'ArrowLeft'],
  ['rtl', 'ArrowLeft', 'ArrowRight'],
] as const;
/** What axe judges: theme and attributes of the document. */
const JUDGED = [
  ['light', 'lang="en"'],
  ['dark', 'lang="ar" dir="rtl"'],
] as const;
const CHOSEN = '[aria-selected=true]';

describeEngines('the tabs of boards', (engine) => {
  const view = widgetView(engine, members(12, 12_000, 500));
  beforeEach(() => fillBoards(view));
  // Of the variants that share their code, the second tier has the last alone in Firefox.
  const alike = ALL_VARIANTS || engine === CHROMIUM ? 0 : -1;

  it.each(KEYS.slice(alike))(
    'keys move the focus in a circle in %s, and Enter or Space chooses',
    async (dir, on, back) => {
      const { keyboard } = view.page;
      const focused = () => view.inWidget('root.activeElement.textContent');
      await view.openLive({ boards: 'all,week,month' }, `lang="en" dir="${dir}"`);
      await view.sees('12 members');
      const asked = view.asked();
      await view.inWidget("all('[aria-controls=search]')[0].focus()");
      await keyboard.press('Tab');
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
        await keyboard.press(key);
        expect(await focused()).toBe(name);
      }
      expect(await view.inWidget('getComputedStyle(root.activeElement).outlineStyle')).toBe('solid');
      expect([await view.texts(CHOSEN), asked()]).toEqual([['All time'], 0]);
      await keyboard.press('Enter');
      await view.sees('7 members · +280 XP gained');
      expect([await view.texts(CHOSEN), await focused()]).toEqual([['This week'], 'This week']);
      await keyboard.press('End');
      await keyboard.press(' ');
      await soon(() => view.texts(CHOSEN)).toEqual(['This month']);
      // The order of the Tab key has the chosen tab alone, then its board.
      expect(await view.inWidget("all('[role=tab]').map((tab) => tab.tabIndex)")).toEqual([-1, -1, 0]);
      await keyboard.press('Tab');
      expect(await view.inWidget('[root.activeElement.role, root.activeElement.ariaLabel]')).toEqual([
        'tabpanel',
        'This month',
      ]);
    },
  );

  it.each(['ltr', 'rtl'].slice(alike))(
    'the tabs stay within the card at each width in %s, and move nothing when data come',
    async (dir) => {
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      await view.tab.intercept(async (request) => {
        if (request.url().includes('/leaderboard?')) await held;
        return undefined;
      });
      await view.open({ boards: FIVE }, `lang="en" dir="${dir}"`);
      await soon(() => view.texts('[role=tab]')).toEqual(WORDS.en);
      const height = () => view.run('return widget.offsetHeight');
      const before = await height();
      release();
      await view.sees('Live');
      expect(await height()).toBe(before);
      for (const width of [180, 240, 320, 480, 720]) {
        await view.tab.resize(width + 16, 900);
        await soon(() => view.page.evaluate('innerWidth')).toBe(width + 16);
        await view.painted();
        expect(await view.page.evaluate('document.documentElement.scrollWidth')).toBe(width + 16);
        const cut = `all('${width < 320 ? '' : '.tabs, '}[role=tab]').filter((node) =>
        node.scrollWidth > node.clientWidth || node.scrollHeight > node.clientHeight).length`;
        expect({ width, cut: await view.inWidget(cut) }).toEqual({ width, cut: 0 });
        await view.inWidget("all('[role=tab]')[4].focus()");
        const [list, , , , last] = await view.boxes("[all('.tabs')[0], ...all('[role=tab]').slice(1)]");
        expect(last?.left).toBeGreaterThanOrEqual(list.left);
        expect(last?.right).toBeLessThanOrEqual(list.right);
      }
    },
  );
});

describeEngines('the tabs of boards in forced colours', (engine) => {
  const view = widgetView(engine, members(12, 12_000, 500), {
    system: { colorScheme: 'light', forcedColors: 'active' },
  });

  it('in forced colours, the tab of the board that is shown differs from the others', async () => {
    await view.openLive({ boards: 'all,week' });
    const borders = "all('[role=tab]').map((tab) => getComputedStyle(tab).borderWidth)";
    expect(await view.inWidget(borders)).toEqual(['3px', '1px']);
    if (ALL_VARIANTS || engine === CHROMIUM) expect(await axeViolations(view.page, COLOUR_RULES)).toEqual([]);
  });
});

describeLogic('the tabs of boards', (engine) => {
  const view = widgetView(engine, members(12, 12_000, 500));
  beforeEach(() => fillBoards(view));

  it.each(JUDGED)('axe finds nothing in the tabs, with %s, %s', async (theme, root) => {
    await view.open({ boards: FIVE, theme }, root);
    await soon(() => view.texts('li .name')).toHaveLength(5);
    expect(await widgetViolations(view.page)).toEqual([]);
    await view.tab.resize(320, 900);
    await view.click(WORDS[root.includes('ar') ? 'ar' : 'en'][1] as string);
    await soon(() => view.texts('li .rank')).toHaveLength(5);
    expect(await widgetViolations(view.page, COLOUR_RULES)).toEqual([]);
  });

  it('the tabs name the boards in each language, or as labels do', async () => {
    for (const [lang, words] of Object.entries(WORDS)) {
      await view.open({ boards: FIVE }, `lang="${lang}"`);
      await soon(() => view.texts('[role=tab]')).toEqual(words);
    }
    await view.run("widget.labels = { 'week.prev': 'Before' }");
    await soon(() => view.texts('[role=tab]')).toEqual(WORDS.ja.with(3, 'Before'));
  });
});
