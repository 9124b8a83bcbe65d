import { expect, it } from 'vitest';
import { acceptedLanguage, languageOf } from '../../../../src/service/public/languages.ts';
import { requestOf } from './requests.ts';

const accepting = (header?: string) => requestOf('/g/guild', {}, { 'accept-language': header });

it('a page has the language that the visitor likes best, or English', () => {
  expect(acceptedLanguage(accepting('it, de-AT;q=0.8, en;q=0.5'))).toBe('de');
  for (const header of [undefined, '', 'it', '*']) expect(acceptedLanguage(accepting(header))).toBe('en');
});

it('a page is in English for an Accept-Language of more than 200 characters, which no browser sends', () => {
  const header = `fr${' '.repeat(198)}`;
  expect(acceptedLanguage(accepting(header))).toBe('fr');
  expect(acceptedLanguage(accepting(`${header} `))).toBe('en');
});

it('a page has the language that its address names once, if there are pages in that language', () => {
  const headers = { 'accept-language': 'de' };
  expect(languageOf(requestOf('/g/guild', { lang: 'ja' }, headers))).toBe('ja');
  for (const query of [{}, { lang: 'xx' }, { lang: '' }, { lang: ['ja', 'ja'] }])
    expect(languageOf(requestOf('/g/guild', query, headers))).toBe('de');
});
