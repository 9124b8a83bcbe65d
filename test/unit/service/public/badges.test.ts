import { expect, it } from 'vitest';
import { renderGuildBadge, renderMemberBadge } from '../../../../src/service/public/badges.ts';
import { MEMBER, memberQuery, PAGE, pageQuery, textOf } from './fixtures.ts';

/** Returns the label of the badge of a guild with a title. */
function labelOf(title: string): string | undefined {
  const svg = textOf(renderGuildBadge(pageQuery(), { ...PAGE, page: { ...PAGE.page, data: [] }, title }));
  return /<title>(.*): 2 members<\/title>/.exec(svg)?.[1];
}

it('a badge has two fields beside each other, each as wide as its text', () => {
  const badge = renderMemberBadge(memberQuery(), MEMBER);
  expect(badge.headers.lines).toContain('Content-Type: image/svg+xml; charset=utf-8');
  expect(textOf(badge).trim()).toBe(
    [
      '<svg xmlns="http://www.w3.org/2000/svg" width="137" height="20" role="img" aria-label="Bob: rank 2 · level 1">',
      '<title>Bob: rank 2 · level 1</title>',
      '<clipPath id="c"><rect width="137" height="20" rx="4"/></clipPath>',
      '<g clip-path="url(#c)"><rect width="34" height="20" fill="#3b4252"/>',
      '<rect x="34" width="103" height="20" fill="#4f46e5"/></g>',
      '<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">',
      '<text x="17" y="14">Bob</text>',
      '<text x="85.5" y="14">rank 2 · level 1</text></g></svg>',
    ].join(''),
  );
});

it('the badge of a guild says how many members it has, and who is the first', () => {
  expect(textOf(renderGuildBadge(pageQuery(), PAGE))).toContain('<title>The Den: 2 members · 1. Ann</title>');
  const many = { ...PAGE, page: { data: [], total: 1_540_000, page: 1 } };
  expect(textOf(renderGuildBadge(pageQuery(), many))).toContain('<title>The Den: 1.5M members</title>');
  expect(textOf(renderGuildBadge(pageQuery({}, 'de'), PAGE))).toContain(
    '<title>The Den: 2 Mitglieder · 1. Ann</title>',
  );
});

it('a badge cuts a text after 24 characters, or before it has more than 60 UTF-16 units', () => {
  const flag = '🇩🇪';
  const family = '👩‍👩‍👧';
  expect([flag.length, family.length]).toEqual([4, 8]);
  for (const [character, fitting] of [
    ['W', 24],
    [flag, 15],
    [family, 7],
  ] as const) {
    expect(labelOf(character.repeat(fitting))).toBe(character.repeat(fitting));
    expect(labelOf(character.repeat(fitting + 1))).toBe(`${character.repeat(fitting)}…`);
  }
});

it('a badge cuts a long name of the first member too', () => {
  const [first] = PAGE.page.data;
  const data = first ? [{ ...first, username: 'W'.repeat(25) }] : [];
  const svg = textOf(renderGuildBadge(pageQuery(), { ...PAGE, page: { ...PAGE.page, data } }));
  expect(svg).toContain(`<title>The Den: 2 members · 1. ${'W'.repeat(24)}…</title>`);
});
