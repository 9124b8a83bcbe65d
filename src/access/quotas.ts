import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { CommandBatcher } from '../store/command-batcher.ts';

/** The quota window in seconds: fixed, from a guild's first request. */
export const WINDOW_S = 3600;

/** The state of a guild's quota after one request. */
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
  readonly counts: { allowed: number; denied: number };
}

/** Counts requests per guild. Each plan has a limiter; all share a guild's counter, so a change of plan keeps the count. */
export class Quotas {
  private readonly plans: ReadonlyMap<string, Plan>;
  private readonly fallback: Plan;

  /** @param planQuotas requests per window by plan; its entry "free" also serves a plan that is not listed. */
  constructor(commands: CommandBatcher, planQuotas: ReadonlyMap<string, number>) {
    this.plans = new Map(
      [...planQuotas].map(([plan, points]) => {
        // The library's own command for a count, run as a command of the batch beside the reads.
        const storeClient = {
          rlflxIncr: ([guildId, requests, durationS]: [guildId: string, requests: string, durationS: string]) =>
            commands.run(guildId, `count ${requests} ${durationS} ${points}`, parseCount),
        };
        // batch.lua makes the Redis key from the guild id, so the limiter adds no prefix.
        const limiter = new RateLimiterRedis({ storeClient, keyPrefix: '', points, duration: WINDOW_S });
        return [plan, { limiter, counts: { allowed: 0, denied: 0 } }];
      }),
    );
    const fallback = this.plans.get('free');
    if (!fallback) throw new Error('there is no quota for the plan free');
    this.fallback = fallback;
  }

  /** Returns the requests counted so far in this process, by plan. */
  counts(): Iterable<readonly [plan: string, counts: { readonly allowed: number; readonly denied: number }]> {
    return [...this.plans].map(([plan, { counts }]) => [plan, counts] as const);
  }

  /**
   * Counts `requests` requests of a guild in one command.
   * @returns the state after each of them, in their order, as if they had been counted one by one.
   * @throws StoreUnavailableError; the requests may or may not have been counted, at most once.
   */
  consume(guildId: string, plan: string, requests: number): Promise<readonly QuotaState[]> {
    const { limiter, counts } = this.plans.get(plan) ?? this.fallback;
    const toStates = (result: RateLimiterRes) => statesOf(result, limiter.points, requests, counts);
    return limiter.consume(guildId, requests).then(toStates, (rejection) => toStates(deniedResult(rejection)));
  }
}

/** Returns the state after each of the requests that were counted together, and adds them to the plan's counts. */
function statesOf(
  { consumedPoints, msBeforeNext }: RateLimiterRes,
  limit: number,
  requests: number,
  counts: Plan['counts'],
): QuotaState[] {
  const states: QuotaState[] = [];
  for (let used = consumedPoints - requests + 1; used <= consumedPoints; used++) {
    const allowed = used <= limit;
    if (allowed) counts.allowed++;
    else counts.denied++;
    states.push({ allowed, limit, remaining: Math.max(0, limit - used), resetMs: msBeforeNext });
  }
  return states;
}

/** Decodes the reply of command-count.lua: requests of the window, refused ones among them, and milliseconds until it ends. */
function parseCount(reply: string): [consumed: number, msLeft: number] {
  const end = reply.indexOf('\n');
  return [Number(reply.slice(0, end)), Number(reply.slice(end + 1))];
}

/** Returns the result of a denied request: `consume` rejects with it, and with an Error when the store failed. */
function deniedResult(rejection: unknown): RateLimiterRes {
  if (rejection instanceof RateLimiterRes) return rejection;
  throw rejection;
}
