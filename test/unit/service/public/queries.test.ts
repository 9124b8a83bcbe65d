import { expect, it } from 'vitest';
import { Problem } from '../../../../src/service/http/response/problem.ts';
import {
  type Address,
  parseBadge,
  parseMember,
  parsePage,
  parsePicture,
} from '../../../../src/service/public/queries.ts';

const address = (query: Address['query'], params: Address['params'] = { guild_id: 'guild' }): Address => {
  return { params, query, lang: 'de' };
};
/** Returns the code and the detail of the problem that a call throws. */
const problemOf = (call: () => unknown) => {
  try {
    call();
  } catch (error) {
    if (error instanceof Problem) return [error.code, error.detail];
  }
  throw new Error('no problem was thrown');
};

it('an address without parameters shows the first 25 members of the ranking of all time, in the language of the visitor', () => {
  expect(parsePage(address({}))).toEqual({
    ...{ guildId: 'guild', board: undefined, lang: 'de', isLangGiven: false },
    ...{ page: 1, limit: 25, isDefaultLimit: true, isOverlay: false },
  });
  expect(parsePage(address({ page: '3', limit: '100', overlay: '1', lang: 'ja', board: 'month.prev' }))).toEqual({
    ...{ guildId: 'guild', board: 'month.prev', lang: 'ja', isLangGiven: true },
    ...{ page: 3, limit: 100, isDefaultLimit: false, isOverlay: true },
  });
  expect(parsePage(address({ overlay: '0' })).isOverlay).toBe(false);
});

it('each board has a page', () => {
  for (const board of ['week', 'week.prev', 'month', 'month.prev'])
    for (const parse of [parsePage, parsePicture, parseBadge])
      expect(parse(address({ board }))).toMatchObject({ board });
});

it('a wrong parameter is refused by name, with what it must be', () => {
  for (const [query, detail] of [
    [{ board: 'day' }, 'board must be week, week.prev, month or month.prev.'],
    [{ board: ['week', 'week'] }, 'board must be given once.'],
    [{ lang: 'xx' }, 'lang must be en, de, fr, es, pt, ar or ja.'],
    [{ overlay: 'yes' }, 'overlay must be 0 or 1.'],
    [{ overlay: ['0', '1'] }, 'overlay must be given once.'],
    [{ limit: '101' }, 'limit must be a whole number from 1 to 100, in digits, given once.'],
  ] as const)
    expect(problemOf(() => parsePage(address(query)))).toEqual(['invalid_request', detail]);
  const twice = address({ member: ['ann', 'bob'] });
  expect(problemOf(() => parseBadge(twice))).toEqual(['invalid_request', 'member must be given once.']);
});

it('a badge shows the guild, or the member that its address names', () => {
  expect(parseBadge(address({}))).not.toHaveProperty('userId');
  expect(parseBadge(address({ member: 'ann' }))).toMatchObject({ guildId: 'guild', userId: 'ann' });
});

it('an id that no guild or member can have gets no page, and is not looked up', () => {
  const noPage = ['not_found', 'There is no public page here, or no such member in this ranking.'];
  for (const id of ['a b', 'a:b', '{a}', '', 'a'.repeat(65), 'ä', undefined]) {
    expect(problemOf(() => parsePage(address({}, { guild_id: id })))).toEqual(noPage);
    expect(problemOf(() => parseMember(address({}, { guild_id: 'guild', user_id: id })))).toEqual(noPage);
    if (id !== undefined) expect(problemOf(() => parseBadge(address({ member: id })))).toEqual(noPage);
  }
  expect(parseMember(address({}, { guild_id: 'a'.repeat(64), user_id: 'A-_.9' })).userId).toBe('A-_.9');
});
