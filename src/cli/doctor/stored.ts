import { commandLine } from '../../config/command-line.ts';
import { areCurrentOffsets, isTimeZone } from '../../core/settings/time-zone.ts';
import { redisTime } from '../../core/store/clock.ts';
import { BOUNDS, GUILD_FIELDS } from '../../core/text-bounds.ts';
import { type CheckContext, type Finding, firstThree, note, ok, problem } from './finding.ts';

const MAX_GUILDS = 50;
const MAX_MS = 4000;
/** A stored time that is further in the future was written by a wrong clock. */
const AHEAD_MS = 86_400_000;
/** Members from the top of a ranking whose profiles are looked at. */
const MEMBERS = 200;

/** Looks in some guilds for texts that are longer than their bounds, times in the future by Redis's clock, and time zones that need a renewal. */
export async function checkStored(context: CheckContext, guilds: readonly string[]): Promise<readonly Finding[]> {
  const until = performance.now() + MAX_MS;
  const long: string[] = [];
  const ahead: string[] = [];
  const outdated: string[] = [];
  const nowMs = (await redisTime(context.client)) / 1000;
  const latest = nowMs + AHEAD_MS;
  for (const guild of guilds.slice(0, MAX_GUILDS)) {
    if (performance.now() > until) break;
    const { config, about } = context.redisKeys.guild(guild);
    const [ofConfig, ofAbout, ofProfiles, ofKeys, ofTimes, ofZones] = await Promise.all([
      longFields(context, config, GUILD_FIELDS.config, guild),
      longFields(context, about, GUILD_FIELDS.about, `the description of ${guild}`),
      longProfiles(context, guild),
      keysAhead(context, guild, latest),
      timesAhead(context, guild, latest),
      outdatedZones(context, guild, nowMs),
    ]);
    long.push(...ofConfig, ...ofAbout, ...ofProfiles);
    ahead.push(...ofKeys, ...ofTimes);
    outdated.push(...ofZones);
  }
  return [
    long.length > 0
      ? problem('bounds', firstThree(long), 'Store shorter texts: docs/reference.md says what a longer text does')
      : ok('bounds', 'no stored text is longer than its bound'),
    ahead.length > 0
      ? // Most of these times correct themselves, but a revision stays ahead.
        note(
          'stored times',
          `in the future: ${firstThree(ahead)}`,
          'A clock was ahead. Correct the clocks with NTP. docs/guilds.md says which times correct themselves',
        )
      : ok('stored times', 'no stored time is in the future'),
    outdated.length > 0
      ? note(
          'time zones',
          `weeks and months can begin at a wrong hour: ${firstThree(outdated)}`,
          `Run "${commandLine('guild', 'show --guild GUILD')}" for each of these guilds. The command stores the changes of their clocks anew`,
        )
      : ok('time zones', 'the changes of the clocks are known for the next years'),
  ];
}

/** Returns the fields of a hash that are longer than their bounds, in words. @param owner what has the fields. */
async function longFields(
  { client }: CheckContext,
  key: string,
  bounds: Readonly<Record<string, { readonly bytes: number }>>,
  owner: string,
): Promise<string[]> {
  const fields = Object.entries(bounds);
  const sizes = await Promise.all(fields.map(([field]) => client.hstrlen(key, field)));
  return fields.flatMap(([field, { bytes }], index) => {
    const size = sizes[index] ?? 0;
    return size > bytes ? [`${field} of ${owner} has ${size} bytes, and may have ${bytes}`] : [];
  });
}

/** Returns a guild whose stored changes of the clocks are not right for the next years, in words. */
async function outdatedZones({ client, redisKeys }: CheckContext, guild: string, nowMs: number): Promise<string[]> {
  const [timeZone, utcOffsets] = await client.hmget(redisKeys.guild(guild).config, 'time_zone', 'utc_offsets');
  if (!timeZone) return [];
  if (!isTimeZone(timeZone)) return [`this version of Node does not know the time zone ${timeZone} of ${guild}`];
  return areCurrentOffsets(utcOffsets ?? '', timeZone, nowMs) ? [] : [`the changes of ${timeZone} in ${guild} are old`];
}

/** Returns the first members of a guild whose profiles are longer than their bound, in words. */
async function longProfiles({ client, redisKeys }: CheckContext, guild: string): Promise<string[]> {
  const { xp, members } = redisKeys.guild(guild);
  const ids = await client.zrevrange(xp, 0, MEMBERS - 1);
  const sizes = await Promise.all(ids.map((id) => client.hstrlen(members, id)));
  const { bytes } = BOUNDS.profile;
  return ids.flatMap((id, index) => {
    const size = sizes[index] ?? 0;
    return size > bytes ? [`the profile of ${id} in ${guild} has ${size} bytes, and may have ${bytes}`] : [];
  });
}

/** Returns the API keys of a guild that were made after a time, in words. The check of keys names records that are too long. */
async function keysAhead({ client, redisKeys }: CheckContext, guild: string, latest: number): Promise<string[]> {
  const keys = Object.entries(await client.hgetall(redisKeys.guild(guild).apiKeys));
  const created = await Promise.all(keys.map(([, sha]) => client.hget(redisKeys.apiKey(sha), 'created_at')));
  return keys.flatMap(([id], index) => {
    const time = created[index] ?? '';
    return Date.parse(time) > latest ? [`the API key ${id} of ${guild} was made ${time}`] : [];
  });
}

/** Returns in words what a guild has with a time after `latest`: its revision, the claims of its first members, its audit logs. */
async function timesAhead({ client, redisKeys }: CheckContext, guild: string, latest: number): Promise<string[]> {
  const { xp, stats, members, audit, securityAudit } = redisKeys.guild(guild);
  const [rev, ids, ...logs] = await Promise.all([
    client.hget(stats, 'rev'),
    client.zrevrange(xp, 0, MEMBERS - 1),
    client.xrevrange(audit, '+', '-', 'COUNT', 1),
    client.xrevrange(securityAudit, '+', '-', 'COUNT', 1),
  ]);
  const claims = ids.length > 0 ? await client.hmget(members, ...ids) : [];
  const claimed = ids.filter((_, index) => Number(/^\S+ \S+ (\d+)/.exec(claims[index] ?? '')?.[1]) > latest);
  const isLogAhead = logs.flat().some(([id]) => Number(id.split('-')[0]) > latest);
  return [
    ...(Number(rev) / 1000 > latest ? [`the revision of ${guild}`] : []),
    ...(claimed.length > 0 ? [`the last claim of ${firstThree(claimed)} of ${guild}`] : []),
    ...(isLogAhead ? [`the audit log of ${guild}`] : []),
  ];
}
