import { NaiveGuild } from './guild.ts';
import type { State, Value } from './state.ts';

/** Random numbers that are the same in each run. */
export class Random {
  constructor(private seed: number) {}

  /** Returns a whole number below `n`. */
  below(n: number): number {
    this.seed = (Math.imul(this.seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.seed / 2 ** 32) * n);
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  /** Returns `count` of the list, each once, in another order. */
  some<T>(list: readonly T[], count: number): T[] {
    const rest = [...list];
    return Array.from({ length: Math.min(count, rest.length) }, () => rest.splice(this.below(rest.length), 1)[0] as T);
  }
}

/** Saturday, 28 March 2026, 22:30 UTC: one hour and a half before a day with a change of the clock in Europe. */
export const NOW = Date.UTC(2026, 2, 28, 22, 30) * 1000 + 123_000;
export const DAY = 86_400_000_000;
/** Few ids, of different lengths and close together, so that ties and byte order occur. */
export const IDS = ['1', '9', '10', 'a', 'B', 'a-b', '1234567890123456789'] as const;
const MAX = Number.MAX_SAFE_INTEGER;

const CONFIGS: readonly Record<string, string>[] = [
  {},
  {},
  { plan: 'pro', xp_multiplier: '1.5', rules: '{"message":{"xp":5}}' },
  { xp_curve: 'polaris', xp_multiplier: '2' },
  { xp_curve: 'amari', xp_multiplier: '0.333333' },
  { xp_curve: 'lurkr', xp_multiplier: '0' },
  { xp_curve: 'arcane', xp_multiplier: '1e1' },
  { xp_curve: 'custom', xp_curve_custom: '0,0,50,0,1,1', xp_multiplier: 'x' },
  { xp_curve: 'custom', xp_curve_custom: '1,2,-3,400,7,5', xp_multiplier: '1.0000005' },
];
/** Profiles as they are stored: level, streak, last claim and name. Some are none. */
const PROFILES: readonly string[] = [
  '- 0 - Ann',
  '7 0 - Ünal',
  '0 0 - a\nb\\',
  '9007199254740991 0 -',
  'high 0 - Ben',
  '- 0 -  two  words ',
  '12 3 - 4 5 6 7',
  'Ann',
  'Ann Lee',
  'Ann Lee of Berlin',
  '  ',
  ...[
    ['3', '2026-03-28T10:00:00.000Z', ''],
    ['4', '2026-03-27T23:30:00.000Z', '+60'],
    ['9', '2026-03-27T12:00:00.000Z', ''],
    ['2', '2026-03-26T00:00:00.000Z', '-300'],
    ['6', '2026-03-27T18:00:00.000Z', '+0'],
    ['1', '2026-03-28T23:00:00.000Z', '+120'],
    ['5', '2026-04-02T00:00:00.000Z', ''],
    ['8', '0001-01-01T00:00:00.000Z', '+'],
  ].map(([streak, time, offset]) => `- ${streak} ${Date.parse(time as string)}${offset} Ann`),
  '- many yesterday Ann',
  '- 2.7 99999999999999999999 Ann',
];

interface Members {
  readonly ranked?: Record<string, number>;
  readonly hidden?: Record<string, number>;
  readonly reasons?: Record<string, string>;
  readonly profiles?: Record<string, string>;
  readonly config?: Record<string, string>;
  /** Other fields of the stats, in the place of the right ones. */
  readonly stats?: Record<string, string>;
  readonly keys?: State;
}

/** Returns a guild with these members and right counters. */
export function guildOf({
  ranked = {},
  hidden = {},
  reasons = {},
  profiles = {},
  config = {},
  stats = {},
  keys = {},
}: Members): State {
  const state = withoutEmpty({
    ':members': { hash: profiles },
    ':xp': { zset: ranked },
    ':hidden': { zset: hidden },
    ':hidden:reasons': { hash: reasons },
    ':config': { hash: config },
  });
  const number = Object.keys(hidden).length;
  const guild = new NaiveGuild(state, NOW).open();
  const counters = {
    ...guild.counted(),
    ...guild.noted(),
    ...(number > 0 ? { hidden: String(number) } : {}),
  };
  const isEmpty = Object.keys(ranked).length + number === 0;
  const own = isEmpty ? {} : { rev: String(NOW - DAY), model: '1', ...counters };
  return withoutEmpty({ ...state, ':stats': { hash: { ...own, ...stats } }, ...keys });
}

function withoutEmpty(state: State): State {
  return Object.fromEntries(Object.entries(state).filter(([, value]) => sizeOf(value) > 0));
}

function sizeOf(value: Value): number {
  if ('string' in value) return 1;
  return Object.keys('hash' in value ? value.hash : value.zset).length;
}

/** Returns guilds of all kinds: without members, with hidden ones, on each curve, with raw scores and with a revision ahead of the clock. */
export function sampleGuilds(count: number): State[] {
  const random = new Random(1);
  const guilds = Array.from({ length: count }, () => {
    const ids = random.some(IDS, 1 + random.below(5));
    const xp = () => random.pick([0, 99, 100, 255, 4675, 12.75, -3, MAX - 5, random.below(6000), random.below(6000)]);
    const places = ids.map((id) => [id, xp(), random.below(4) === 0] as const);
    const profiles = ids.flatMap((id) => (random.below(4) === 0 ? [] : [[id, random.pick(PROFILES)] as const]));
    return guildOf({
      ranked: Object.fromEntries(places.flatMap(([id, score, isHidden]) => (isHidden ? [] : [[id, score]]))),
      hidden: Object.fromEntries(places.flatMap(([id, score, isHidden]) => (isHidden ? [[id, score]] : []))),
      profiles: Object.fromEntries(profiles),
      config: random.pick(CONFIGS),
      ...(random.below(4) === 0 ? { stats: { rev: String(NOW + DAY) } } : {}),
    });
  });
  const left = guildOf({ ranked: { a: 300 }, profiles: { a: '- 0 - Ann', B: '50 8 - Old' } });
  return [{}, guildOf({ config: { xp_curve: 'lurkr' } }), left, ...guilds];
}

/** Reasons as they are stored, and texts that a raw writer can have left. */
const REASONS = ['left', 'self', 'left self', 'self moderator', 'left self moderator', '', 'moderator left', 'ban'];

/** Returns a change of XP as record.lua takes it. */
export function xpChange(word: string, digits: string): string {
  if (word === 'set') return digits;
  return word === 'keep' ? word : `${word} ${digits}`;
}

/** Returns a guild with reasons of most of its hidden members. */
export function withReasons(random: Random, state: State): State {
  const hidden = state[':hidden'] as { zset: Record<string, number> } | undefined;
  const ids = Object.keys(hidden?.zset ?? {}).filter(() => random.below(3) > 0);
  const hash = Object.fromEntries(ids.map((id) => [id, random.pick(REASONS)]));
  return ids.length > 0 ? { ...state, ':hidden:reasons': { hash } } : state;
}

const AVATAR = '0123456789abcdef0123456789abcdef';
/** Changes of an avatar, those that are refused among them. */
export const AVATAR_CHANGES = [
  '',
  'none',
  AVATAR,
  `a_${AVATAR}`,
  'None',
  'x',
  `b_${AVATAR}`,
  `${AVATAR}0`,
  AVATAR.slice(1),
  AVATAR.toUpperCase(),
  `a_${AVATAR.slice(2)}`,
  `${AVATAR}\n`,
] as const;

/** Returns a guild with avatars of most of its members, and of a user who is none. */
export function withAvatars(random: Random, state: State): State {
  const ids = [':xp', ':hidden'].flatMap((key) =>
    Object.keys((state[key] as { zset?: object } | undefined)?.zset ?? {}),
  );
  const some = ids.filter(() => random.below(3) > 0);
  const hash = Object.fromEntries(
    [...some, '10'].map((id) => [id, random.pick([AVATAR, `a_${AVATAR}`, 'https://a.example'])]),
  );
  return { ...state, ':avatars': { hash } };
}

/** A small guild for the cases of refusals. */
export const SMALL = guildOf({
  ranked: { a: 300, B: MAX - 10 },
  hidden: { '9': 500 },
  profiles: { a: '- 0 - Ann', '9': '- 0 - Nine' },
});

/** Returns the small guild with other content of some keys. */
export function smallWith(keys: Record<string, Value>, stats: Record<string, string> = {}): State {
  const own = SMALL[':stats'] as { hash: Record<string, string> };
  return { ...SMALL, ':stats': { hash: { ...own.hash, ...stats } }, ...keys };
}

/** States that each script with a curve refuses by an error of its own or of Redis. */
export const BROKEN: readonly (readonly [string, State])[] = [
  ['newer data', smallWith({}, { model: '3' })],
  ['a version that is no number', smallWith({}, { model: 'new' })],
  ['an unknown curve', smallWith({ ':config': { hash: { xp_curve: 'steep' } } })],
  ['custom without numbers', smallWith({ ':config': { hash: { xp_curve: 'custom' } } })],
  ['custom that falls', smallWith({ ':config': { hash: { xp_curve: 'custom', xp_curve_custom: '0,0,-5,0,1,1' } } })],
  [
    'custom out of bounds',
    smallWith({ ':config': { hash: { xp_curve: 'custom', xp_curve_custom: '1000001,0,0,0,1,1' } } }),
  ],
  ['a ranking of another type', smallWith({ ':xp': { string: 'text' } })],
  ['profiles of another type', smallWith({ ':members': { string: 'text' } })],
  ['a config of another type', smallWith({ ':config': { zset: { a: 1 } } })],
];
/** States whose counters refuse a write. */
export const FULL: readonly (readonly [string, State])[] = [
  ['a counter that is no number', smallWith({}, { total_xp: '1.5' })],
  ['a counter of too many digits', smallWith({}, { members: '10000000000000000000' })],
];
/** The total XP and the levels of this guild are at 2^63-1. */
export const BRIM = smallWith({}, { total_xp: '9223372036854775807', level_sum: '9223372036854775807' });
