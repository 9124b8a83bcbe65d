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

/** What a count tells. */
export interface Count {
  /** What each of the requests left, in the order they came: exactly as if they had been counted one by one. */
  readonly states: readonly QuotaState[];
  /** The guild's revision at the moment of the count; "" when it has none. */
  readonly revision: string;
}

/**
 * The library's own script with one command less (it starts the window only when there is none), and with the guild's
 * revision as a third value, which confirms every page held of the guild: most requests then need no other command
 * (docs/adr/0006). The library's contract is the first two: points consumed, milliseconds left.
 */
const COUNT_SCRIPT = `
local consumed = redis.call('incrby', KEYS[1], ARGV[1])
local ttl = redis.call('pttl', KEYS[1])
if ttl < 0 then
  redis.call('expire', KEYS[1], ARGV[2])
  ttl = 1000 * ARGV[2]
end
local prefix, tag = string.match(KEYS[1], '^(.*):quota:({.+})$')
local rev = redis.pcall('hget', prefix .. ':' .. tag .. ':stats', 'rev')
return {consumed, ttl, type(rev) == 'string' and rev or ''}
`;

type CountReply = Promise<[consumed: number, ttlMs: number, revision: string]>;

/** As much of a client as the limiter uses: its count command, overheard for the value that the library passes over. */
class OverheardClient {
  lastReply: CountReply | undefined;

  constructor(private readonly client: RedisClient) {}

  defineCommand(name: string, definition: { lua: string; numberOfKeys?: number }): void {
    this.client.defineCommand(name, definition);
  }

  /** The name that the library gives its script. */
  rlflxIncr(args: readonly string[]): CountReply {
    const { rlflxIncr } = this.client as unknown as { rlflxIncr(args: readonly string[]): CountReply };
    this.lastReply = rlflxIncr.call(this.client, args);
    return this.lastReply;
  }
}

/** Counts requests per guild. One limiter a plan, all on the same counter, so a plan change keeps the count. */
export class Quotas {
  private readonly client: OverheardClient;
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
    this.client = new OverheardClient(client);
    this.plans = new Map(
      [...planQuotas].map(([plan, points]) => {
        const limiter = new RateLimiterRedis({
          storeClient: this.client,
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
   * @throws StoreUnavailableError; the requests may or may not have been counted, at most once.
   */
  async consume(guildId: string, plan: string, requests: number): Promise<Count> {
    const { limiter, tally } = this.plans.get(plan) ?? this.fallback;
    const limit = limiter.points;
    const counting = this.count(limiter, guildId, requests);
    const reply = this.client.lastReply;
    const { consumedPoints, msBeforeNext: resetMs } = await counting;
    const states: QuotaState[] = [];
    for (let used = consumedPoints - requests + 1; used <= consumedPoints; used++) {
      const allowed = used <= limit;
      if (allowed) tally.allowed++;
      else tally.denied++;
      states.push({ allowed, limit, remaining: Math.max(0, limit - used), resetMs });
    }
    return { states, revision: (await reply)?.[2] ?? '' };
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
