import { expect, it } from 'vitest';
import {
  guildParams,
  memberParams,
  noQuery,
  pageQuery,
  parseAll,
} from '../../../../../src/service/http/api/schemas.ts';
import type { Problem } from '../../../../../src/service/http/response/problem.ts';

const page = (query: object) => parseAll(guildParams, pageQuery, { guild_id: 'g' }, query);

function errorsOf(run: () => unknown) {
  try {
    run();
  } catch (error) {
    return (error as Problem).extra.errors;
  }
  return undefined;
}

it('a page is the first of ten entries unless asked otherwise', () => {
  expect(page({})).toEqual({ guild_id: 'g', limit: 10, page: 1 });
  expect(page({ other: 'x' })).toEqual({ guild_id: 'g', limit: 10, page: 1 });
  expect(page({ limit: '1', page: '9007199254740991' })).toEqual({ guild_id: 'g', limit: 1, page: 9007199254740991 });
  expect(page({ limit: '0100', page: '0000000000000002' })).toMatchObject({ limit: 100, page: 2 });
});

it.each(['0', '101', '', 'x5', '5x', '+5', '-5', '5.0', ' 5', '00000000000000005', ['5', '5']])(
  'a limit of %j is refused with the rule, in one line',
  (limit) => {
    const detail = 'must be a whole number from 1 to 100, in digits, given once';
    expect(errorsOf(() => page({ limit }))).toEqual([{ parameter: 'limit', detail }]);
  },
);

it.each(['9007199254740992', '9999999999999999', '0'])('a page of %s is refused with the rule', (number) => {
  const detail = 'must be a whole number from 1 to 9007199254740991, in digits, given once';
  expect(errorsOf(() => page({ page: number }))).toEqual([{ parameter: 'page', detail }]);
});

it('every bad parameter of path and query is named together', () => {
  const detail = 'must be 1 to 64 of A-Z a-z 0-9 _ - .';
  expect(errorsOf(() => parseAll(memberParams, noQuery, { guild_id: '', user_id: 'a b' }, {}))).toEqual([
    { parameter: 'guild_id', detail },
    { parameter: 'user_id', detail },
  ]);
  const both = errorsOf(() => parseAll(guildParams, pageQuery, { guild_id: '{}' }, { limit: '0' }));
  expect(both?.map(({ parameter }) => parameter)).toEqual(['guild_id', 'limit']);
  expect(errorsOf(() => parseAll(guildParams, pageQuery, { guild_id: '{}' }, {}))).toHaveLength(1);
});

it.each(['a', 'A-Z_0.9', 'x'.repeat(64)])('%s is an id', (id) => {
  expect(parseAll(memberParams, noQuery, { guild_id: id, user_id: id }, {})).toEqual({ guild_id: id, user_id: id });
});
