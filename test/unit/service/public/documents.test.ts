import { describe, expect, it } from 'vitest';
import type { PublicPage } from '../../../../src/core/reads/public-page.ts';
import { renderMember, renderPage } from '../../../../src/service/public/documents.ts';
import { PAGE as FIRST, MEMBER, memberQuery, pageQuery, textOf } from './fixtures.ts';

const PAGE: PublicPage = {
  ...FIRST,
  page: {
    ...{ total: 3, page: 1 },
    data: [...FIRST.page.data, { rank: 3, user_id: 'cid', username: 'Cid', level: 0, xp: 7 }],
  },
  stats: { ...FIRST.stats, total_xp: 1_234_567n, average_level: 7 },
};
const SITE = { url: '', hasPictures: false, frameAncestors: "'none'", now: () => Date.parse('2026-11-27T12:00:00Z') };

/** Renders the page of an address such as `?page=2`. */
function page(search = '', found: PublicPage = PAGE) {
  return renderPage(pageQuery(Object.fromEntries(new URLSearchParams(search))), found, SITE);
}
const bob = () => renderMember(memberQuery(), MEMBER, SITE);

const pageAt = (number: number, total: number): PublicPage => ({
  ...PAGE,
  page: { ...PAGE.page, page: number, total },
});
const multiplied = (xp_multiplier: number): PublicPage => ({ ...PAGE, stats: { ...PAGE.stats, xp_multiplier } });
/** Returns what a pattern matches in the parts of a text, by its group. */
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, group]) => group);

describe('the page of a ranking', () => {
  it('the page of a ranking names the guild, and loads its style and script from the root of the service', () => {
    const html = textOf(page());
    expect(html).toContain('<title>The Den · Leaderboard</title>');
    expect(html).toContain('<link rel="stylesheet" href="../public/page.css">');
    expect(html).toContain('<script src="../public/live.js" defer></script>');
    expect(html).toContain('<form class="search" action="guild">');
    expect(textOf(page('lang=de'))).toContain('<title>The Den · Rangliste</title>');
  });

  it('the page of a ranking says how many members there are, their XP and their average level, which the page of a board leaves out', () => {
    expect(textOf(page())).toContain('<p class="stats">3 members · 1.2M XP · avg. level 7</p>');
    expect(textOf(page('board=week'))).toContain('<p class="stats">3 members · +1.2M XP gained</p>');
  });

  it('the page of a board says what the members have gained, between which days, and how many days are left', () => {
    const period = { from: '2026-11-22T23:00:00.000Z', to: '2026-11-29T23:00:00.000Z' };
    const html = textOf(page('board=week', { ...PAGE, period }));
    // Intl puts spaces of several widths around a dash.
    expect(html.replaceAll('\u2009', ' ')).toContain(
      '<p class="stats">3 members · +1.2M XP gained · Nov 23 – 29 · 3 days left</p>',
    );
    expect(all(html, /<span class="full">([^<]*)<\/span>/g)).toEqual(['+4,675', '+100', '+7']);
    expect(all(html, /<span class="unit">([^<]*)<\/span>/g)).toEqual(Array(3).fill(' XP gained'));
    const last = { from: '2026-09-30T22:00:00.000Z', to: '2026-10-31T23:00:00.000Z' };
    expect(textOf(page('board=month.prev&lang=de', { ...PAGE, period: last }))).toContain(
      '+1,2\u00a0Mio. XP gesammelt · 1.–31. Okt.</p>',
    );
  });

  it('the page of a ranking shows the XP multiplier of the guild unless it is 1, and the page of a board shows none', () => {
    const shown = '<p class="stats">3 members · 1.2M XP · avg. level 7 <span class="badge">1.5× XP</span></p>';
    expect(textOf(page('', multiplied(1.5)))).toContain(shown);
    expect(textOf(page())).not.toContain('class="badge"');
    expect(textOf(page('board=week', multiplied(1.5)))).not.toContain('class="badge"');
  });

  it('the first page of a ranking puts the first three members on a podium, and neither a further page nor an overlay does', () => {
    const places = (html: string) => all(html, /data-place="(\d)"/g);
    expect(places(textOf(page()))).toEqual(['1', '2', '3']);
    expect(places(textOf(page('page=2&limit=1', pageAt(2, 3))))).toEqual([]);
    expect(places(textOf(page('overlay=1')))).toEqual([]);
  });

  it('a page of a ranking links to the pages before and after it, and keeps the number of rows only where its own address has that number', () => {
    const links = (search: string, number: number, total: number) => {
      const html = textOf(page(search, pageAt(number, total)));
      const [pageOf] = all(
        html.replaceAll(/<input type="number"[^>]* value="(\d+)"[^>]*>/g, '$1'),
        /<label>(.*?)<\/label>/g,
      );
      return [pageOf, ...all(html, /rel="prev" href="(.*?)"/g), '|', ...all(html, /rel="next" href="(.*?)"/g)];
    };
    expect(links('', 1, 25)).toEqual([undefined, '|']);
    expect(links('', 1, 26)).toEqual(['Page 1 of 2', '|', 'guild?page=2']);
    expect(links('page=2', 2, 60)).toEqual(['Page 2 of 3', 'guild', '|', 'guild?page=3']);
    expect(links('page=3', 3, 60)).toEqual(['Page 3 of 3', 'guild?page=2', '|']);
    expect(links('page=2&limit=10&lang=en', 2, 30)).toEqual([
      'Page 2 of 3',
      'guild?limit=10&amp;lang=en',
      '|',
      'guild?page=3&amp;limit=10&amp;lang=en',
    ]);
    expect(links('', 1, 0)).toEqual([undefined, '|']);
  });

  it('a page of a ranking links to the first and the last page, and has a field for the number of a page', () => {
    const html = textOf(page('page=2&limit=10&board=week&lang=en', pageAt(2, 40)));
    expect(html).toContain('href="guild?board=week&amp;limit=10&amp;lang=en" aria-label="First page"');
    expect(html).toContain('href="guild?board=week&amp;page=4&amp;limit=10&amp;lang=en" aria-label="Last page"');
    const [form = ''] = all(html, /<form class="jump"(.*?)<\/form>/gs);
    expect(all(form, /name="(\w+)"/g)).toEqual(['board', 'limit', 'lang', 'page']);
    expect(form).toContain('min="1" max="4"');
  });

  it('the page around a member marks that member, and shows no podium', () => {
    const found = {
      ...PAGE,
      page: { data: PAGE.page.data.map((row) => ({ ...row, rank: row.rank + 30 })), total: 60, page: 2 },
    };
    const html = textOf(page('around=bob', found));
    expect(all(html, /is-wanted" id="wanted" data-id="(\w+)"/g)).toEqual(['bob']);
    expect(html).not.toContain('data-place');
    expect(html).toContain('rel="next" href="guild?page=3"');
  });

  it('the page of an empty ranking says that there is no XP, and nothing about averages', () => {
    const html = textOf(page('', { ...PAGE, page: { data: [], total: 0, page: 1 } }));
    expect(html).toContain('<p class="note">No XP.</p>');
    for (const left of ['avg. level', '<p class="stats">', '<nav class="pager"']) expect(html).not.toContain(left);
  });

  it('search engines may list a ranking unless the owner forbids it, an overlay never, and a member only if the owner allows it', () => {
    const isListed = ({ body }: { body: string }) => !body.includes('<meta name="robots" content="noindex">');
    const listed = (indexing: PublicPage['indexing']) => [
      isListed(page('', { ...PAGE, indexing })),
      isListed(page('overlay=1', { ...PAGE, indexing })),
      isListed(renderMember(memberQuery(), { ...MEMBER, indexing }, SITE)),
    ];
    expect(listed('leaderboard')).toEqual([true, false, false]);
    expect(listed('members')).toEqual([true, false, true]);
    expect(listed('none')).toEqual([false, false, false]);
  });

  it('a page past the end of a ranking leads to the last page', () => {
    expect(textOf(page('page=9', pageAt(9, 60)))).toContain('rel="prev" href="guild?page=3"');
    expect(textOf(page('page=99', pageAt(99, 60)))).not.toContain('99');
  });
});

describe('the page of a member', () => {
  it('the page of a member names the member and the guild, and loads its style and script from the root of the service', () => {
    const html = textOf(bob());
    expect(html).toContain('<html lang="en">');
    expect(html).toContain('<title>Bob · The Den</title>');
    expect(html).toContain('<link rel="stylesheet" href="../../../public/page.css">');
    expect(html).toContain('<script src="../../../public/live.js" defer></script>');
    expect(html).toContain('<form class="search" action="../../guild">');
  });
});

describe('every public page', () => {
  it('every public page is HTML in UTF-8 with a Content-Security-Policy', () => {
    for (const { headers } of [page(), bob()]) {
      expect(headers.lines).toContain('Content-Type: text/html; charset=utf-8\r\n');
      expect(headers.lines).toContain("Content-Security-Policy: default-src 'none'; script-src 'self'");
      expect(headers.lines).toContain("frame-ancestors 'none'\r\n");
    }
  });

  it('a public page tells an open copy of itself, by ten characters, when something other than the ranking has changed', () => {
    const [mark] = all(textOf(page()), /data-surroundings="(.*?)"/g);
    expect(mark).toMatch(/^[\w-]{10}$/);
    const marked = `data-surroundings="${mark}"`;
    const [first] = PAGE.page.data;
    if (!first) throw new Error('there is no row');
    const moved = { ...PAGE, page: { ...PAGE.page, data: [{ ...first, xp: 5000 }] } };
    expect(textOf(page('', moved))).toContain(marked);
    for (const change of [
      { title: 'Den' },
      { boards: ['week'] as const },
      { look: { ...PAGE.look, picture: 'https://x.example/a.png' } },
      { look: { ...PAGE.look, accent: '#112233' } },
    ])
      expect(textOf(page('', { ...PAGE, ...change }))).not.toContain(marked);
  });
});
