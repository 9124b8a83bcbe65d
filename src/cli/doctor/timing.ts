import { withNoun } from '../../core/format-numbers.ts';
import { PageCommand } from '../../core/reads/read-commands.ts';
import { type CheckContext, type Finding, NO_GUILD, note, ok, problem, unknown } from './finding.ts';

const SAMPLES = 200;
const MAX_MS = 2000;
const PAGE_SIZE = 10;
const MAX_GUILDS = 50;

/** Milliseconds of each call, in ascending order. */
type Times = readonly number[];

/** Times PING, one at a time. */
export async function checkRoundTrip({ client, config }: CheckContext): Promise<readonly Finding[]> {
  const [times = []] = await timeInTurn([() => client.ping()]);
  const median = quantile(times, 0.5);
  const high = quantile(times, 0.99);
  const worst = quantile(times, 1);
  const text = `median ${ms(median)}, p99 ${ms(high)}, worst ${ms(worst)} of ${times.length}`;
  const limit = config.redis.timeoutMs;
  const check = 'round trip';
  const fix = 'Move the service closer to Redis, look at SLOWLOG GET, or raise REDIS_TIMEOUT_MS';
  if (median >= limit) {
    return [problem(check, `${text}; requests get 503, because REDIS_TIMEOUT_MS is ${limit}`, fix)];
  }
  if (high >= limit / 2) return [note(check, `${text}; REDIS_TIMEOUT_MS is ${limit}`, fix)];
  return [ok(check, text)];
}

/**
 * Times the service's own reads, in turn with PING: the difference is the time for which a read keeps Redis busy. A page that is read
 * anew and a page that Redis only confirms are the two ends of what a request costs. The count of the quota writes, so it is not timed.
 * @param guilds the guilds of which the largest is read. If no guild has a member, the finding is unknown.
 */
export async function checkCost(context: CheckContext, guilds: readonly string[]): Promise<readonly Finding[]> {
  const { client, commands, rate } = context;
  const check = 'cost';
  const guild = await largestOf(context, guilds.slice(0, MAX_GUILDS));
  const page = new PageCommand(guild, 1, PAGE_SIZE);
  const { revision, value } = await commands.read(page);
  const [pings = [], anew = [], confirmed = []] = await timeInTurn([
    () => client.ping(),
    () => commands.read(page),
    () => commands.read(page, revision),
  ]);
  if (value.data.length === 0) {
    return [unknown(check, 'there is no member to read', 'Run doctor again when there are members')];
  }
  const base = quantile(pings, 0.5);
  // In a Cluster a page takes two calls.
  const trips = client.isCluster ? 2 : 1;
  const most = quantile(anew, 0.5) - trips * base;
  // Times vary: a page that Redis only confirms cannot cost more.
  const least = Math.min(most, quantile(confirmed, 0.5) - base);
  const spread = quantile(pings, 0.75) - quantile(pings, 0.25);
  if (!(most > spread)) {
    const fix = 'Run doctor on a machine next to Redis';
    return [unknown(check, `not measured: a read takes less time than the round trips vary by (${ms(spread)})`, fix)];
  }
  const share = (cost: number) => `${((Math.max(0, cost) * rate) / 10).toFixed(1)} %`;
  const rows = withNoun(value.data.length, 'row');
  const text =
    `${withNoun(rate, 'request')} a second take ${share(least)} to ${share(most)} of a core of Redis: a page that has not changed ` +
    `takes ${micros(least)}, and a page of ${rows} read anew takes ${micros(most)}; counting the request for the quota costs more on top`;
  if (most * rate <= 500) return [ok(check, text)];
  return [note(check, text, 'Raise CACHE_MAX_AGE_S, put a caching proxy in front, or split guilds over a Cluster')];
}

async function largestOf({ client, redisKeys }: CheckContext, guilds: readonly string[]): Promise<string> {
  const sizes = await Promise.all(guilds.map((guild) => client.zcard(redisKeys.guild(guild).xp).catch(() => 0)));
  return guilds[sizes.indexOf(Math.max(...sizes))] ?? NO_GUILD;
}

/** Runs the calls one after the other, again and again, and times each. */
async function timeInTurn(calls: readonly (() => Promise<unknown>)[]): Promise<Times[]> {
  const until = performance.now() + MAX_MS;
  const times = calls.map((): number[] => []);
  for (let sample = 0; sample < SAMPLES && (sample === 0 || performance.now() < until); sample++) {
    for (const [index, call] of calls.entries()) {
      const from = performance.now();
      await call();
      times[index]?.push(performance.now() - from);
    }
  }
  return times.map((each) => each.sort((a, b) => a - b));
}

function quantile(times: Times, q: number): number {
  return times[Math.min(times.length - 1, Math.floor(q * times.length))] ?? Number.NaN;
}

function ms(time: number): string {
  return `${time.toFixed(2)} ms`;
}

function micros(time: number): string {
  return `${Math.max(0, Math.round(time * 1000))} µs`;
}
