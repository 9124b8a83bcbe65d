import { RESERVED_SPACE } from '../../src/service/http/site/widget-file.ts';

/** The page of a guild of four million members, where ranks have seven digits, and XP and a name are as long as can be. */
export const MILLIONS = JSON.stringify({
  data: Array.from({ length: 10 }, (_, i) => ({
    rank: 1_234_561 + i,
    user_id: `m${i}`,
    username: i === 3 ? 'Wolfeschlegelsteinhausenbergerdorff' : `Member ${i}`,
    level: 175_291,
    xp: 9_007_199_254_740_991 - i,
  })),
  total: 4_000_000,
  page: 123_457,
});

/** The widths, and the layouts and directions, in which the widget must fit. */
export const WIDTHS = [180, 240, 320, 480, 640, 1200, 1600];
export const LAYOUTS = (['list', 'table'] as const).flatMap((layout) =>
  (['ltr', 'rtl'] as const).map((dir) => [layout, dir] as const),
);

/** What `MEASURE` returns, in pixels and numbers of elements. */
export interface Layout {
  /** Text of the first rank. */
  readonly first: string;
  /** Width of the document with all that sticks out. */
  readonly scroll: number;
  /** Parts of a row that overlap, and elements outside of the card. */
  readonly overlaps: number;
  /** Height of the line about the age of the data. */
  readonly status: number;
  /** Width of the narrowest name. */
  readonly narrowest: number;
  readonly card: number;
}

/** An expression for the first widget that measures its layout. */
export const MEASURE = `(() => {
  const box = (node) => node.getBoundingClientRect();
  const parts = (row) => [...row.querySelectorAll('.rank, .avatar, .name, .level, .xp, .track')]
    .filter((node) => node.checkVisibility() && node.offsetWidth > 0).map(box);
  const cut = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  const rows = all('[part=row]').filter((node) => node.checkVisibility());
  const outside = all('.card *').filter((node) => node.checkVisibility() && box(node).width > 1 && node.localName !== 'img'
    && (box(node).right > box(all('.card')[0]).right + 1 || box(node).left < box(all('.card')[0]).left - 1));
  return {
    first: all('.rank')[0].textContent,
    scroll: document.documentElement.scrollWidth,
    overlaps: rows.flatMap((row) => parts(row).flatMap((a, i, list) => list.slice(i + 1).filter((b) => cut(a, b)))).length + outside.length,
    status: box(all('.status')[0]).height,
    narrowest: Math.min(...all('li .name, th .name').map((node) => node.parentElement.getBoundingClientRect().width)),
    card: box(all('.card')[0]).width,
  };
})()`;

/** Widths, attributes, and the height that the guide names for them. The margins of the page are 8 pixels. */
export const RESERVED = [
  ...[196, 256, 280, 320, 479, 480, 800].map((width) => [width, '', '48.75em'] as const),
  [800, 'page-size="5"', 'calc(11.25em + 5 * 3.75em)'],
  [800, 'density="compact"', 'calc(11.25em + 10 * 2.75em)'],
  [320, 'layout="table"', 'calc(13.5em + 10 * 3.25em)'],
] as const;

/** Returns the style that the guide names, for another height. */
export const reservedSpace = (blockSize: string) => RESERVED_SPACE.replace(/<.*?>/g, '').replace('48.75em', blockSize);
