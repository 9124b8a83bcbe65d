import * as z from 'zod';
import { MAX_XP } from '../../../core/ranking/curves.ts';
import { DEFAULT_PAGE_SIZE, ID_PATTERN, MAX_PAGE_SIZE, RANKING_ID_PATTERN } from '../../../core/ranking/model.ts';
import { invalidRequest } from '../response/problem.ts';

/** The schemas of requests. They validate requests and make the OpenAPI document. */

const ID_RULE = 'must be 1 to 64 of A-Z a-z 0-9 _ - .';

export const id = z.string().regex(ID_PATTERN, ID_RULE);
const BOARD_RULE = `${ID_RULE} then ~week, ~week.prev, ~month or ~month.prev for a board`;
const guildId = z
  .string()
  .regex(RANKING_ID_PATTERN, { error: ({ input }) => (String(input).includes('~') ? BOARD_RULE : ID_RULE) })
  .meta({
    description:
      'Server id, always a string. With `~week`, `~week.prev`, `~month` or `~month.prev` it is a board of the server',
    examples: ['81384788765712384'],
  });
export const userId = id.meta({ description: 'Member id, always a string', examples: ['159985870458322944'] });

/** Accepts decimal digits, given once, within the range. Never clamps a value. */
export function countParameter(min: number, max: number, fallback: number) {
  const rule = `must be a whole number from ${min} to ${max}, in digits, given once`;
  return z
    .string({ error: rule })
    .regex(/^\d{1,16}$/, rule)
    .transform(Number)
    .pipe(z.number().int(rule).min(min, rule).max(max, rule))
    .default(fallback);
}

export const guildParams = z.object({ guild_id: guildId });
export const memberParams = z.object({ guild_id: guildId, user_id: userId });
export const noQuery = z.object({});
export const pageQuery = z.object({
  limit: countParameter(1, MAX_PAGE_SIZE, DEFAULT_PAGE_SIZE).describe(
    'Entries a page. A value out of range is 400, never clamped',
  ),
  page: countParameter(1, MAX_XP, 1).describe('Page number. A page past the end is empty, with the true total'),
});

/**
 * Checks path parameters and query together.
 * @throws Problem invalid_request naming every bad parameter and its rule.
 */
export function parseAll<P, Q>(params: z.ZodType<P>, query: z.ZodType<Q>, path: unknown, queryInput: unknown): P & Q {
  const parts = [params.safeParse(path), query.safeParse(queryInput)] as const;
  const [p, q] = parts;
  // Not spread: V8 gives each spread copy a shape of its own (docs/adr/0011).
  if (p.success && q.success) return Object.assign({}, p.data, q.data);
  // One detail a parameter: a value can break several rules of its schema at once.
  const details = new Map(
    parts.flatMap((part) => part.error?.issues ?? []).map(({ path: at, message }) => [at.join('.'), message]),
  );
  throw invalidRequest([...details].map(([parameter, detail]) => ({ parameter, detail })));
}
