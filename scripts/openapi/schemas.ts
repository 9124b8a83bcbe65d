import * as z from 'zod';
import { CURVE_NAMES, MAX_XP } from '../../src/core/ranking/curves.ts';
import { MAX_PAGE_SIZE } from '../../src/core/ranking/model.ts';
import { userId } from '../../src/service/http/api/schemas.ts';
import { PROBLEMS, type ProblemCode } from '../../src/service/http/response/problem.ts';

/** The schemas of answers. */

/**
 * Creates the schema of a text with known values in an answer. It accepts other texts too, because a client must accept the
 * values of later versions.
 */
const openEnum = (values: readonly [string, ...string[]]) => z.union([z.enum(values), z.string()]);

const xp = z
  .int()
  .min(0)
  .max(MAX_XP)
  .meta({ description: 'Total XP', examples: [4675] });
const level = z
  .int()
  .min(0)
  .meta({ description: 'Level', examples: [10] });
const rank = z
  .int()
  .min(1)
  .meta({ description: 'Position on the leaderboard, 1 for the highest XP', examples: [1] });
const username = z.string().meta({ description: 'Display name; the user id when none is stored', examples: ['Ada'] });

export const leaderboardEntrySchema = z
  .object({ rank, user_id: userId, username, level, xp })
  .describe('One row of the leaderboard');

export const leaderboardPageSchema = z
  .object({
    data: z
      .array(leaderboardEntrySchema)
      .max(MAX_PAGE_SIZE)
      .describe('Entries of the page: XP descending, then user id descending in byte order'),
    total: z
      .int()
      .min(0)
      .meta({ description: 'Members in the ranking', examples: [3] }),
    page: z
      .int()
      .min(1)
      .meta({ description: 'Page number that was returned', examples: [1] }),
  })
  .describe('One page of the leaderboard; rows, ranks and total are of one moment');

export const memberSchema = z
  .object({
    user_id: userId,
    username,
    level,
    xp,
    rank: rank.meta({
      description: 'Rank on the leaderboard; always the rank that its row there shows',
      examples: [1],
    }),
    daily_streak: z
      .int()
      .min(0)
      .meta({ description: 'Current streak of daily claims, in days', examples: [5] }),
    last_daily_claim: z.iso
      .datetime()
      .nullable()
      .meta({
        description: 'Last daily claim in UTC; null when the member has never claimed',
        examples: ['2026-01-14T08:30:00.000Z'],
      }),
  })
  .describe('One member');

export const guildStatsSchema = z
  .object({
    total_members: z
      .int()
      .min(0)
      .meta({ description: 'Members with XP above 0', examples: [3] }),
    // Not z.int(), which has an upper bound: the sum of many members' XP can pass 2^53.
    total_xp: z
      .number()
      .min(0)
      .meta({ type: 'integer', description: 'Total XP; exact digits, also beyond 2^53, to 2^63-1', examples: [5185] }),
    average_level: z
      .int()
      .min(0)
      .meta({ description: 'Average level of the members with XP above 0, rounded to the nearest', examples: [5] }),
    xp_curve: openEnum([...CURVE_NAMES, 'custom']).meta({
      description: 'Level curve of the server; custom = a curve of its own. Later versions may add curves',
      examples: ['standard'],
    }),
    xp_multiplier: z
      .number()
      .min(0)
      .meta({ description: 'XP multiplier of the server', examples: [1.5] }),
  })
  .describe('Aggregate statistics of a server');

export const problemSchema = z
  .object({
    type: z
      .string()
      .meta({ format: 'uri', description: 'Names the kind of problem; an identifier, not a page to open' }),
    title: z.string().describe('The status in words'),
    status: z.int().min(400).max(599).describe('The HTTP status'),
    detail: z.string().describe('What is wrong with this request, for a person'),
    code: openEnum(Object.keys(PROBLEMS) as [ProblemCode]).describe(
      'What is wrong, for a program. Later versions may add codes: treat an unknown code by its status',
    ),
    request_id: z.string().describe('Names this request in the logs of the service; also in X-Request-Id'),
    errors: z
      .array(
        z.object({
          parameter: z.string().describe('Name of the parameter'),
          detail: z.string().describe('The rule that it breaks'),
        }),
      )
      .optional()
      .describe('Every bad parameter; with invalid_request only'),
  })
  .describe('Why a request was not answered: RFC 9457');
