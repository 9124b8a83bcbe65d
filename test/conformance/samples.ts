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
  { plan: 'pro', xp_multiplier: '1.5' },
  { xp_curve: 'polaris', xp_multiplier: '2' },
  { xp_curve: 'amari', xp_multiplier: '0.333333' },
  { xp_curve: 'lurkr', xp_multiplier: '0' },
  { xp_curve: 'arcane', xp_multiplier: '1e1' },
  { xp_curve: 'custom', xp_curve_custom: '0,0,50,0,1,1', xp_multiplier: 'x' },
  { xp_curve: 'custom', xp_curve_custom: '1,2,-3,400,7,5', xp_multiplier: '1.0000005' },
];
const CLAIMS: readonly Record<string, string>[] = [
  {},
  {},
  { last_daily_claim: '2026-03-28T10:00:00.000Z', daily_streak: '3' },
  { last_daily_claim: '2026-03-27T23:30:00.000Z', daily_streak: '4', claim_day: '20540 2026-03-27T23:30:00.000Z' },
  { last_daily_claim: '2026-03-27T12:00:00.000Z', daily_streak: '9' },
  { last_daily_claim: '2026-03-26', daily_streak: '2' },
  { last_daily_claim: '2026-03-27 20:00+0200', daily_streak: '6' },
  { last_daily_claim: '2026-03-29T01:00:00+02:00', daily_streak: '1' },
  { last_daily_claim: 'yesterday', daily_streak: 'many' },
  { last_daily_claim: '2026-04-02T00:00:00Z', daily_streak: '5', claim_day: '20540 2026-01-01T00:00:00Z' },
];
const PROFILES: readonly Record<string, string>[] = [
  {},
  { username: 'Ann' },
  { username: 'Ünal', level: '7' },
  { username: 'a\nb\\', level: '0' },
  { level: '9007199254740991' },
  { level: 'high' },
];

interface Members {
  readonly ranked?: Record<string, number>;
  readonly hidden?: Record<string, number>;
  readonly profiles?: Record<string, Record<string, string>>;
  readonly config?: Record<string, string>;
  /** Other fields of the stats, in the place of the right ones. */
  readonly stats?: Record<string, string>;
  readonly keys?: State;
}

/** Returns a guild with these members and right counters. */
export function guildOf({
  ranked = {},
  hidden = {},
  profiles = {},
  config = {},
  stats = {},
  keys = {},
}: Members): State {
  const content: [string, Value][] = Object.entries(profiles).map(([id, hash]) => [`:member:${id}`, { hash }]);
  content.push([':xp', { zset: ranked }], [':hidden', { zset: hidden }], [':config', { hash: config }]);
  const state = withoutEmpty(Object.fromEntries(content));
  const number = Object.keys(hidden).length;
  const counters = {
    ...new NaiveGuild(state, NOW).open().counted(),
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
    const profiles = ids.map((id) => [id, { ...random.pick(PROFILES), ...random.pick(CLAIMS) }] as const);
    return guildOf({
      ranked: Object.fromEntries(places.flatMap(([id, score, isHidden]) => (isHidden ? [] : [[id, score]]))),
      hidden: Object.fromEntries(places.flatMap(([id, score, isHidden]) => (isHidden ? [[id, score]] : []))),
      profiles: Object.fromEntries(profiles.filter(([, profile]) => Object.keys(profile).length > 0)),
      config: random.pick(CONFIGS),
      ...(random.below(4) === 0 ? { stats: { rev: String(NOW + DAY) } } : {}),
    });
  });
  const deleted = guildOf({
    ranked: { a: 300 },
    profiles: { a: { username: 'Ann' }, B: { username: 'Old', level: '50', daily_streak: '8' } },
    stats: { deleting: '1' },
  });
  return [{}, guildOf({ config: { xp_curve: 'lurkr' } }), deleted, ...guilds];
}

/** A small guild for the cases of refusals. */
export const SMALL = guildOf({
  ranked: { a: 300, B: MAX - 10 },
  hidden: { '9': 500 },
  profiles: { a: { username: 'Ann' }, '9': { username: 'Nine' } },
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
  ['a config of another type', smallWith({ ':config': { zset: { a: 1 } } })],
];
/** States whose counters refuse a write. */
export const FULL: readonly (readonly [string, State])[] = [
  ['a counter that is no number', smallWith({}, { total_xp: '1.5' })],
  ['a counter of too many digits', smallWith({}, { members: '10000000000000000000' })],
];
/** The total XP and the levels of this guild are at 2^63-1. */
export const BRIM = smallWith({}, { total_xp: '9223372036854775807', level_sum: '9223372036854775807' });
