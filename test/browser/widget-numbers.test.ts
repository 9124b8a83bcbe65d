import { expect, it } from 'vitest';
import { CHROMIUM } from './engines.ts';
import { LANGUAGES, LEADERS, LONG_LEVELS, unreadable } from './numbers.ts';
import { describeEngines, widgetView } from './widget-suite.ts';
import { soon } from './widget-view.ts';

const FAULTS = unreadable("document.querySelector('guild-leaderboard').shadowRoot", '[part=row]');
const WIDTHS = [180, 220, 263, 280, 287, 304, 320, 344, 375, 479, 480, 640];

describeEngines(
  'the numbers of the widget',
  (engine) => {
    const view = widgetView(engine, LEADERS);

    it.each(
      LANGUAGES.flatMap(([lang, dir]) => (['lurkr', LONG_LEVELS] as const).map((curve) => [lang, dir, curve] as const)),
    )('no digit is cut at any width in the language %s (%s) on the curve %s', async (lang, dir, xpCurve) => {
      await view.store.guildConfig.update('guild', { xpCurve });
      const found: unknown[] = [];
      for (const attributes of [{}, { density: 'compact' }, { podium: 'off', density: 'compact' }, { podium: 'off' }]) {
        await view.open({ ...attributes, 'page-size': '4', member: 'u2' }, `lang="${lang}" dir="${dir}"`);
        await soon(() => view.texts('li .xp')).toHaveLength(4);
        await soon(() => view.texts('.stats')).not.toEqual(['\u00a0']);
        for (const width of WIDTHS) {
          // The margins of the page are 8 pixels.
          await view.tab.resize(width + 16, 900);
          await soon(() => view.page.evaluate('innerWidth')).toBe(width + 16);
          await view.painted();
          const faults = (await view.page.evaluate(FAULTS)) as string[];
          if (faults.length) found.push([JSON.stringify(attributes), width, ...faults]);
        }
      }
      expect(found).toEqual([]);
    });
  },
  [CHROMIUM],
);
