import { BOUNDS } from '../bounds.ts';
import { type CheckContext, type Finding, note, ok, problem, some } from './finding.ts';

const MAX_GUILDS = 50;
const MAX_MS = 4000;
/** A stored time that is further ahead is that of a wrong clock. */
const AHEAD_MS = 86_400_000;
/** Members from the top of a ranking whose claims are looked at. */
const MEMBERS = 200;

/** The fields of a config with a bound. */
const CONFIG = {
  plan: BOUNDS.plan,
  xp_curve_custom: BOUNDS.curve,
  xp_multiplier: BOUNDS.multiplier,
  rules: BOUNDS.rules,
  page_title: BOUNDS.title,
  page_picture: BOUNDS.picture,
};

/** Looks in some guilds for texts that are longer than their bounds, and for times in the future by Redis's clock. */
export async function checkStored(context: CheckContext, guilds: readonly string[]): Promise<readonly Finding[]> {
  const until = performance.now() + MAX_MS;
  const long: string[] = [];
  const ahead: string[] = [];
  const [seconds] = (await context.client.time()).map(Number);
  const latest = Number(seconds) * 1000 + AHEAD_MS;
  for (const guild of guilds.slice(0, MAX_GUILDS)) {
    if (performance.now() > until) break;
    await checkConfig(context, guild, long);
    await checkKeys(context, guild, latest, ahead);
    await checkTimes(context, guild, latest, ahead);
  }
  return [
    long.length > 0
      ? problem('bounds', some(long), 'Store shorter ones: docs/reference.md says what a longer one does')
      : ok('bounds', 'no stored text is longer than its bound'),
    ahead.length > 0
      ? // Most heal by themselves, but revisions stay ahead.
        note(
          'stored times',
          `in the future: ${some(ahead)}`,
          'A clock was ahead. Correct the clocks with NTP: docs/data-model.md says what heals by itself',
        )
      : ok('stored times', 'none is in the future'),
  ];
}

async function checkConfig({ client, redisKeys }: CheckContext, guild: string, long: string[]): Promise<void> {
  const { config } = redisKeys.guild(guild);
  const sizes = await Promise.all(Object.keys(CONFIG).map((field) => client.hstrlen(config, field)));
  for (const [index, [field, { bytes }]] of Object.entries(CONFIG).entries()) {
    const size = sizes[index] ?? 0;
    if (size > bytes) long.push(`${field} of ${guild} has ${size} bytes, not ${bytes}`);
  }
}

async function checkKeys(context: CheckContext, guild: string, latest: number, ahead: string[]): Promise<void> {
  const { client, redisKeys } = context;
  for (const [id, sha] of Object.entries(await client.hgetall(redisKeys.guild(guild).apiKeys))) {
    const key = redisKeys.apiKey(sha);
    // The check of keys names records that are too long.
    const created = (await client.hget(key, 'created_at')) ?? '';
    if (Date.parse(created) > latest) ahead.push(`the API key ${id} of ${guild} was made ${created}`);
  }
}

async function checkTimes({ client, redisKeys }: CheckContext, guild: string, latest: number, ahead: string[]) {
  const { xp, stats, members, audit, securityAudit } = redisKeys.guild(guild);
  const [rev, ids, ...logs] = await Promise.all([
    client.hget(stats, 'rev'),
    client.zrevrange(xp, 0, MEMBERS - 1),
    client.xrevrange(audit, '+', '-', 'COUNT', 1),
    client.xrevrange(securityAudit, '+', '-', 'COUNT', 1),
  ]);
  if (Number(rev) / 1000 > latest) ahead.push(`the revision of ${guild}`);
  const claims = ids.length > 0 ? await client.hmget(members, ...ids) : [];
  const claimed = ids.filter((_, index) => Number(/^\S+ \S+ (\d+)/.exec(claims[index] ?? '')?.[1]) > latest);
  if (claimed.length > 0) ahead.push(`the last claim of ${some(claimed)} of ${guild}`);
  if (logs.flat().some(([id]) => Number(id.split('-')[0]) > latest)) ahead.push(`the audit log of ${guild}`);
}
