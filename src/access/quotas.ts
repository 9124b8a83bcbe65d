import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { StoreUnavailableError } from '../errors.ts';
import type { RedisClient } from '../redis/commands.ts';
import type { KeyNames } from '../redis/keys.ts';
import { TickBatch } from '../redis/tick-batch.ts';

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

interface Waiting {
  readonly resolve: (state: QuotaState) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Counts requests per guild. One limiter a plan, all on the same counter, so a plan change keeps the count. Requests of
 * one guild that wait together are counted in one command and told apart in the order they came.
 */
export class Quotas {
  private readonly limiters: ReadonlyMap<string, RateLimiterRedis>;
  private readonly fallback: RateLimiterRedis;
  private readonly batch = new TickBatch<Waiting>((key, waiting) => void this.count(key, waiting));

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
   * Counts one request. One command for all requests of a guild that wait together.
   * @throws StoreUnavailableError; the request may or may not have been counted, at most once.
   */
  consume(guildId: string, plan: string): Promise<QuotaState> {
    return new Promise((resolve, reject) => this.batch.add(`${guildId} ${plan}`, { resolve, reject }));
  }

  private async count(key: string, waiting: readonly Waiting[]): Promise<void> {
    const [guildId, plan] = key.split(' ') as [string, string];
    const limiter = this.limiters.get(plan) ?? this.fallback;
    try {
      const after = await consumed(limiter, this.keys.quotaId(guildId), waiting.length);
      const before = after.consumedPoints - waiting.length;
      waiting.forEach(({ resolve }, index) => {
        const used = before + index + 1;
        resolve({
          allowed: used <= limiter.points,
          limit: limiter.points,
          remaining: Math.max(0, limiter.points - used),
          resetMs: after.msBeforeNext,
        });
      });
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
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
