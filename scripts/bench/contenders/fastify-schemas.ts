/** JSON schemas of Fastify's validators and serialisers. */

const integer = { type: 'integer' } as const;
const text = { type: 'string' } as const;

export const pageQuery = {
  type: 'object',
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
    page: { type: 'integer', minimum: 1, default: 1 },
  },
} as const;

export const pageSchema = {
  type: 'object',
  properties: {
    data: {
      type: 'array',
      items: {
        type: 'object',
        properties: { rank: integer, user_id: text, username: text, level: integer, xp: integer },
      },
    },
    total: integer,
    page: integer,
  },
} as const;

export const memberSchema = {
  type: 'object',
  properties: {
    user_id: text,
    username: text,
    level: integer,
    xp: integer,
    rank: integer,
    daily_streak: integer,
    last_daily_claim: { type: ['string', 'null'] },
  },
} as const;

export const statsSchema = {
  type: 'object',
  properties: {
    total_members: integer,
    total_xp: integer,
    average_level: integer,
    xp_curve: text,
    xp_multiplier: { type: 'number' },
  },
} as const;
