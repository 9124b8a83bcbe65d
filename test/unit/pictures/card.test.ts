import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_XP } from '../../../src/core/ranking/curves.ts';
import { type CardOptions, InvalidInputError, type MemberCard, rankCard } from '../../../src/pictures/card.ts';
import { anyCard, anyOptions, CARD_LANGUAGES, PIXEL } from '../../support/random-card.ts';
import { randomRuns } from '../../support/variants.ts';

const CARD: MemberCard = {
  ...{ rank: 5, userId: '400000000000001136', username: 'Quiet Raven', level: 19, xp: 22_853, total: 400 },
  ...{ progress: { gained: 1858, needed: 2855 }, nextLevelXp: 23_850, dailyStreak: 24, hidden: null },
  above: { rank: 4, userId: '2', username: 'Ada Lovelace', level: 19, xp: 23_229 },
  below: { rank: 6, userId: '3', username: 'Ünal & Söhne', level: 18, xp: 22_455 },
};
const HIDDEN: MemberCard = { ...CARD, rank: null, above: null, below: null, hidden: ['left', 'self'] };
const OPTIONS: CardOptions = { theme: 'light', lang: 'en' };

const TAG = /<\/?(?:svg|title|rect|circle|path|g|text|tspan|clipPath|image)(?: [a-zA-Z0-9:-]+="[^"<>]*")*\/?>/g;

/** Returns the lines of text of a card, as a person reads them. */
const linesOf = (svg: string): string[] =>
  [...svg.matchAll(/<text [^>]*>(.*?)<\/text>/g)].map(([, line = '']) =>
    line
      .replace(TAG, '')
      .replace(/[\u2066-\u2069]/g, '')
      .replaceAll('&amp;', '&'),
  );

describe('the rank card', () => {
  it('a rank card has at most 15 kB for any member, is the same each time, and contains no name as markup', () => {
    fc.assert(
      fc.property(anyCard, anyOptions, (card, options) => {
        const svg = rankCard(card, options);
        expect(Buffer.byteLength(svg)).toBeLessThanOrEqual(15_000);
        expect(rankCard(card, options)).toBe(svg);
        const text = svg.replace(TAG, '');
        expect(text).not.toMatch(/[<>"']|&(?!(?:amp|lt|gt|quot|apos);)/);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML forbids.
        expect(svg).not.toMatch(/[\u0000-\u001f\ufffe\uffff]|\p{Cs}/u);
      }),
      { numRuns: randomRuns(300) },
    );
  });

  it('a rank card names the member, its rank, level, way, XP, streak and neighbours', () => {
    const svg = rankCard(CARD, OPTIONS);
    expect(linesOf(svg)).toEqual([
      'Q',
      'Quiet Raven',
      'Daily streak 24',
      'Rank 5 / 400',
      'Level 19',
      '997 XP to level 20',
      '22,853 XP',
      '4',
      'Ada Lovelace',
      '23,229 XP',
      '6',
      'Ünal & Söhne',
      '22,455 XP',
    ]);
    expect(svg).toContain('<title>Quiet Raven: Rank 5, Level 19, 22,853 XP</title>');
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="934" height="282" /);
  });

  it('the rank card of a hidden member shows no rank, and says that the member is hidden, and why', () => {
    const lines = linesOf(rankCard(HIDDEN, OPTIONS));
    expect(lines).toContain('Not in the ranking');
    expect(lines.at(-1)).toBe('Left the server, by own choice');
    expect(lines.join('\n')).not.toMatch(/Rank|400/);
    expect(linesOf(rankCard(HIDDEN, { ...OPTIONS, lang: 'de' }))).toContain('Nicht in der Rangliste');
  });

  it('a rank card has a full bar at the highest level, and no bar for an explicit level', () => {
    const barsOf = (svg: string) => [...svg.matchAll(/width="(\d+)" height="14"/g)].map(([, width]) => Number(width));
    const highest = rankCard({ ...CARD, progress: { gained: 70, needed: 0 }, nextLevelXp: null }, OPTIONS);
    expect(linesOf(highest)).toContain('Highest level');
    expect(barsOf(highest)).toEqual([662, 662]);
    expect(barsOf(rankCard({ ...CARD, progress: { gained: 25, needed: 100 } }, OPTIONS))).toEqual([662, 166]);
    expect(barsOf(rankCard({ ...CARD, progress: { gained: 0, needed: 100 } }, OPTIONS))).toEqual([662]);
    expect(barsOf(rankCard({ ...CARD, progress: null, nextLevelXp: null }, OPTIONS))).toEqual([]);
  });

  it.each([
    ['en', 'Rank 5 / 400', '22,853 XP'],
    ['de', 'Rang 5 / 400', '22.853 XP'],
    ['pt-BR', 'Posição 5 / 400', '22.853 XP'],
    ['ar-EG', 'المركز ٥ / ٤٠٠', '٢٢٬٨٥٣ XP'],
    ['ja', '5位 / 400', '22,853 XP'],
    ['nl', 'Rank 5 / 400', '22.853 XP'],
  ])('a rank card in the language %s says "%s" and "%s"', (lang, rank, xp) => {
    expect(linesOf(rankCard(CARD, { ...OPTIONS, lang }))).toEqual(expect.arrayContaining([rank, xp]));
  });

  it('a rank card has another text for each word in each language of the widget', () => {
    const own = CARD_LANGUAGES.slice(0, 7).map((lang) => {
      const cards = [CARD, HIDDEN, { ...CARD, progress: { gained: 0, needed: 0 } }];
      return cards.flatMap((card) =>
        linesOf(rankCard({ ...card, username: '1', above: null, below: null }, { ...OPTIONS, lang })),
      );
    });
    for (const texts of own) expect(texts.join('')).not.toMatch(/[{}/]{2}|undefined/);
    for (const at of own[0]?.keys() ?? []) {
      const said = own.map((texts) => texts[at] as string);
      if (/\p{L}{4}/u.test(said[0] as string)) expect(new Set(said).size, said[0]).toBeGreaterThan(4);
    }
  });

  it('a rank card shows the largest XP in few figures, as the widget does', () => {
    const lines = linesOf(rankCard({ ...CARD, xp: MAX_XP, level: MAX_XP, rank: MAX_XP }, OPTIONS));
    expect(lines).toEqual(expect.arrayContaining(['9007.2T XP', 'Level 9007.2T']));
  });

  it('a rank card cuts a long name between two characters, and keeps a short name whole', () => {
    const nameOf = (username: string) => linesOf(rankCard({ ...CARD, username, dailyStreak: 0 }, OPTIONS))[1] as string;
    expect(nameOf('W'.repeat(300))).toMatch(/^W{15,25}…$/);
    expect(nameOf('i'.repeat(300))).toMatch(/^i{40,70}…$/);
    expect(nameOf('数'.repeat(300))).toMatch(/^数{20,24}…$/);
    expect(nameOf('👩‍👩‍👧‍👦'.repeat(300))).toMatch(/^(?:👩‍👩‍👧‍👦){12,18}…$/u);
    expect(nameOf('A display name of 32 characters.')).toBe('A display name of 32 characters.');
  });

  it('a rank card shows a member without a visible name by its id, and drops direction marks from a name', () => {
    const shown = (username: string) => rankCard({ ...CARD, username }, OPTIONS);
    for (const username of ['', ' ', '\u3164', '\u202e\u2066', '\u0000'])
      expect(linesOf(shown(username))[1]).toBe(CARD.userId);
    expect(shown('a\u202eb\u2066c')).toContain('>abc<');
    // The isolate has the direction of the name, so the sentence around it keeps its own.
    expect(shown('محمد')).toContain('>\u2068محمد\u2069<');
  });

  it('a rank card in Arabic reads from right to left', () => {
    const places = (lang: string) => {
      const svg = rankCard(CARD, { ...OPTIONS, lang });
      return [/<circle cx="(\d+)"/.exec(svg)?.[1], /<rect x="(\d+)" y="152"/.exec(svg)?.[1]];
    };
    expect(places('en')).toEqual(['120', '232']);
    expect(places('ar')).toEqual(['814', '40']);
  });

  it('a rank card refers to its picture and to nothing else', () => {
    const referred = (avatar?: string) => {
      const svg = rankCard(CARD, { ...OPTIONS, ...(avatar && { avatar }) });
      return [...svg.matchAll(/(?:href="|url\()([^")]*)/g)].map(([, to]) => to);
    };
    expect(referred()).toEqual([]);
    expect(referred(PIXEL)).toEqual([PIXEL, '#guildrank-card-120']);
    expect(referred('https://a.example/x.png?a=1&b=2')).toEqual([
      'https://a.example/x.png?a=1&amp;b=2',
      '#guildrank-card-120',
    ]);
  });

  it.each<[string, object]>([
    ['theme must be light or dark, not "blue"', { theme: 'blue' }],
    ['theme must be light or dark, not undefined', { theme: undefined }],
    ['lang must be a language tag', { lang: 'x_y' }],
    ['lang must be a language tag', { lang: '' }],
    ['lang must be a language tag', { lang: undefined }],
    ['lang must be a language tag', { lang: `en-x-${'a'.repeat(40)}` }],
    ['accent must be a colour such as #4f46e5, not "red"', { accent: 'red' }],
    ['accent must be a colour', { accent: '#12345"' }],
    ['labels has no text colour: it can have rank, level', { labels: { colour: 'x' } }],
    ['The label rank must be a text of at most 60 characters', { labels: { rank: 'x'.repeat(61) } }],
    ['The label level must be a text', { labels: { level: 5 } }],
    ...[
      'javascript:alert(1)',
      'http://a.example/x.png',
      'https://a.example/"onload="x',
      "https://a.example/'",
      'https://a.example/<svg>',
      'https://a.example/a b.png',
      'https://',
      `https://a.example/${'a'.repeat(1000)}`,
      'data:text/html;base64,PHN2Zz4=',
      'data:image/svg+xml;base64,PHN2Zz4=',
      'data:image/png,raw',
      `${PIXEL}" onload="x`,
      '',
      7,
    ].map((avatar): [string, object] => ['avatar must be an https URL', { avatar }]),
  ])('a rank card is refused with "%s" for %j', (message, wrong) => {
    const draw = () => rankCard(CARD, { ...OPTIONS, ...wrong });
    expect(draw).toThrow(InvalidInputError);
    expect(draw).toThrow(message);
  });
});

it('null instead of a card, as of an unknown member, is refused with the cause', () => {
  expect(() => rankCard(null as never, { theme: 'dark', lang: 'en' })).toThrow('it returns null for an unknown member');
});
