import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { StoreUnavailableError } from '../errors.ts';
import type { CommandObserver, RedisClient } from '../redis/commands.ts';
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

interface Plan {
  readonly limiter: RateLimiterRedis;
  readonly tally: { allowed: number; denied: number };
}

/**
 * What the library's own script does in three commands, in two: count first, and start the window when there is none.
 * Its reply is the library's contract: points consumed, milliseconds left.
 */
const COUNT_SCRIPT = `
local consumed = redis.call('incrby', KEYS[1], ARGV[1])
local ttl = redis.call('pttl', KEYS[1])
if ttl < 0 then
  redis.call('expire', KEYS[1], ARGV[2])
  ttl = 1000 * ARGV[2]
end
return {consumed, ttl}
`;

/** Counts requests per guild. One limiter a plan, all on the same counter, so a plan change keeps the count. */
export class Quotas {
  private readonly plans: ReadonlyMap<string, Plan>;
  private readonly fallback: Plan;

  /**
   * @param planQuotas requests per window by plan; has an entry "free", which also serves a plan not listed.
   */
  constructor(
    client: RedisClient,
    private readonly keys: KeyNames,
    planQuotas: ReadonlyMap<string, number>,
    private readonly observe?: CommandObserver,
  ) {
    this.plans = new Map(
      [...planQuotas].map(([plan, points]) => {
        const limiter = new RateLimiterRedis({
          storeClient: client,
          keyPrefix: keys.quotaPrefix,
          points,
          duration: WINDOW_S,
          customIncrTtlLuaScript: COUNT_SCRIPT,
        });
        return [plan, { limiter, tally: { allowed: 0, denied: 0 } }];
      }),
    );
    const fallback = this.plans.get('free');
    if (!fallback) throw new Error('there is no quota for the plan free');
    this.fallback = fallback;
  }

  /** Requests counted so far in this process, by plan. */
  tally(): Iterable<readonly [plan: string, counts: { readonly allowed: number; readonly denied: number }]> {
    return [...this.plans].map(([plan, { tally }]) => [plan, tally] as const);
  }

  /**
   * Counts `requests` requests of a guild in one command.
   * @returns what each of them left, in the order they came: exactly as if they had been counted one by one.
   * @throws StoreUnavailableError; the requests may or may not have been counted, at most once.
   */
  async consume(guildId: string, plan: string, requests: number): Promise<QuotaState[]> {
    const { limiter, tally } = this.plans.get(plan) ?? this.fallback;
    const limit = limiter.points;
    const { consumedPoints, msBeforeNext: resetMs } = await this.count(limiter, guildId, requests);
    const states: QuotaState[] = [];
    for (let used = consumedPoints - requests + 1; used <= consumedPoints; used++) {
      const allowed = used <= limit;
      if (allowed) tally.allowed++;
      else tally.denied++;
      states.push({ allowed, limit, remaining: Math.max(0, limit - used), resetMs });
    }
    return states;
  }

  /** `consume` rejects with a result when the quota says no, and with an Error when the store failed. */
  private async count(limiter: RateLimiterRedis, guildId: string, requests: number): Promise<RateLimiterRes> {
    const sentAt = performance.now();
    let failed = false;
    try {
      return await limiter.consume(this.keys.quotaId(guildId), requests);
    } catch (rejection) {
      if (rejection instanceof RateLimiterRes) return rejection;
      failed = true;
      throw new StoreUnavailableError(rejection);
    } finally {
      this.observe?.('consume', performance.now() - sentAt, failed);
    }
  }
}
