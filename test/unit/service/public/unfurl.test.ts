import { expect, it } from 'vitest';
import type { PublicMember, PublicPage } from '../../../../src/core/reads/public-page.ts';
import { previewTags, type Site } from '../../../../src/service/public/unfurl.ts';
import { MEMBER, memberQuery, PAGE, PLAIN, pageQuery } from './fixtures.ts';

const SITE: Site = { url: 'https://ranks.example.com', hasPictures: true, frameAncestors: "'none'", now: () => 0 };
const named = (...names: string[]) => names.map((name, at) => ({ label: `${at + 1}.`, name }));
const PREVIEW = {
  title: 'The Den',
  siteName: 'Leaderboard',
  facts: '4 members',
  rows: named('Ann', 'Bob', 'Cid', 'Dee'),
  path: '',
};

/** Returns the description of a page whose first member has a name. */
function descriptionOf(name: string): string {
  const tags = previewTags(pageQuery(), PAGE, SITE, { ...PREVIEW, rows: named(name) });
  return String(tags[0]?.[2]);
}

it('the tags of a preview describe a page with its facts and first three members, for programs of each kind', () => {
  const description = '4 members · 1. Ann · 2. Bob · 3. Cid';
  const found = { ...PAGE, look: { ...PLAIN, accent: '#ffdd33', picture: 'https://x.example/icon.png' } };
  const tags = previewTags(pageQuery({ board: 'week', lang: 'de' }), found, SITE, PREVIEW);
  const picture = expect.stringMatching(
    /^https:\/\/ranks\.example\.com\/g\/guild\/top\.png\?board=week&v=[\w-]{10}&lang=de$/,
  );
  expect(tags).toEqual([
    ['name', 'description', description],
    ['property', 'og:type', 'website'],
    ['property', 'og:site_name', 'Leaderboard'],
    ['property', 'og:title', 'The Den'],
    ['property', 'og:description', description],
    ['property', 'og:url', 'https://ranks.example.com/g/guild?board=week&lang=de'],
    ['property', 'og:image', picture],
    ['property', 'og:image:type', 'image/png'],
    ['property', 'og:image:width', 1200],
    ['property', 'og:image:height', 630],
    ['property', 'og:image:alt', description],
    ['name', 'twitter:card', 'summary_large_image'],
    ['name', 'twitter:title', 'The Den'],
    ['name', 'twitter:description', description],
    ['name', 'twitter:image', picture],
    ['name', 'theme-color', '#ffdd33'],
  ]);
});

it('the tags of a preview name the address of a member, and the picture that the owner chose where none are drawn', () => {
  const picture = 'https://x.example/icon.png';
  const found = { ...MEMBER, look: { ...PLAIN, picture } };
  const preview = { title: 'Bob', siteName: 'The Den', facts: 'Rank 2 of 2', rows: [], path: '/m/bob' };
  const tags = previewTags(memberQuery(), found, { ...SITE, hasPictures: false }, preview);
  expect(tags).toEqual([
    ['name', 'description', 'Rank 2 of 2'],
    ['property', 'og:type', 'profile'],
    ['property', 'og:site_name', 'The Den'],
    ['property', 'og:title', 'Bob'],
    ['property', 'og:description', 'Rank 2 of 2'],
    ['property', 'og:url', 'https://ranks.example.com/g/guild/m/bob'],
    ['property', 'og:image', picture],
    ['name', 'twitter:card', 'summary'],
    ['name', 'twitter:title', 'Bob'],
    ['name', 'twitter:description', 'Rank 2 of 2'],
    ['name', 'twitter:image', picture],
  ]);
});

it('the tags of a preview have no address while nobody has set the address of the service', () => {
  const tags = previewTags(pageQuery(), PAGE, { ...SITE, url: '' }, PREVIEW);
  expect(tags.map(([, name]) => name)).toEqual([
    'description',
    'og:type',
    'og:site_name',
    'og:title',
    'og:description',
    'twitter:card',
    'twitter:title',
    'twitter:description',
  ]);
  expect(tags).toContainEqual(['name', 'twitter:card', 'summary']);
});

it('the tags of a preview cut names after 32 characters, as people see characters', () => {
  for (const character of ['a', '👍🏽', 'e\u0301']) {
    expect(descriptionOf(character.repeat(32))).toBe(`4 members · 1. ${character.repeat(32)}`);
    expect(descriptionOf(character.repeat(33))).toBe(`4 members · 1. ${character.repeat(32)}…`);
  }
  expect(descriptionOf('ب'.repeat(33))).toBe(`4 members · 1. \u2068${'ب'.repeat(32)}…\u2069`);
});

it('the tags of a preview name another picture after each change of revision, members, title and look', () => {
  const ofPage = (found: PublicPage) => String(previewTags(pageQuery(), found, SITE, PREVIEW)[6]?.[2]);
  const ofMember = (found: PublicMember) =>
    String(previewTags(memberQuery(), found, SITE, { ...PREVIEW, path: '/m/bob' })[6]?.[2]);
  const total = (n: number) => ({ page: { ...PAGE.page, total: n } });
  const changes = [
    {},
    { revision: '8' },
    { title: 'Den' },
    { look: { ...PLAIN, accent: '#ffdd33' } },
    { look: { ...PLAIN, accentDark: '#ffdd33' } },
  ];
  const pages = [...changes, total(3), { revision: '1', ...total(11) }, { revision: '11', ...total(1) }];
  const members = [...changes, { total: 3 }, { revision: '1', total: 11 }, { revision: '11', total: 1 }];
  expect(new Set(pages.map((change) => ofPage({ ...PAGE, ...change }))).size).toBe(pages.length);
  expect(new Set(members.map((change) => ofMember({ ...MEMBER, ...change }))).size).toBe(members.length);
  // The link to a member shows the card of the member.
  expect(ofMember(MEMBER)).toMatch(/^https:\/\/ranks\.example\.com\/g\/guild\/m\/bob\/card\.png\?v=[\w-]{10}$/);
});
