import { expect, it } from 'vitest';
import { guildStatsSchema, leaderboardPageSchema, memberSchema } from '../../../../../scripts/openapi/schemas.ts';

const row = { rank: 1, user_id: 'u', username: 'U', level: 0, xp: 0 };
const person = { ...row, daily_streak: 0, last_daily_claim: null };
const stats = { total_members: 0, total_xp: 0, average_level: 0, xp_curve: 'standard', xp_multiplier: 0 };

it('responses with the smallest values fit the document', () => {
  expect(leaderboardPageSchema.safeParse({ data: [row], total: 0, page: 1 }).success).toBe(true);
  expect(memberSchema.safeParse(person).success).toBe(true);
  expect(guildStatsSchema.safeParse(stats).success).toBe(true);
  expect(guildStatsSchema.safeParse({ ...stats, total_xp: 2 ** 60 }).success).toBe(true);
});

it.each([
  [leaderboardPageSchema, { data: [{ ...row, rank: 0 }], total: 1, page: 1 }],
  [leaderboardPageSchema, { data: [{ ...row, xp: 2 ** 53 }], total: 1, page: 1 }],
  [leaderboardPageSchema, { data: [{ ...row, xp: -1 }], total: 1, page: 1 }],
  [leaderboardPageSchema, { data: [{ ...row, level: -1 }], total: 1, page: 1 }],
  [leaderboardPageSchema, { data: [], total: -1, page: 1 }],
  [leaderboardPageSchema, { data: [], total: 0, page: 0 }],
  [leaderboardPageSchema, { data: Array(101).fill(row), total: 101, page: 1 }],
  [memberSchema, { ...person, daily_streak: -1 }],
  [memberSchema, { ...person, last_daily_claim: 'yesterday' }],
  [guildStatsSchema, { ...stats, total_members: -1 }],
  [guildStatsSchema, { ...stats, total_xp: -1 }],
  [guildStatsSchema, { ...stats, average_level: 0.5 }],
  [guildStatsSchema, { ...stats, average_level: -1 }],
  [guildStatsSchema, { ...stats, xp_curve: 5 }],
  [guildStatsSchema, { ...stats, xp_multiplier: -1 }],
])('a response outside its bounds does not fit the document (case %#)', (schema, answer) => {
  expect(schema.safeParse(answer).success).toBe(false);
});
