import { z } from 'zod';
import { CURVE_NAMES, MAX_XP } from '../leaderboard/curves.ts';
import { DEFAULT_PAGE_SIZE, ID_PATTERN, MAX_PAGE_SIZE } from '../leaderboard/model.ts';
import { invalidRequest } from './problem.ts';

/** The shapes of requests and answers: what validates requests here also makes the OpenAPI document. */

const ID_RULE = 'must be 1 to 64 of A-Z a-z 0-9 _ - .';

const id = z.string().regex(ID_PATTERN, ID_RULE);

/** Decimal digits, given once, within the range; nothing else, and never clamped. */
function count(min: number, max: number, fallback: number) {
  const rule = `must be a whole number from ${min} to ${max}, in digits, given once`;
  return z
    .string({ error: rule })
    .regex(/^\d{1,16}$/, rule)
    .transform(Number)
    .pipe(z.number().int(rule).min(min, rule).max(max, rule))
    .default(fallback);
}

export const guildParams = z.object({ guild_id: id });
export const memberParams = z.object({ guild_id: id, user_id: id });
export const noQuery = z.object({});
export const pageQuery = z.object({
  limit: count(1, MAX_PAGE_SIZE, DEFAULT_PAGE_SIZE),
  page: count(1, MAX_XP, 1),
});

const xp = z.int().min(0).max(MAX_XP).describe('Total XP');
const level = z.int().min(0).describe('Level');
const rank = z.int().min(1).describe('Position on the leaderboard, 1 for the highest XP');
const username = z.string().describe('Display name; the user id when none is stored');

export const leaderboardEntry = z.object({ rank, user_id: id, username, level, xp });

export const leaderboardPage = z.object({
  data: z
    .array(leaderboardEntry)
    .max(MAX_PAGE_SIZE)
    .describe('Entries of the page: XP descending, then user id descending'),
  total: z.int().min(0).describe('Members in the ranking'),
  page: z.int().min(1).describe('Page number'),
});

export const member = z.object({
  user_id: id,
  username,
  level,
  xp,
  rank,
  daily_streak: z.int().min(0).describe('Current streak of daily claims'),
  last_daily_claim: z.iso.datetime().nullable().describe('Last daily claim in UTC; null when there was none'),
});

export const guildStats = z.object({
  total_members: z.int().min(0).describe('Members with XP above 0'),
  total_xp: z.number().min(0).multipleOf(1).describe('Total XP; exact digits, also beyond 2^53'),
  average_level: z.int().min(0).describe('Average level of the members with XP above 0, rounded'),
  xp_curve: z.enum(CURVE_NAMES).describe('Level curve of the server'),
  xp_multiplier: z.number().min(0).describe('XP multiplier of the server'),
});

/**
 * Checks path parameters and query together.
 * @throws Problem invalid_request naming every bad parameter and its rule.
 */
export function parseAll<P, Q>(params: z.ZodType<P>, query: z.ZodType<Q>, path: unknown, queryInput: unknown): P & Q {
  const parts = [params.safeParse(path), query.safeParse(queryInput)] as const;
  const [p, q] = parts;
  if (p.success && q.success) return { ...p.data, ...q.data };
  // One line a parameter: a value can break several rules of its schema at once.
  const details = new Map(
    parts.flatMap((part) => part.error?.issues ?? []).map(({ path: at, message }) => [at.join('.'), message]),
  );
  throw invalidRequest([...details].map(([parameter, detail]) => ({ parameter, detail })));
}
