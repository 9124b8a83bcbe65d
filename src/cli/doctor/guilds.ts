import { commandLine } from '../../config/command-line.ts';
import { GuildCounters } from '../../core/counters/counters.ts';
import { redisCodeOf } from '../../core/errors.ts';
import { digits, withNoun } from '../../core/format-numbers.ts';
import { ID_PATTERN } from '../../core/ranking/model.ts';
import { isWellFormed } from '../../core/ranking/profile.ts';
import { DATA_VERSION } from '../../core/store/redis-keys.ts';
import { type CheckContext, type Finding, firstThree, ok, problem } from './finding.ts';

const MAX_GUILDS = 50;
/** A larger guild takes too long here, and a smaller guild too if Redis is far away; "stats check" counts it. */
const MAX_MEMBERS = 20_000;
const MAX_MS = 4000;
/** Members that are counted in one script: Redis serves nobody else during the script. */
const SLICE = 100;
/** Members that are looked at from each end of a ranking: a negative, infinite or huge score is there. */
const ENDS = 10;
/** Members from the top of a ranking whose profiles are looked at, and how many at once. */
const PROFILES = 1000;
const PROFILES_PER_STEP = 200;

/** Looks into some guilds: the version of their data, the ends of their rankings, profiles, and whether their counters are exact. */
export async function checkGuilds(context: CheckContext, guilds: readonly string[]): Promise<readonly Finding[]> {
  const until = performance.now() + MAX_MS;
  const counters = new GuildCounters(context, SLICE);
  const newer: string[] = [];
  const unfit: string[] = [];
  const drifting: string[] = [];
  let looked = 0;
  let counted = 0;
  for (const guild of guilds.slice(0, MAX_GUILDS)) {
    if (performance.now() > until) break;
    const { xp, stats, hidden, hiddenReasons } = context.redisKeys.guild(guild);
    const { client } = context;
    const from = performance.now();
    const heads = await Promise.all([
      client.hget(stats, 'model'),
      client.zcard(xp),
      client.zcard(hidden),
      client.hlen(hiddenReasons),
    ]).catch((error: Error) => {
      if (redisCodeOf(error.message) !== 'WRONGTYPE') throw error;
    });
    // The check of the keys has reported this guild.
    if (!heads) continue;
    const [model, ranked, hiddenMembers, reasons] = heads;
    looked++;
    if (model !== null && model !== DATA_VERSION) {
      newer.push(`${guild} (version ${model})`);
      continue;
    }
    if (reasons > hiddenMembers) unfit.push(`${hiddenReasons} names members that are not hidden`);
    const tripMs = performance.now() - from;
    const countMs = Math.ceil(ranked / SLICE) * tripMs;
    const isCountable = ranked <= MAX_MEMBERS && performance.now() + countMs < until;
    const [ofMembers, ofProfiles, result] = await Promise.all([
      unfitMembers(context, guild),
      unfitProfiles(context, guild),
      isCountable ? counters.checkUndisturbed(guild) : null,
    ]);
    unfit.push(...ofMembers, ...ofProfiles);
    if (!result) continue;
    counted++;
    if (!result.exact) drifting.push(guild);
  }
  return [
    newer.length > 0
      ? problem(
          'data version',
          `newer than ${DATA_VERSION} in ${firstThree(newer)}`,
          'Update the service, which answers 503 for these guilds',
        )
      : ok('data version', `${DATA_VERSION} in ${withNoun(looked, 'guild')}`),
    ...(unfit.length > 0
      ? [problem('members', firstThree(unfit), 'Correct them with the scripts, as docs/redis-keys.md describes')]
      : []),
    drifting.length > 0
      ? problem(
          'counters',
          `they differ from the members in ${firstThree(drifting)}`,
          `Run "${commandLine('stats', 'rebuild --guild GUILD')}" for each of these guilds`,
        )
      : ok('counters', `exact in ${digits(counted)} of ${digits(guilds.length)} guilds`),
  ];
}

/** Returns members whose id or score breaks the data model, at both ends of the ranking. */
async function unfitMembers({ client, redisKeys }: CheckContext, guild: string): Promise<string[]> {
  const { xp } = redisKeys.guild(guild);
  const ends = await Promise.all([
    client.zrevrange(xp, 0, ENDS - 1, 'WITHSCORES'),
    client.zrange(xp, 0, ENDS - 1, 'WITHSCORES'),
  ]);
  const unfit = new Set<string>();
  for (const end of ends) {
    for (let i = 0; i < end.length; i += 2) {
      const [id = '', score = ''] = end.slice(i, i + 2);
      const isWhole = Number.isSafeInteger(Number(score)) && Number(score) >= 0;
      if (!isWhole || !ID_PATTERN.test(id)) unfit.add(`${id} of ${guild} has ${score} XP`);
    }
  }
  return [...unfit];
}

/** Returns members whose profile has not the form that the data model says, among the first of the ranking. */
async function unfitProfiles({ client, redisKeys }: CheckContext, guild: string): Promise<string[]> {
  const { xp, members } = redisKeys.guild(guild);
  const steps = Array.from({ length: PROFILES / PROFILES_PER_STEP }, (_, n) => n * PROFILES_PER_STEP);
  const unfit = steps.map(async (first) => {
    const ids = await client.zrevrange(xp, first, first + PROFILES_PER_STEP - 1);
    const profiles = ids.length === 0 ? [] : await client.hmget(members, ...ids);
    return ids.flatMap((id, index) => {
      const profile = profiles[index] ?? null;
      const isRight = profile === null || isWellFormed(profile);
      return isRight ? [] : [`${id} of ${guild} has the profile ${JSON.stringify(profile)}`];
    });
  });
  return (await Promise.all(unfit)).flat();
}
