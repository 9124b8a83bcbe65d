import { setTimeout as delay } from 'node:timers/promises';
import { redisCodeOf, StoreUnavailableError } from '../../core/errors.ts';
import { explainFailure } from '../../core/store/failures.ts';
import { checkServers } from './check-servers.ts';
import { type Check, type CheckContext, type Finding, problem, unknown } from './finding.ts';
import { checkGuilds } from './guilds.ts';
import { checkHost } from './host.ts';
import { checkRights, checkScripts } from './rights.ts';
import { keyFindings, sampleKeys } from './sample-keys.ts';
import { checkStored } from './stored.ts';
import { checkCost, checkRoundTrip } from './timing.ts';

/** Longest time for one check, and for all checks. A Redis that answers needs a fraction of it. */
const CHECK_MS = 8000;
const TOTAL_MS = 30_000;

/**
 * Runs every check, in an order in which the cause comes before its effects. Checks that do not need each other run together, because Redis can be
 * far away. Ends within 30 s, even if Redis never answers.
 * @param guild the guild to look into; without it, the checks look into guilds that a sample of keys names.
 */
export async function examine(context: CheckContext, guild?: string): Promise<readonly Finding[]> {
  const until = performance.now() + TOTAL_MS;
  const findings: Finding[] = [];
  let isHung = false;
  for (const group of checksFor(guild)) {
    const checks = Object.entries(group);
    if (isHung) {
      findings.push(...checks.map(([name]) => unknown(name, 'not checked', 'Run doctor again when Redis answers')));
      continue;
    }
    const limitMs = Math.min(CHECK_MS, until - performance.now());
    const results = await Promise.all(
      checks.map(([name, check]) => within(limitMs, check(context)).catch((error: Error) => failed(name, error))),
    );
    const fix = 'Look at SLOWLOG GET and at the load of Redis';
    for (const [at, [name]] of checks.entries())
      findings.push(...(results[at] ?? [problem(name, `did not end within ${Math.ceil(limitMs / 1000)} s`, fix)]));
    isHung = results.includes(undefined);
  }
  return findings;
}

/**
 * Returns the checks by name, in groups that run one after the other. The checks of a group run together, so a check that measures times is alone in
 * its group.
 * @param named the guild to look into; without it, the guilds of a sample of keys.
 */
function checksFor(named: string | undefined): readonly Readonly<Record<string, Check>>[] {
  let guilds = named === undefined ? undefined : [named];
  const fix = 'Run doctor again as the user operator of deploy/redis/users.acl, or name a guild with --guild';
  /** Looks into the guilds. @param names of the findings to report as unknown when the check of the keys could not find guilds. */
  const inGuilds =
    (names: readonly string[], look: (context: CheckContext, found: readonly string[]) => ReturnType<Check>): Check =>
    async (context) =>
      guilds
        ? look(context, guilds)
        : names.map((name) => unknown(name, 'no guild was looked at, because the keys were not checked', fix));
  return [
    { 'round trip': checkRoundTrip },
    {
      server: checkServers,
      EVAL: checkScripts,
      rights: checkRights,
      keys: async (context) => {
        const sample = await sampleKeys(context);
        if (named === undefined) guilds = [...sample.guilds];
        return keyFindings(sample);
      },
    },
    {
      host: checkHost,
      counters: inGuilds(['data version', 'counters'], checkGuilds),
      stored: inGuilds(['bounds', 'stored times', 'time zones'], checkStored),
    },
    { cost: inGuilds(['cost'], checkCost) },
  ];
}

/** Returns what a person can do about a check that could not be made. */
function failed(check: string, error: Error): readonly Finding[] {
  const reason = error instanceof StoreUnavailableError ? error.reason : error.message;
  if (redisCodeOf(reason) === 'NOPERM') {
    const fix = 'Run doctor again as the user operator of deploy/redis/users.acl';
    return [unknown(check, 'the user of REDIS_URL has no right to check this', fix)];
  }
  return [problem(check, explainFailure(reason), 'Correct this, then run doctor again')];
}

/** Settles as `work` does, or with undefined when the time is up. */
export function within<T>(limitMs: number, work: Promise<T>): Promise<T | undefined> {
  work.catch(() => {}); // When the time is up, nobody awaits `work` any more, and it may still fail.
  return Promise.race([work, delay(Math.max(0, limitMs), undefined, { ref: false })]);
}
