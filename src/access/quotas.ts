import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { StoreUnavailableError } from '../errors.ts';
import type { RedisClient } from '../redis/commands.ts';
import type { KeyNames } from '../redis/keys.ts';

/** The fixed window, in seconds, from a guild's first request. */
export const WINDOW_S = 3600;

/** What one request left of its guild's quota. */
export interface QuotaState {
  readonly allowed: boolean;
  /** Requests per window. */
  readonly limit: number;
  /** Requests left in the window after this one. */
  readonly remaining: number;
  /** Milliseconds until the window ends. */
  readonly resetMs: number;
}

/** Counts requests per guild. One limiter a plan, all on the same counter, so a plan change keeps the count. */
export class Quotas {
  private readonly limiters: ReadonlyMap<string, RateLimiterRedis>;
  private readonly fallback: RateLimiterRedis;

  /**
   * @param planQuotas requests per window by plan; has an entry "free", which also serves a plan not listed.
   */
  constructor(
    client: RedisClient,
    private readonly keys: KeyNames,
    planQuotas: ReadonlyMap<string, number>,
  ) {
    const limiter = (points: number) =>
      new RateLimiterRedis({ storeClient: client, keyPrefix: keys.quotaPrefix, points, duration: WINDOW_S });
    this.limiters = new Map([...planQuotas].map(([plan, points]) => [plan, limiter(points)]));
    this.fallback = this.limiters.get('free') ?? limiter(Math.min(...planQuotas.values()));
  }

  /**
   * Counts `requests` requests of a guild in one command.
   * @returns what each of them left, in the order they came: exactly as if they had been counted one by one.
   * @throws StoreUnavailableError; the requests may or may not have been counted, at most once.
   */
  async consume(guildId: string, plan: string, requests: number): Promise<QuotaState[]> {
    const limiter = this.limiters.get(plan) ?? this.fallback;
    const limit = limiter.points;
    const { consumedPoints, msBeforeNext: resetMs } = await consumed(limiter, this.keys.quotaId(guildId), requests);
    const states: QuotaState[] = [];
    for (let used = consumedPoints - requests + 1; used <= consumedPoints; used++) {
      states.push({ allowed: used <= limit, limit, remaining: Math.max(0, limit - used), resetMs });
    }
    return states;
  }
}

/** `consume` rejects with a result when the quota says no, and with an Error when the store failed. */
async function consumed(limiter: RateLimiterRedis, id: string, points: number): Promise<RateLimiterRes> {
  try {
    return await limiter.consume(id, points);
  } catch (rejection) {
    if (rejection instanceof RateLimiterRes) return rejection;
    throw new StoreUnavailableError(rejection);
  }
}
