import { createHash } from 'node:crypto';
import express, { type RequestHandler } from 'express';
import { Redis } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { memberAnswer, pageAnswer, statsAnswer } from './answers.ts';

/**
 * (c) The plain way: Express and ioredis with their defaults. It looks the key up, consumes the quota, then sends one command
 * after the other. No batching beyond Promise.all, no cache.
 */
interface Params {
  readonly guildId: string;
  /** Only in the path of a member. */
  readonly userId: string;
}

const redis = new Redis(process.env.REDIS_URL as string);
const LIMIT = 1_000_000_000;
const limiter = new RateLimiterRedis({ storeClient: redis, keyPrefix: 'plain:quota', points: LIMIT, duration: 3600 });

const requireKey: RequestHandler<Params> = async (req, res, next) => {
  const key = req.get('x-api-key');
  if (!key) return void res.status(401).json({ error: 'missing API key' });
  const sha = createHash('sha256').update(key).digest('hex');
  const record = await redis.hgetall(`gr:key:${sha}`);
  if (!record.guild_id || (record.expires_at && Date.parse(record.expires_at) <= Date.now())) {
    return void res.status(401).json({ error: 'invalid API key' });
  }
  if (record.guild_id !== req.params.guildId) return void res.status(403).json({ error: 'wrong server' });
  next();
};

const consumeQuota: RequestHandler<Params> = async (req, res, next) => {
  try {
    const quota = await limiter.consume(req.params.guildId);
    res.set({
      'X-RateLimit-Limit': String(LIMIT),
      'X-RateLimit-Remaining': String(quota.remainingPoints),
      'X-RateLimit-Reset': String(Math.ceil((Date.now() + quota.msBeforeNext) / 1000)),
    });
    next();
  } catch (rejection) {
    if (!(rejection instanceof RateLimiterRes)) throw rejection;
    res.status(429).json({ error: 'quota exceeded' });
  }
};

const app = express();

app.get<Params>('/api/v1/servers/:guildId/leaderboard', requireKey, consumeQuota, async (req, res) => {
  const { guildId } = req.params;
  const limit = Number(req.query.limit ?? 10);
  const page = Number(req.query.page ?? 1);
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= 100 && Number.isInteger(page) && page >= 1)) {
    return void res.status(400).json({ error: 'limit must be 1 to 100, page at least 1' });
  }
  const first = (page - 1) * limit;
  const pairs = await redis.zrevrange(`gr:{${guildId}}:xp`, first, first + limit - 1, 'WITHSCORES');
  const total = await redis.zcard(`gr:{${guildId}}:xp`);
  const ids = pairs.filter((_, index) => index % 2 === 0);
  const profiles = await Promise.all(ids.map((id) => redis.hmget(`gr:{${guildId}}:member:${id}`, 'username', 'level')));
  res.json(pageAnswer(pairs, profiles, total, page, first));
});

app.get<Params>('/api/v1/servers/:guildId/members/:userId', requireKey, consumeQuota, async (req, res) => {
  const { guildId, userId } = req.params;
  const score = await redis.zscore(`gr:{${guildId}}:xp`, userId);
  const rank = await redis.zrevrank(`gr:{${guildId}}:xp`, userId);
  if (score === null || rank === null) return void res.status(404).json({ error: 'no such member' });
  const profile = await redis.hmget(
    `gr:{${guildId}}:member:${userId}`,
    'username',
    'level',
    'daily_streak',
    'last_daily_claim',
  );
  res.json(memberAnswer(userId, score, rank, profile));
});

app.get<Params>('/api/v1/servers/:guildId/stats', requireKey, consumeQuota, async (req, res) => {
  const { guildId } = req.params;
  const counters = await redis.hmget(`gr:{${guildId}}:stats`, 'members', 'total_xp', 'level_sum');
  const config = await redis.hmget(`gr:{${guildId}}:config`, 'xp_curve', 'xp_multiplier');
  res.json(statsAnswer(counters, config));
});

app.listen(Number(process.env.PORT), '127.0.0.1');
