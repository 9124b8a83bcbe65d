import { createHash } from 'node:crypto';
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { memberAnswer, pageAnswer, statsAnswer } from './answers.ts';
import { memberSchema, pageQuery, pageSchema, statsSchema } from './fastify-schemas.ts';

/**
 * (d) The same work done well with Fastify: keys cached for five seconds, the commands of one tick in one auto-pipelined write,
 * the quota beside the first read, profiles in one pipeline, compiled schemas.
 */
const redis = new Redis(process.env.REDIS_URL as string, { enableAutoPipelining: true });
const LIMIT = 1_000_000_000;
const KEY_TTL_MS = 5000;
const limiter = new RateLimiterRedis({ storeClient: redis, keyPrefix: 'fastify:quota', points: LIMIT, duration: 3600 });
const keyCache = new Map<string, { readonly guildId: string | undefined; readonly until: number }>();

async function guildOf(key: string): Promise<string | undefined> {
  const cached = keyCache.get(key);
  if (cached && cached.until > Date.now()) return cached.guildId;
  const record = await redis.hgetall(`gr:key:${createHash('sha256').update(key).digest('hex')}`);
  const expired = record.expires_at && Date.parse(record.expires_at) <= Date.now();
  const guildId = expired ? undefined : record.guild_id;
  keyCache.set(key, { guildId, until: Date.now() + KEY_TTL_MS });
  return guildId;
}

async function requireKey(req: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const key = req.headers['x-api-key'];
  const guildId = typeof key === 'string' ? await guildOf(key) : undefined;
  if (!guildId) return reply.code(401).send({ error: 'missing or invalid API key' });
  if (guildId !== (req.params as { guildId: string }).guildId) return reply.code(403).send({ error: 'wrong server' });
  return undefined;
}

/** Counts the request against the quota while `read` runs, and sets the quota headers. */
async function withQuota<T>(guildId: string, reply: FastifyReply, read: Promise<T>): Promise<T> {
  const [quota, value] = await Promise.all([limiter.consume(guildId), read]);
  reply.headers({
    'x-ratelimit-limit': LIMIT,
    'x-ratelimit-remaining': quota.remainingPoints,
    'x-ratelimit-reset': Math.ceil((Date.now() + quota.msBeforeNext) / 1000),
  });
  return value;
}

const app = Fastify();
app.addHook('preHandler', requireKey);

app.get<{ Params: { guildId: string }; Querystring: { limit: number; page: number } }>(
  '/api/v1/servers/:guildId/leaderboard',
  { schema: { querystring: pageQuery, response: { 200: pageSchema } } },
  async (req, reply) => {
    const { guildId } = req.params;
    const { limit, page } = req.query;
    const xpKey = `gr:{${guildId}}:xp`;
    const first = (page - 1) * limit;
    const rows = Promise.all([redis.zrevrange(xpKey, first, first + limit - 1, 'WITHSCORES'), redis.zcard(xpKey)]);
    const [pairs, total] = await withQuota(guildId, reply, rows);
    const pipeline = redis.pipeline();
    for (let i = 0; i < pairs.length; i += 2) pipeline.hmget(`gr:{${guildId}}:member:${pairs[i]}`, 'username', 'level');
    const replies = pairs.length > 0 ? ((await pipeline.exec()) ?? []) : [];
    const profiles = replies.map(([error, profile]) => {
      if (error) throw error;
      return profile as (string | null)[];
    });
    return pageAnswer(pairs, profiles, total, page, first);
  },
);

app.get<{ Params: { guildId: string; userId: string } }>(
  '/api/v1/servers/:guildId/members/:userId',
  { schema: { response: { 200: memberSchema } } },
  async (req, reply) => {
    const { guildId, userId } = req.params;
    const read = Promise.all([
      redis.zscore(`gr:{${guildId}}:xp`, userId),
      redis.zrevrank(`gr:{${guildId}}:xp`, userId),
      redis.hmget(`gr:{${guildId}}:member:${userId}`, 'username', 'level', 'daily_streak', 'last_daily_claim'),
    ]);
    const [score, rank, profile] = await withQuota(guildId, reply, read);
    if (score === null || rank === null) return reply.code(404).send({ error: 'no such member' });
    return memberAnswer(userId, score, rank, profile);
  },
);

app.get<{ Params: { guildId: string } }>(
  '/api/v1/servers/:guildId/stats',
  { schema: { response: { 200: statsSchema } } },
  async (req, reply) => {
    const { guildId } = req.params;
    const read = Promise.all([
      redis.hmget(`gr:{${guildId}}:stats`, 'members', 'total_xp', 'level_sum'),
      redis.hmget(`gr:{${guildId}}:config`, 'xp_curve', 'xp_multiplier'),
    ]);
    const [counters, config] = await withQuota(guildId, reply, read);
    return statsAnswer(counters, config);
  },
);

await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
