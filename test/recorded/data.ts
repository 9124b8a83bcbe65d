import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Redis } from 'ioredis';
import { hashKey } from '../../src/core/access/key-format.ts';

/**
 * The data that every recording is made on. It is written as docs/redis-keys.md describes it, without the project's own
 * writers: a change of a writer must not change what the answers are compared on.
 */

interface TestMember {
  readonly xp: number | string;
  /** As gr:{G}:members has it. */
  readonly profile?: string | Buffer;
}

interface TestGuild {
  readonly config?: Readonly<Record<string, string>>;
  readonly stats?: Readonly<Record<string, string>>;
  readonly members?: Readonly<Record<string, TestMember>>;
}

const PLAN = { plan: 'pro' };
const EDGES = [0, 1, 35, 99, 100, 154, 155, 1000, 123_456, 987_654_321, Number.MAX_SAFE_INTEGER];

/** XP values around thresholds, the same on every curve. */
const edgeMembers = Object.fromEntries(EDGES.map((xp, i) => [`m${i}`, { xp }]));
const curveGuild = (xp_curve: string): TestGuild => ({
  config: { ...PLAN, xp_curve, xp_multiplier: '1.5' },
  stats: { members: '10', total_xp: '9007200242520991', level_sum: '12345', rev: '7' },
  members: edgeMembers,
});
const numbered = (count: number): Record<string, TestMember> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`u${i}`, { xp: (i + 1) * 137 }]));

const profiles: Record<string, TestMember> = {
  plain: { xp: 5000, profile: '- 0 - Ada' },
  nameless: { xp: 4900 },
  'empty-name': { xp: 4800, profile: '- 0 - ' },
  unicode: { xp: 4700, profile: '- 0 - Zoë 🦊 данные 数据 ‏שלום' },
  quotes: { xp: 4600, profile: '- 0 - "Bob" \\ </script>\n\t\u0001' },
  separators: { xp: 4500, profile: '- 0 - a\u2028b\u2029c\u0000d\u007fe' },
  invalid: { xp: 4400, profile: Buffer.from([...Buffer.from('- 0 - '), 0x41, 0xff, 0xfe, 0x42]) },
  long: { xp: 4300, profile: `- 0 - ${'long '.repeat(40)}` },
  leveled: { xp: 4200, profile: '77 0 - Lev' },
  'level-zero': { xp: 4100, profile: '0 0 -' },
  'level-padded': { xp: 4000, profile: '007 0 -' },
  'level-word': { xp: 3900, profile: 'ten 0 -' },
  'level-huge': { xp: 3800, profile: '99999999999999999999 0 -' },
  'level-negative': { xp: 3700, profile: '-5 0 -' },
  streak: { xp: 3600, profile: `- 12 ${Date.UTC(2026, 10, 20, 10)}+60` },
  'streak-odd': { xp: 3500, profile: `- 2.7 ${Date.UTC(2026, 10, 20)}` },
  'streak-negative': { xp: 3400, profile: '- -3 yesterday' },
  'streak-word': { xp: 3300, profile: `- many ${Date.UTC(2026, 10, 20, 8)}` },
  'claim-late': { xp: 3200, profile: `- 0 ${Date.UTC(12026, 0)}` },
  'claim-empty': { xp: 3100, profile: '- 0 ' },
  'equal.A': { xp: 3000 },
  'equal.a': { xp: 3000 },
  equal_a: { xp: 3000 },
  'equal-a': { xp: 3000 },
  '81384788765712384': { xp: 2900, profile: '- 0 - Digits' },
  ['x'.repeat(64)]: { xp: 2800 },
  zero: { xp: 0 },
};

const odd: Record<string, TestMember> = {
  fraction: { xp: '10.9' },
  small: { xp: '0.4' },
  negative: { xp: -7 },
  infinite: { xp: 'inf' },
  minus: { xp: '-inf' },
  huge: { xp: '1e300' },
  beyond: { xp: '9007199254740993' },
};

const statsOf = (stats: Record<string, string>, config: Record<string, string> = {}): TestGuild => ({
  config: { ...PLAN, ...config },
  stats,
});

/** The guilds, by id. Each has one key, named as the guild is. */
export const GUILDS: Readonly<Record<string, TestGuild>> = {
  guild: {
    config: PLAN,
    stats: { members: '26', total_xp: '100700', level_sum: '321', rev: '1700000000000000' },
    members: profiles,
  },
  big: {
    config: PLAN,
    stats: { members: '250', total_xp: '4298375', level_sum: '2400', rev: '5' },
    members: numbered(250),
  },
  ten: { config: PLAN, stats: { members: '10', total_xp: '7535', level_sum: '30', rev: '5' }, members: numbered(10) },
  empty: {},
  odd: { config: PLAN, stats: { rev: 'abc' }, members: odd },
  raw: { config: PLAN, members: numbered(3) },
  'g.with-all_signs': { config: PLAN, members: numbered(1) },
  '81384788765712384': {
    config: PLAN,
    stats: { members: '3', total_xp: '822', level_sum: '5', rev: '9' },
    members: numbered(3),
  },
  ...Object.fromEntries(
    ['standard', 'amari', 'lurkr', 'polaris', 'arcane', 'unknown'].map((c) => [`c-${c}`, curveGuild(c)]),
  ),
  's-large': statsOf({ members: '3', total_xp: '9223372036854775807', level_sum: '7', rev: '1' }),
  's-negative': statsOf({ members: '-3', total_xp: '-5', level_sum: '-7', rev: '-1' }, { xp_multiplier: '-1' }),
  's-words': statsOf({ members: 'a', total_xp: '1e5', level_sum: 'c', rev: 'd' }, { xp_multiplier: 'fast' }),
  's-fraction': statsOf({ members: '2.5', total_xp: '3.5', level_sum: '5.1', rev: '1.5' }, { xp_multiplier: '0.10' }),
  's-zero': statsOf({ members: '0', total_xp: '0', level_sum: '9', rev: '0' }, { xp_multiplier: '0' }),
  's-infinite': statsOf({ members: 'Infinity', total_xp: '007', level_sum: '1' }, { xp_multiplier: 'Infinity' }),
  's-half': statsOf({ members: '2', total_xp: '10', level_sum: '5', rev: '2' }, { xp_multiplier: '1e3' }),
  's-proto': statsOf(
    { members: '1', total_xp: '1', level_sum: '1', rev: '2' },
    { xp_curve: '__proto__', xp_multiplier: ' 2 ' },
  ),
  'on-free': { config: { plan: 'free' }, members: numbered(2) },
  'on-small': { config: { plan: 'small' }, members: numbered(2) },
  'on-starter': { config: { plan: 'starter' }, members: numbered(2) },
  'on-unknown': { config: { plan: 'gold' }, members: numbered(2) },
  limited: { config: PLAN, stats: { rev: '1' }, members: numbered(2) },
  broken: { config: PLAN },
  unplanned: {},
};

const ORIGINS: Readonly<Record<string, string>> = { limited: 'https://a.example http://localhost:3000' };

/** Further keys: of the guild "guild", and not valid or not forever. */
const KEYS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  expired: { expires_at: '2020-01-01T00:00:00.000Z' },
  expiring: { expires_at: '2999-01-01T00:00:00.000Z' },
  undated: { expires_at: 'soon' },
};

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Returns a well-formed API key, the same for the same name. */
export function keyNamed(name: string): string {
  const random = [...createHash('sha256').update(name).digest()].map((byte) => ALPHABET.charAt(byte % 62));
  const body = `gr_${random.join('')}`;
  let sum = crc32(body);
  let checksum = '';
  for (let i = 0; i < 6; i++) {
    checksum = ALPHABET.charAt(sum % 62) + checksum;
    sum = Math.floor(sum / 62);
  }
  return body + checksum;
}

/** Empties Redis and writes all guilds and keys. */
export async function writeData(redis: Redis): Promise<void> {
  await redis.flushall();
  const pipeline = redis.pipeline();
  for (const [id, { config, stats, members }] of Object.entries(GUILDS)) {
    if (config) pipeline.hset(`gr:{${id}}:config`, config);
    if (stats) pipeline.hset(`gr:{${id}}:stats`, stats);
    for (const [user, { xp, profile }] of Object.entries(members ?? {})) {
      pipeline.zadd(`gr:{${id}}:xp`, xp, user);
      if (profile) pipeline.hset(`gr:{${id}}:members`, user, profile);
    }
    const origins = ORIGINS[id];
    addKey(pipeline, id, id, origins === undefined ? {} : { origins });
  }
  for (const [name, fields] of Object.entries(KEYS)) addKey(pipeline, name, 'guild', fields);
  pipeline.set('gr:{broken}:xp', 'not a sorted set');
  for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error;
}

function addKey(
  pipeline: ReturnType<Redis['pipeline']>,
  name: string,
  guildId: string,
  fields: Readonly<Record<string, string>>,
): void {
  const sha = hashKey(keyNamed(name));
  pipeline.hset(`gr:{${guildId}}:keys`, name, sha);
  const record = { id: name, guild_id: guildId, name: 'recorded', created_at: '2026-01-01T00:00:00.000Z' };
  pipeline.hset(`gr:key:${sha}`, { ...record, ...fields });
}
