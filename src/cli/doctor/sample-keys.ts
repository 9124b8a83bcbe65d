import { commandLine } from '../../config/command-line.ts';
import { withNoun } from '../../core/format-numbers.ts';
import { nodesOf } from '../../core/store/client.ts';
import type { RedisKeys } from '../../core/store/redis-keys.ts';
import { oversizedKeyFields } from '../../core/text-bounds.ts';
import { type CheckContext, type Finding, firstThree, NO_GUILD, note, ok, problem } from './finding.ts';

/** Keys that Redis walks over in one SCAN, so that no client waits for it, and the most SCANs. */
const SCAN_COUNT = 100;
const MAX_SCANS = 300;
const MAX_MS = 3000;

/** The types of keys by their names behind the prefix, as docs/redis-keys.md lists them. */
const TYPES: readonly (readonly [name: RegExp, type: string])[] = [
  [/^key:[0-9a-f]{64}$/, 'hash'],
  [/^((operator-)?invite|session):[0-9a-f]{64}$|^operator-sessions$|^person-sessions:[\w.-]{1,64}$/, 'string'],
  [/^(operator-sessions:open|sessions:\{G\})$/, 'zset'],
  [/^quota:\{G\}(:\w{1,32})?$/, 'string'],
  [/^\{G\}~(week|month)(\.prev)?:(xp|hidden)$/, 'zset'],
  [/^\{G\}:((next:)?(xp|hidden)|season:xp)$/, 'zset'],
  [
    /^\{G\}:((next:)?(stats|config|members)|(next:)?hidden:reasons|(next:)?avatars|next:carried|about|season|keys|keys:used|usage)$/,
    'hash',
  ],
  [
    /^\{G\}:(cooldown:[\w.-]{1,64}|event:.+|event-part:\d+:.+|next:xp:lock|keys:rotating:\w{1,32}|sessions)$/s,
    'string',
  ],
  [/^\{G\}:audit(:security)?$/, 'stream'],
];

/**
 * Returns the guild and the type of a key by its name; the guild is "" for a key of no guild.
 * @returns undefined for a name that the data model does not know.
 */
export function kindOfKey(redisKeys: RedisKeys, key: string): { guild: string; type: string } | undefined {
  const [prefix = ''] = redisKeys.guild(NO_GUILD).xp.split(`{${NO_GUILD}}`);
  if (!key.startsWith(prefix)) return undefined;
  let guild = '';
  const name = key.slice(prefix.length).replace(/\{([\w.-]{1,64})\}/, (_, id: string) => {
    guild = id;
    return '{G}';
  });
  const type = TYPES.find(([pattern]) => pattern.test(name))?.[1];
  return type === undefined ? undefined : { guild, type };
}

/** Walks over a bounded number of keys of each master. If no key of the sample has the prefix, it asks for the size of the database. */
export async function sampleKeys({ client, redisKeys, config }: CheckContext) {
  const until = performance.now() + MAX_MS;
  const masters = nodesOf(client, 'master');
  const sample = {
    prefix: config.keyPrefix,
    keys: 0,
    /** Keys in the database if no key of the sample has the prefix; else 0. */
    others: 0,
    /** Whether it is all of them. */
    complete: true,
    guilds: new Set<string>(),
    /** Keys of another type than the data model says, with the types. */
    wrongTypes: [] as string[],
    /** Keys that the data model does not know. */
    unknownNames: [] as string[],
    /** API keys whose record has a field above its bound, with the fields. */
    oversized: [] as string[],
  };
  for (const node of masters) {
    let cursor = '0';
    for (let scans = 0; ; scans++) {
      const [next, keys] = await node.scan(cursor, 'MATCH', `${config.keyPrefix}:*`, 'COUNT', SCAN_COUNT);
      const typed = keys.map(async (key) => [key, await node.type(key)] as const);
      const apiKeys = keys.filter((key) => API_KEY.test(key.slice(config.keyPrefix.length)));
      for (const found of await Promise.all(apiKeys.map((key) => oversizedKey(node, key))))
        sample.oversized.push(...found);
      for (const [key, type] of await Promise.all(typed)) {
        const kind = kindOfKey(redisKeys, key);
        if (!kind) sample.unknownNames.push(key);
        // A key may expire between SCAN and TYPE.
        else if (type !== kind.type && type !== 'none') sample.wrongTypes.push(`${key} (${type}, not ${kind.type})`);
        // The keys of sessions do not show that a guild has data: an owner can sign in before the first data, and one key outlives a deleted guild by
        // a day.
        if (kind?.guild && !/:sessions($|:\{)/.test(key)) sample.guilds.add(kind.guild);
      }
      sample.keys += keys.length;
      cursor = next;
      if (cursor === '0') break;
      if (scans >= MAX_SCANS || performance.now() > until) {
        sample.complete = false;
        break;
      }
    }
  }
  if (sample.keys === 0) {
    for (const size of await Promise.all(masters.map((node) => node.dbsize()))) sample.others += size;
  }
  return sample;
}

const API_KEY = /^:key:[0-9a-f]{64}$/;

/** Returns the name of an API key and its fields above their bounds, if it has any. */
async function oversizedKey(node: Pick<CheckContext['client'], 'hgetall'>, key: string): Promise<string[]> {
  // A key of the wrong type is reported as a finding of its own.
  const record = await node.hgetall(key).catch(() => ({}) as Record<string, string>);
  const fields = oversizedKeyFields(record);
  const { id = '', guild_id: guild = '' } = record;
  return fields.length > 0 ? [`${id.slice(0, 32)} of guild ${guild.slice(0, 64)} (${fields.join(', ')})`] : [];
}

/** Returns what the sample says of the data model. */
export function keyFindings(sample: Awaited<ReturnType<typeof sampleKeys>>): Finding[] {
  const { prefix, keys, others, complete, guilds, wrongTypes, unknownNames, oversized } = sample;
  const check = 'keys';
  if (others > 0) {
    const none = `no key ${complete ? '' : 'of a sample '}begins with "${prefix}:"`;
    const fix = 'If the bot writes with another prefix, set KEY_PREFIX to that prefix';
    return [note(check, `${none}, although the database has ${withNoun(others, 'key')}`, fix)];
  }
  const size = `${complete ? 'all' : 'a sample of'} ${withNoun(keys, 'key')}, ${withNoun(guilds.size, 'guild')}`;
  const findings: Finding[] = [];
  if (wrongTypes.length > 0) {
    findings.push(
      problem(
        check,
        `wrong type: ${firstThree(wrongTypes)}`,
        'Find the program that writes them, and delete or rename them: docs/redis-keys.md has the types',
      ),
    );
  }
  if (unknownNames.length > 0) {
    const fix = 'Names have the guild id in braces, such as gr:{123}:xp. Rename the keys, or set another KEY_PREFIX';
    findings.push(problem(check, `not in the data model: ${firstThree(unknownNames)}`, fix));
  }
  if (oversized.length > 0)
    findings.push(
      problem(
        check,
        `API keys that do not work, because a field is above its bound: ${firstThree(oversized)}`,
        `Run "${commandLine('keys', 'revoke --guild GUILD KEY_ID')}" for each of these API keys, and create other API keys`,
      ),
    );
  return findings.length > 0 ? findings : [ok(check, `${size}: names and types are right`)];
}
