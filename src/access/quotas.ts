import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { CommandBatcher } from '../redis/command-batcher.ts';

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

/**
 * A limiter that counts by jobs, beside those that read, where the library's own has a script and a command a call. What is its own is
 * what each store of the library brings: how points are added. It decides, and leaves out the provision for another
 * limiter that takes over when the store fails.
 */
class Limiter extends RateLimiterRedis {
  constructor(
    points: number,
    private readonly jobs: CommandBatcher,
  ) {
    // The job knows the key of a guild's counter; without a prefix the limiter asks for it by the guild's id as it is.
    super({ storeClient: { defineCommand() {} }, keyPrefix: '', points, duration: WINDOW_S });
  }

  override consume(guildId: string, points: number): Promise<RateLimiterRes> {
    return (this as unknown as { _consume: RateLimiterRedis['consume'] })._consume(guildId, points);
  }

  /** @returns points consumed in the window, milliseconds until it ends. */
  protected _upsert(guildId: string, points: number): Promise<[consumed: number, msLeft: number]> {
    return this.jobs.run(guildId, `count ${points} ${WINDOW_S}`, counted);
  }
}

/** The reply of job-count.lua. */
function counted(reply: string): [consumed: number, msLeft: number] {
  const end = reply.indexOf('\n');
  return [Number(reply.slice(0, end)), Number(reply.slice(end + 1))];
}

/** Counts requests per guild. One limiter a plan, all on the same counter, so a plan change keeps the count. */
export class Quotas {
  private readonly plans: ReadonlyMap<string, Plan>;
  private readonly fallback: Plan;

  /**
   * @param planQuotas requests per window by plan; has an entry "free", which also serves a plan not listed.
   */
  constructor(jobs: CommandBatcher, planQuotas: ReadonlyMap<string, number>) {
    this.plans = new Map(
      [...planQuotas].map(([plan, points]) => [
        plan,
        { limiter: new Limiter(points, jobs), tally: { allowed: 0, denied: 0 } },
      ]),
    );
    const fallback = this.plans.get('free');
    if (!fallback) throw new Error('there is no quota for the plan free');
    this.fallback = fallback;
  }

  /** Requests counted so far in this process, by plan. */
  counts(): Iterable<readonly [plan: string, counts: { readonly allowed: number; readonly denied: number }]> {
    return [...this.plans].map(([plan, { tally }]) => [plan, tally] as const);
  }

  /**
   * Counts `requests` requests of a guild in one job.
   * @returns what each of them left, in the order they came: exactly as if they had been counted one by one.
   * @throws StoreUnavailableError; the requests may or may not have been counted, at most once.
   */
  consume(guildId: string, plan: string, requests: number): Promise<readonly QuotaState[]> {
    const { limiter, tally } = this.plans.get(plan) ?? this.fallback;
    const states = (result: RateLimiterRes) => statesOf(result, limiter.points, requests, tally);
    return limiter.consume(guildId, requests).then(states, (rejection) => states(denied(rejection)));
  }
}

/** What each of the requests just counted left, and their tally. */
function statesOf(
  { consumedPoints, msBeforeNext: resetMs }: RateLimiterRes,
  limit: number,
  requests: number,
  tally: Plan['tally'],
): QuotaState[] {
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
function denied(rejection: unknown): RateLimiterRes {
  if (rejection instanceof RateLimiterRes) return rejection;
  throw rejection;
}
