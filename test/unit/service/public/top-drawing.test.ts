import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseCurve } from '../../../../src/core/ranking/curves.ts';
import type { LeaderboardEntry } from '../../../../src/core/ranking/model.ts';
import type { PublicPage } from '../../../../src/core/reads/public-page.ts';
import type { PageLook } from '../../../../src/core/settings/page-look.ts';
import { widthOf } from '../../../../src/pictures/text.ts';
import type { RankingQuery } from '../../../../src/service/public/queries.ts';
import { renderTop, TOP_ROWS, TOP_SIZE } from '../../../../src/service/public/top-drawing.ts';
import { LANGUAGES, type Language } from '../../../../src/widget/translation.ts';

const NO_LOOK: PageLook = { accent: '', accentDark: '', background: '', backgroundDark: '', picture: '' };

/** The member of a rank. Level n begins at 100 n XP, and the levels of those with an odd rank were set. */
function memberAt(rank: number): LeaderboardEntry {
  const xp = 100_000 - 30 * rank;
  const level = Math.floor(xp / 100) + (rank % 2);
  return { rank, user_id: `id${rank}`, username: `Member ${rank}`, level, xp };
}

const members = (count: number, change: Partial<LeaderboardEntry> = {}) =>
  Array.from({ length: count }, (_, at) => ({ ...memberAt(at + 1), ...change }));

function drawn(
  data: readonly LeaderboardEntry[],
  change: Partial<Pick<PublicPage, 'title'> & Pick<RankingQuery, 'lang' | 'board'> & PageLook> = {},
) {
  const { title = 'The Den', lang = 'en', board, ...look } = change;
  const stats = { total_members: 6, total_xp: 1_234_567n, average_level: 9, xp_curve: 'custom', xp_multiplier: 1 };
  return renderTop({ guildId: 'guild', board, lang, isLangGiven: false }, {
    ...{
      revision: '1',
      title,
      boards: [],
      period: null,
      look: { ...NO_LOOK, ...look },
      about: { name: null, icon: null },
      avatars: new Map(),
    },
    ...{ curve: parseCurve('custom=0,0,100,0,1,1'), stats, page: { data, total: data.length, page: 1 } },
  } as unknown as PublicPage);
}

const svgOf = (...call: Parameters<typeof drawn>) => Buffer.from(drawn(...call).body, 'latin1').toString();

/** Returns the elements of a name with their attributes and text, in their order. */
function elements(svg: string, name: string): Readonly<Record<string, string>>[] {
  return [...svg.matchAll(new RegExp(`<${name} ([^>]*?)/?>([^<]*)`, 'g'))].map(([, attributes = '', content = '']) => ({
    ...Object.fromEntries([...attributes.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key, value]) => [key, value])),
    content,
  }));
}

const textsOf = (svg: string) => elements(svg, 'text').map(({ content = '' }) => content);

/** Returns the places of what a picture shows: from left to right, and the height where it stands. */
function placesOf(svg: string) {
  const texts = elements(svg, 'text').map(
    ({ x, y, content = '', 'font-size': size, 'text-anchor': anchor = 'start' }) => {
      const width = widthOf(content.replace(/[\u2066-\u2069]/g, '').replace(/&\w+;/g, '&'), Number(size));
      const left = Number(x) - width * { start: 0, middle: 0.5, end: 1 }[anchor as 'start'];
      return { left, right: left + width, y: Number(y) };
    },
  );
  const bars = elements(svg, 'rect').map(({ x = 0, y = 0, width }) => ({
    left: Number(x),
    right: Number(x) + Number(width),
    y: Number(y),
  }));
  const circles = elements(svg, 'circle').map(({ cx, cy, r }) => ({
    left: Number(cx) - Number(r),
    right: Number(cx) + Number(r),
    y: Number(cy),
  }));
  return { texts, bars, circles };
}

describe('the picture of the first members', () => {
  it('the picture of four members is the recorded picture, with medals, bars and lines between them', () => {
    const recorded = readFileSync(new URL('top-drawing.svg.txt', import.meta.url), 'utf8');
    expect(`${svgOf(members(4), { title: 'Den & Co' }).replaceAll('><', '>\n<')}\n`).toBe(recorded);
    expect(drawn(members(4)).headers.list).toContain('image/svg+xml; charset=utf-8');
  });

  it('the picture shows five members at most, and says how many there are', () => {
    const texts = textsOf(svgOf(members(7)));
    expect(texts.filter((text) => text.startsWith('Member '))).toEqual([1, 2, 3, 4, 5].map((rank) => `Member ${rank}`));
    expect(texts[1]).toBe('Leaderboard · 7 members · 1.2M XP');
  });

  it('the picture says that nobody has XP only where nobody has any', () => {
    const svg = svgOf([]);
    expect(textsOf(svg)).toEqual(['The Den', 'Leaderboard · 0 members · 1.2M XP', 'No XP.']);
    expect(elements(svg, 'text')[2]).toMatchObject({ x: '84', y: '330', 'font-size': '32', fill: '#9aa3af' });
    expect(textsOf(svgOf([], { lang: 'de' }))[2]).toBe('Keine XP.');
    expect(svgOf(members(1))).not.toContain('No XP.');
  });

  it('the picture shows the id of a guild without a title, and of a member without a name', () => {
    const texts = textsOf(svgOf(members(1, { username: '\u3164' }), { title: '' }));
    expect([texts[0], texts[3], texts[4]]).toEqual(['guild', 'I', 'id1']);
  });

  it('the picture of a board names the board, and has no bars, because levels have other XP', () => {
    const svg = svgOf(members(2), { board: 'week' });
    expect(textsOf(svg)[1]).toBe('This week · 2 members · +1.2M XP gained');
    // The ground and the card.
    expect(elements(svg, 'rect').length).toBe(2);
    expect(elements(svgOf(members(2)), 'rect').length).toBe(4);
  });

  it('the picture has the dark colours that the owner chose', () => {
    const grounds = (look: Partial<PageLook>) => elements(svgOf(members(2), look), 'rect').map(({ fill }) => fill);
    expect(grounds({})).toEqual(['#0b0c0f', '#14171d', '#26292f', '#aab0fb']);
    expect(grounds({ backgroundDark: '#123456', accentDark: '#00ff88', background: '#ffffff' })).toEqual([
      '#123456',
      '#14171d',
      '#26292f',
      '#00ff88',
    ]);
  });

  it('the picture shows titles and names as text, whatever they contain', () => {
    const svg = svgOf(members(1, { username: '<b>"&\u202eAnn' }), { title: '</text><script>' });
    const texts = textsOf(svg);
    expect([texts[0], texts[4]]).toEqual(['&lt;/text&gt;&lt;script&gt;', '&lt;b&gt;&quot;&amp;Ann']);
    expect(svg).not.toMatch(/<script|\u202e/);
  });

  it('the picture cuts a long name, a long title and a long level where their place ends', () => {
    const svg = svgOf(members(1, { username: 'Wanda '.repeat(40), level: 1e12 }), { title: 'Guild '.repeat(40) });
    const texts = textsOf(svg);
    expect(texts[0]).toMatch(/^(Guild )+(G|Gu|Gui|Guil|Guild)…$/);
    expect(texts[4]).toMatch(/^(Wanda )+(W|Wa|Wan|Wand|Wanda)…$/);
    expect(texts[5]).toMatch(/^Level 1,000,[0,]*…$/);
    const { texts: places } = placesOf(svg);
    expect(places[0]?.right).toBeLessThanOrEqual(1116);
    expect(places[4]?.right).toBeLessThanOrEqual(676);
    expect(places[4]?.right).toBeGreaterThan(640);
    expect(places[5]?.left).toBeGreaterThanOrEqual(676);
  });

  it('the picture shows all figures of the XP where they fit, and few where they do not', () => {
    const shown = (xp: number, lang: Language = 'en') => textsOf(svgOf(members(1, { xp }), { lang })).at(-1);
    expect(shown(9_999_999)).toBe('9,999,999 XP');
    expect(shown(123_456_789)).toBe('123.5M XP');
    expect(shown(Number.MAX_SAFE_INTEGER)).toBe('9007.2T XP');
    expect(shown(123_456_789, 'de')).toBe('123,5\u00a0Mio. XP');
  });

  it('in each language, the picture keeps everything inside its card, and its rows one below the other', () => {
    for (const lang of LANGUAGES) {
      for (const username of ['W'.repeat(60), '漢'.repeat(60), '😀'.repeat(60), 'i', 'بوب']) {
        const data = members(TOP_ROWS, { username, xp: Number.MAX_SAFE_INTEGER, level: 123_456 });
        const { texts, bars, circles } = placesOf(svgOf(data, { lang, title: username }));
        for (const { left, right, y } of [...texts, ...circles, ...bars.slice(1)]) {
          expect(left).toBeGreaterThanOrEqual(40);
          expect(right).toBeLessThanOrEqual(TOP_SIZE.width - 40);
          expect(y).toBeGreaterThanOrEqual(40);
          expect(y).toBeLessThan(TOP_SIZE.height - 60);
        }
        const ys = circles.map(({ y }) => y).filter((y, at, all) => y !== all[at - 1]);
        expect(ys).toEqual([236, 310, 384, 458, 532]);
      }
    }
  });

  it('in the picture, no name and no level touches what stands beside it', () => {
    for (const lang of LANGUAGES.filter((lang) => lang !== 'ar')) {
      const data = members(1, { username: 'W'.repeat(60), xp: 9_999_999, level: 999_999 });
      const { texts } = placesOf(svgOf(data, { lang }));
      const order = texts.slice(2).flatMap(({ left, right }) => [left, right]);
      expect(order.length).toBe(10);
      expect(order).toEqual(order.toSorted((a, b) => a - b));
    }
  });
});

describe('the picture for a language from right to left', () => {
  const both = () => [svgOf(members(4)), svgOf(members(4), { lang: 'ar' })] as const;

  it('the picture in Arabic is mirrored: each text, circle and bar begins at the other side', () => {
    const [english, arabic] = both();
    const mirrored = { start: 'end', middle: 'middle', end: 'start' };
    const anchors = (svg: string) =>
      elements(svg, 'text').map(({ x, y, 'text-anchor': anchor = 'start' }) => [Number(x), y, anchor]);
    expect(anchors(arabic)).toEqual(
      anchors(english).map(([x, y, anchor]) => [1200 - Number(x), y, mirrored[anchor as 'start']]),
    );
    const of = placesOf(english);
    const ofArabic = placesOf(arabic);
    for (const kind of ['bars', 'circles'] as const)
      expect(ofArabic[kind]).toEqual(
        of[kind].map(({ left, right, y }) => ({ left: 1200 - right, right: 1200 - left, y })),
      );
  });

  it('the picture in Arabic has its lines from right to left, and each name in its own direction', () => {
    const [english, arabic] = both();
    const texts = textsOf(arabic);
    expect(texts[1]).toMatch(/^\u2067لوحة الصدارة · الأعضاء: .* XP\u2069$/);
    expect(texts[6]).toMatch(/^\u2067.* XP\u2069$/);
    expect([texts[0], texts[4]]).toEqual(['The Den', 'Member 1']);
    expect(textsOf(svgOf(members(1, { username: 'بوب' })))[4]).toBe('\u2068بوب\u2069');
    expect(english).not.toMatch(/[\u2066-\u2069]/);
  });
});
