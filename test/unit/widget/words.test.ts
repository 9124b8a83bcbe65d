import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { LANGUAGES } from '../../../src/widget/translation.ts';

// The types of the widget are those of a browser, which the tests do not have: so its modules are imported without types.
const { createWords } = await import(new URL('../../../src/widget/words.ts', import.meta.url).href);

// Node 20 has no navigator.
beforeAll(() => void vi.stubGlobal('navigator', { language: 'en' }));
afterAll(() => void vi.unstubAllGlobals());

it.each(LANGUAGES)('the widget words a wait of seconds, minutes or hours in %s', (language) => {
  const { clock } = createWords(language, {});
  expect([0, 0.2, 59.1, 3599, 3601, 86_400].map(clock)).toEqual([
    '0:00',
    '0:01',
    '1:00',
    '59:59',
    '1:00:01',
    '24:00:00',
  ]);
});

it('the widget writes a wait in the numerals of the language', () => {
  expect(createWords('ar-EG', {}).clock(3601)).toBe('١:٠٠:٠١');
});

it.each([
  ['en', '99%', 'Leaderboard unavailable', 'Not updated'],
  ['de', '99 %', 'Rangliste nicht verfügbar', 'Nicht aktualisiert'],
  ['fr', '99 %', 'Classement indisponible', 'Pas à jour'],
  ['es', '99 %', 'Clasificación no disponible', 'Sin actualizar'],
  ['pt', '99%', 'Classificação indisponível', 'Sem atualização'],
  ['ar', '99', 'لوحة الصدارة غير متاحة', 'غير محدَّثة'],
  ['ja', '99%', 'ランキングは利用できません', '更新できません'],
])(
  'in %s, the widget words a level that is almost complete, and data that are missing or old',
  (language, percent, away, stale) => {
    const words = createWords(language, {});
    expect(words.percent(0.9999).replaceAll(/\s/g, ' ')).toContain(percent);
    expect([words.say('away'), words.say('stale')]).toEqual([away, stale]);
  },
);
