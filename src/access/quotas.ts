import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { fields, type Jobs } from '../redis/jobs.ts';

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
  readonly limiter: Limiter;
  readonly tally: { allowed: number; denied: number };
}

/** As much of a Redis client as the limiter uses: its count command, which runs as a job beside those that read. */
class JobClient {
  constructor(private readonly jobs: Jobs) {}

  /** The limiter's own script; job-count.lua stands in for it. */
  defineCommand(): void {}

  /** The name that the limiter gives its command. @returns points consumed in the window, milliseconds until it ends. */
  rlflxIncr([guildId, points, seconds]: [guildId: string, points: string, seconds: string]): Promise<number[]> {
    return this.jobs.run(guildId, `count ${points} ${seconds}`, numbers);
  }
}

function numbers(reply: string): number[] {
  return fields(reply).map(Number);
}

/** The limiter without its provision for another one that takes over when the store fails: three promises a call, for nothing here. */
class Limiter extends RateLimiterRedis {
  override consume(guildId: string, points: number): Promise<RateLimiterRes> {
    return (this as unknown as { _consume: RateLimiterRedis['consume'] })._consume(guildId, points);
  }
}

/** Counts requests per guild. One limiter a plan, all on the same counter, so a plan change keeps the count. */
export class Quotas {
  private readonly plans: ReadonlyMap<string, Plan>;
  private readonly fallback: Plan;

  /**
   * @param planQuotas requests per window by plan; has an entry "free", which also serves a plan not listed.
   */
  constructor(jobs: Jobs, planQuotas: ReadonlyMap<string, number>) {
    const storeClient = new JobClient(jobs);
    this.plans = new Map(
      [...planQuotas].map(([plan, points]) => {
        // The job knows the key of a guild's counter; without a prefix the limiter hands it the guild's id as it is.
        const limiter = new Limiter({ storeClient, keyPrefix: '', points, duration: WINDOW_S });
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
   * Counts `requests` requests of a guild in one job.
   * @returns what each of them left, in the order they came: exactly as if they had been counted one by one.
   * @throws StoreUnavailableError; the requests may or may not have been counted, at most once.
   */
  async consume(guildId: string, plan: string, requests: number): Promise<readonly QuotaState[]> {
    const { limiter, tally } = this.plans.get(plan) ?? this.fallback;
    const limit = limiter.points;
    const { consumedPoints, msBeforeNext: resetMs } = await limiter.consume(guildId, requests).catch(denied);
    const states: QuotaState[] = [];
    for (let used = consumedPoints - requests + 1; used <= consumedPoints; used++) {
      const allowed = used <= limit;
      if (allowed) tally.allowed++;
      else tally.denied++;
      states.push({ allowed, limit, remaining: Math.max(0, limit - used), resetMs });
    }
    return states;
  }
}

/** `consume` rejects with a result when the quota says no, and with an Error when the store failed. */
function denied(rejection: unknown): RateLimiterRes {
  if (rejection instanceof RateLimiterRes) return rejection;
  throw rejection;
}
