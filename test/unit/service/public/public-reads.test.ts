import { expect, it } from 'vitest';
import {
  badgeRead,
  type MakeRead,
  memberRead,
  pageRead,
  topRead,
} from '../../../../src/service/public/public-reads.ts';
import type { Language } from '../../../../src/widget/translation.ts';
import { MEMBER, MISSING, PAGE, textOf } from './fixtures.ts';

const SITE = { url: '', hasPictures: false, frameAncestors: "'none'", now: () => Date.parse('2026-11-27T12:00:00Z') };

/** Returns what an address needs, as the route of its form wants it. */
function wanted(path: string, accepted: Language = 'en') {
  const { pathname, searchParams } = new URL(path, 'http://x');
  const [, , guild_id, below, user_id] = pathname.split('/');
  const wants: Record<string, MakeRead> = { m: memberRead, 'badge.svg': badgeRead, 'top.png': topRead };
  const address = { params: { guild_id, user_id }, query: Object.fromEntries(searchParams), lang: accepted };
  return (wants[below ?? ''] ?? pageRead)(address, SITE);
}

it('two addresses that show different things share no cached answer', () => {
  const page = '/g/a';
  const member = '/g/a/m/b';
  const badge = '/g/a/badge.svg';
  const top = '/g/a/top.png';
  const paths = [
    page,
    '/g/aweek',
    `${page}?board=week`,
    `${page}?board=month`,
    `${page}?lang=en`,
    `${page}?lang=de`,
    `${page}?page=1&limit=12`,
    `${page}?page=11&limit=2`,
    `${page}?page=11`,
    `${page}?overlay=1`,
    member,
    '/g/aweek/m/b',
    `${member}?board=week`,
    `${member}?lang=en`,
    `${member}?lang=de`,
    '/g/a/m/c',
    badge,
    '/g/aweek/badge.svg',
    `${badge}?board=week`,
    `${badge}?lang=de`,
    `${badge}?member=b`,
    `${badge}?member=b&board=week`,
    `${badge}?member=b&lang=en`,
    `${badge}?member=c`,
    top,
    '/g/aweek/top.png',
    `${top}?board=week`,
    `${top}?lang=de`,
  ];
  const keys = paths.map((path) => wanted(path).cacheKey);
  expect(new Set(keys).size).toBe(paths.length);
  expect(paths.map((path) => wanted(path).cacheKey)).toEqual(keys);
  for (const path of [page, member]) expect(wanted(path, 'de').cacheKey).not.toBe(wanted(path).cacheKey);
});

it('addresses that show the same share a cached answer', () => {
  expect(wanted('/g/a?page=1&limit=25&overlay=0').cacheKey).toBe(wanted('/g/a').cacheKey);
  expect(wanted('/g/a/badge.svg?lang=en').cacheKey).toBe(wanted('/g/a/badge.svg').cacheKey);
  expect(wanted('/g/a/top.png?lang=en').cacheKey).toBe(wanted('/g/a/top.png').cacheKey);
});

it('a read renders what was found, nothing for a guild without pages, and a problem for a user that is not ranked', () => {
  for (const path of ['/g/guild', '/g/guild/badge.svg', '/g/guild/top.png']) {
    const { render } = wanted(path);
    expect(textOf(render(PAGE) ?? expect.fail())).toContain('The Den');
    expect(render(null)).toBeNull();
  }
  for (const path of ['/g/guild/m/bob', '/g/guild/badge.svg?member=bob']) {
    const { render } = wanted(path);
    expect(textOf(render(MEMBER) ?? expect.fail())).toContain('Bob');
    expect(render(null)).toBeNull();
    expect(() => render(MISSING)).toThrow(expect.objectContaining({ code: 'member_not_found' }));
  }
});
