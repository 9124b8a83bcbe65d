import { expect, it } from 'vitest';
import { pageWordsOf } from '../../../../src/service/public/page-words.ts';
import { LANGUAGES, type Language } from '../../../../src/widget/translation.ts';

it('one thing and several things have the forms of the language', () => {
  const forms = (lang: Language) => [0, 1, 2, 1234].map((n) => pageWordsOf(lang).say('members', { n }));
  expect(forms('en')).toEqual(['0 members', '1 member', '2 members', '1,234 members']);
  expect(forms('de')).toEqual(['0 Mitglieder', '1 Mitglied', '2 Mitglieder', '1.234 Mitglieder']);
  // French has the form of one for zero too.
  expect(forms('fr')).toEqual(['0 membre', '1 membre', '2 membres', '1\u202f234 membres']);
  expect(forms('ja').slice(0, 2)).toEqual(['メンバー0人', 'メンバー1人']);
});

it('values stand where the language wants them', () => {
  expect(pageWordsOf('en').say('rankOf', { n: 2, m: 1000 })).toBe('2 of 1,000');
  expect(pageWordsOf('en').say('next', { xp: 1155, n: 2 })).toBe('1,155 XP to level 2');
  expect(pageWordsOf('ja').say('rankOf', { n: 2, m: 1000 })).toBe('1,000人中2位');
});

it('long numbers are written in few figures', () => {
  expect([999, 1540, 1_540_000].map(pageWordsOf('en').compact)).toEqual(['999', '1.5K', '1.5M']);
  expect(pageWordsOf('de').say('members', { n: 1_540_000 }, pageWordsOf('de').compact)).toBe(
    '1,5\u00a0Mio. Mitglieder',
  );
});

it('a line begins with a capital letter, and its other letters stay as they are', () => {
  const titles = (lang: Language) => [
    pageWordsOf(lang).title('rank', { n: 2 }),
    pageWordsOf(lang).title('average', { n: 2 }),
  ];
  expect(titles('en')).toEqual(['Rank 2', 'Avg. level 2']);
  expect(titles('de')).toEqual(['Rang 2', 'Ø Level 2']);
  expect(titles('es')).toEqual(['Puesto 2', 'Nivel medio 2']);
  expect(titles('ja')).toEqual(['2位', '平均レベル2']);
});

it('Arabic alone is written from right to left', () => {
  expect(LANGUAGES.filter((lang) => pageWordsOf(lang).isRtl)).toEqual(['ar']);
});
