import { expect, it } from 'vitest';
import {
  guildParams,
  guildStats,
  leaderboardPage,
  member,
  memberParams,
  noQuery,
  pageQuery,
  parseAll,
} from '../../../../src/http/api/schemas.ts';
import type { Problem } from '../../../../src/http/response/problem.ts';

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

const row = { rank: 1, user_id: 'u', username: 'U', level: 0, xp: 0 };
const person = { ...row, daily_streak: 0, last_daily_claim: null };
const stats = { total_members: 0, total_xp: 0, average_level: 0, xp_curve: 'standard', xp_multiplier: 0 };

it('answers with the smallest values fit the document', () => {
  expect(leaderboardPage.safeParse({ data: [row], total: 0, page: 1 }).success).toBe(true);
  expect(member.safeParse(person).success).toBe(true);
  expect(guildStats.safeParse(stats).success).toBe(true);
  expect(guildStats.safeParse({ ...stats, total_xp: 2 ** 60 }).success).toBe(true);
});

it.each([
  [leaderboardPage, { data: [{ ...row, rank: 0 }], total: 1, page: 1 }],
  [leaderboardPage, { data: [{ ...row, xp: 2 ** 53 }], total: 1, page: 1 }],
  [leaderboardPage, { data: [{ ...row, xp: -1 }], total: 1, page: 1 }],
  [leaderboardPage, { data: [{ ...row, level: -1 }], total: 1, page: 1 }],
  [leaderboardPage, { data: [], total: -1, page: 1 }],
  [leaderboardPage, { data: [], total: 0, page: 0 }],
  [leaderboardPage, { data: Array(101).fill(row), total: 101, page: 1 }],
  [member, { ...person, daily_streak: -1 }],
  [member, { ...person, last_daily_claim: 'yesterday' }],
  [guildStats, { ...stats, total_members: -1 }],
  [guildStats, { ...stats, total_xp: -1 }],
  [guildStats, { ...stats, average_level: 0.5 }],
  [guildStats, { ...stats, average_level: -1 }],
  [guildStats, { ...stats, xp_curve: 5 }],
  [guildStats, { ...stats, xp_multiplier: -1 }],
])('an answer outside its bounds does not fit the document (%#)', (schema, answer) => {
  expect(schema.safeParse(answer).success).toBe(false);
});
