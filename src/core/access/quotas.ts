import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { CommandBatcher } from '../reads/command-batcher.ts';
import type { Identity } from './authenticator.ts';
import { type Counter, type Decisions, parseCount, parseCounts, type QuotaState, statesOf } from './quota-states.ts';

export type { QuotaState };

/** The quota window in seconds: fixed, from a guild's first request. */
export const WINDOW_S = 3600;

interface Plan {
  readonly limiter: RateLimiterRedis;
  readonly counts: Decisions;
}

/**
 * Counts requests per guild, and per API key with a cap. Each plan has a limiter; all share a guild's counter, so a change of plan keeps
 * the count.
 */
export class Quotas {
  private readonly plans: ReadonlyMap<string, Plan>;
  private readonly fallback: Plan;

  /** @param planQuotas requests per window by plan; its entry "free" also serves a plan that is not listed. */
  constructor(
    private readonly commands: CommandBatcher,
    planQuotas: ReadonlyMap<string, number>,
  ) {
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

  /** Returns the number of requests counted so far in this process. */
  total(): number {
    return [...this.counts()].reduce((sum, [, { allowed, denied }]) => sum + allowed + denied, 0);
  }

  /**
   * Counts `requests` requests of a guild in one command. A request of an API key with a cap counts on the counter of the guild and on the counter of
   * the key, or on neither of them.
   * @param identity the identity of the requests' key, if this key has a cap; otherwise the identity of any key of the guild.
   * @returns the state after each request, in the order of the requests, as if they had been counted one by one.
   * @throws StoreUnavailableError; the requests may or may not have been counted, at most once.
   */
  consume(identity: Omit<Identity, 'origins'>, requests: number): Promise<readonly QuotaState[]> {
    const { limiter, counts } = this.plans.get(identity.plan) ?? this.fallback;
    const { points } = limiter;
    if (identity.cap !== null) {
      return this.countBoth(identity, points, identity.cap, requests).then(([guild, key]) =>
        statesOf(guild, key, requests, counts),
      );
    }
    const toStates = (result: RateLimiterRes) =>
      statesOf(counterOf(result, points, requests), undefined, requests, counts);
    return limiter.consume(identity.guildId, requests).then(toStates, (rejection) => toStates(deniedResult(rejection)));
  }

  /** Counts requests of a key with a cap. @returns the counter of the guild and the counter of the key. */
  private countBoth(
    { guildId, keyId }: Pick<Identity, 'guildId' | 'keyId'>,
    quota: number,
    cap: number,
    requests: number,
  ): Promise<[Counter, Counter]> {
    const command = `capped ${requests} ${WINDOW_S} ${quota} ${keyId} ${cap}`;
    const counted = this.commands.run(guildId, command, parseCounts, keyId);
    const decide = async (points: number, index: 0 | 1): Promise<Counter> => {
      // This limiter only judges the count, which the command has made already, and asks Redis nothing.
      const storeClient = { rlflxIncr: () => counted.then((both) => both[index]) };
      const limiter = new RateLimiterRedis({ storeClient, keyPrefix: '', points, duration: WINDOW_S });
      return counterOf(await limiter.consume('', requests).catch(deniedResult), points, requests);
    };
    return Promise.all([decide(quota, 0), decide(cap, 1)]);
  }
}

/** Returns the state of the counter before the requests of this result. */
function counterOf({ consumedPoints, msBeforeNext }: RateLimiterRes, points: number, requests: number): Counter {
  return { limit: points, used: consumedPoints - requests, resetMs: msBeforeNext };
}

/** Returns the result of a denied request: `consume` rejects with it, and with an Error when the store failed. */
function deniedResult(rejection: unknown): RateLimiterRes {
  if (rejection instanceof RateLimiterRes) return rejection;
  throw rejection;
}
