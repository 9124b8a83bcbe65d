import { describe, expect, it } from 'vitest';
import { pageWordsOf } from '../../../src/service/public/page-words.ts';
import { daysOf, periodFacts } from '../../../src/widget/period.ts';
import { LANGUAGES, type Language } from '../../../src/widget/translation.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const NOW = Date.parse('2026-11-27T12:00:00Z');
const WEEK = { from: '2026-11-22T23:00:00.000Z', to: '2026-11-29T23:00:00.000Z' };

const facts = (lang: Language, period = WEEK, now = NOW) =>
  periodFacts(period, pageWordsOf(lang), now).map((fact) => fact.replaceAll(/[\u2009\u202f\u00a0]/g, ' '));

describe('the dates of a period', () => {
  it.each([
    ['a week', '2026-11-23', '2026-11-30'],
    ['a week that ends in another year', '2026-12-28', '2027-01-04'],
    ['a month', '2026-11-01', '2026-12-01'],
    ['a month that begins on a Monday', '2027-02-01', '2027-03-01'],
    ['a month that begins on a Sunday', '2027-08-01', '2027-09-01'],
  ])("the dates of a period are those of the guild's calendar, at each distance from UTC: %s", (_, first, next) => {
    const expected = [Date.parse(first), Date.parse(next) - DAY_MS];
    for (let minutes = -720; minutes <= 840; minutes += 15) {
      // The clock can change in the period, and midnight can be left out.
      for (const change of [-60, 0, 60]) {
        const at = (day: string, offset: number) => new Date(Date.parse(day) - offset * 60_000).toISOString();
        const last = Math.min(840, Math.max(-720, minutes + change));
        expect(daysOf({ from: at(first, minutes), to: at(next, last) })).toEqual(expected);
      }
    }
  });

  it('the dates of a period are a range in the language of the visitor, with the days that are left', () => {
    expect([facts('en'), facts('de')]).toEqual([
      ['Nov 23 – 29', '3 days left'],
      ['23.–29. Nov.', 'noch 3 Tage'],
    ]);
    const left = {
      ...{ en: '3 days left', de: 'noch 3 Tage', fr: '3 jours restants', es: 'quedan 3 días', pt: 'faltam 3 dias' },
      ...{ ar: 'الأيام المتبقية: 3', ja: '残り3日' },
    };
    expect(Object.fromEntries(LANGUAGES.map((lang) => [lang, facts(lang)[1]]))).toEqual(left);
    for (const lang of LANGUAGES) expect(facts(lang)[0]).toMatch(/23.*29/);
  });

  it('the last day of a period counts as one day left, and an ended period has no days left', () => {
    const end = Date.parse(WEEK.to);
    expect(facts('en', WEEK, end - 1)[1]).toBe('1 day left');
    expect(facts('en', WEEK, end - 24 * HOUR_MS)[1]).toBe('1 day left');
    expect(facts('en', WEEK, end - 24 * HOUR_MS - 1)[1]).toBe('2 days left');
    expect(facts('en', WEEK, end)).toEqual(['Nov 23 – 29']);
  });

  it.each([
    ['a week at whose end clocks go back', '2026-10-18T22:00:00.000Z', '2026-10-25T23:00:00.000Z', 7],
    ['a week at whose end clocks go forward', '2027-03-21T23:00:00.000Z', '2027-03-28T22:00:00.000Z', 7],
    ['a month in which clocks go back', '2026-09-30T22:00:00.000Z', '2026-10-31T23:00:00.000Z', 31],
    ['a month in which clocks go forward', '2027-02-28T23:00:00.000Z', '2027-03-31T22:00:00.000Z', 31],
  ])(
    '%s has all its days left at its beginning, one day fewer from each midnight on, and one day at its end',
    (_, from, to, days) => {
      const left = (now: number) => facts('en', { from, to }, now)[1];
      const begin = Date.parse(from);
      const end = Date.parse(to);
      expect([left(begin), left(begin + 24 * HOUR_MS - 1)]).toEqual([`${days} days left`, `${days} days left`]);
      expect(left(begin + 24 * HOUR_MS)).toBe(`${days - 1} days left`);
      expect([left(end - HOUR_MS), left(end - 1), left(end)]).toEqual(['1 day left', '1 day left', undefined]);
    },
  );
});
