import type { Call } from './cases.ts';
import {
  AVATAR_CHANGES,
  BRIM,
  BROKEN,
  FULL,
  guildOf,
  IDS,
  NOW,
  Random,
  SMALL,
  sampleGuilds,
  smallWith,
  withAvatars,
  withReasons,
  xpChange,
} from './samples.ts';
import { type SeasonStep, seasonModels } from './season-calls.ts';
import { RUN_ID, type State, type Value } from './state.ts';

const LOCK = ':next:xp:lock';
const DATA = [':xp', ':stats', ':config', ':hidden', ':members'];
const REASONS = ':hidden:reasons';
/** The keys of each step. */
const KEYS: Readonly<Record<SeasonStep, readonly string[]>> = {
  'season-begin': [':stats', ':config', ':season', ':season:xp', LOCK, ':about'],
  'season-open-archive': [':xp', ':stats', ':config', ':hidden', ':season', LOCK, ':about'],
  'season-hold': [LOCK],
  'season-mark': [':xp', ':stats', ':hidden', ':members', ':season:xp', LOCK, REASONS, ':avatars'],
  'season-place': [...DATA, LOCK, REASONS],
  'season-end-copy': [...DATA, ':season', ':season:xp', LOCK],
  'season-reset': [...DATA, ':season', ':season:xp', LOCK, REASONS, ':avatars'],
  'season-finish': [':stats', ':season', LOCK],
  'season-unlock': [LOCK],
};
const STAGE_KEYS = [...DATA, LOCK, ':avatars'];
const locked: Record<string, Value> = { [LOCK]: { string: 'token', ms: 5000 } };
const ICON = 'a_0123456789abcdef0123456789abcdef';
const ARCHIVE: Value = { hash: { of: 'g s1' } };
const other: Record<string, Value> = { [LOCK]: { string: 'another', ms: 5000 } };

function seasonIn(phase: string, rest = 'keep'): Record<string, Value> {
  return { ':season': { hash: { id: 's1', archive: 'g.s1', phase, rest } } };
}

/** Returns marks for some members: less XP than they have, as much, or more. */
function marksOf(random: Random, state: State): Record<string, Value> {
  const scores = [':xp', ':hidden'].flatMap((key) =>
    Object.entries((state[key] as { zset?: object } | undefined)?.zset ?? {}),
  );
  const zset = Object.fromEntries(
    scores
      .filter(() => random.below(4) > 0)
      .map(([id, xp]) => [id, Math.max(0, Math.floor(Number(xp)) - random.pick([0, 0, 50, -50]))]),
  );
  return Object.keys(zset).length > 0 ? { ':season:xp': { zset } } : {};
}

/** Returns arguments that rank members. */
const ranked = (ids: readonly string[]) => ids.flatMap((id) => [id, '']);

/** A call of one step. */
interface SeasonCall extends Call {
  readonly step: SeasonStep;
}

/** Returns the calls of each step, by the name of its script. */
export function seasonCases(): [SeasonStep, Call[]][] {
  const all = [...allSeasonCases()];
  return (Object.keys(seasonModels) as SeasonStep[]).map((name) => [
    name,
    all.filter(({ step }) => step === name).map(({ step: _, ...call }) => call),
  ]);
}

function* allSeasonCases(): Iterable<SeasonCall> {
  const call = (name: string, state: State, mode: string, args: string[] = []): SeasonCall => {
    const step = `season-${mode}` as SeasonStep;
    return { name, state, step, keys: KEYS[step], args: ['token', ...args] };
  };
  const random = new Random(21);
  const states = sampleGuilds(24);
  for (const [n, state] of states.entries()) {
    for (const lock of [{}, locked, other]) {
      const before = { ...state, ...lock };
      yield call(`first season ${n}`, before, 'begin', ['g.s1', 'keep']);
      yield call(`archive ${n}`, before, 'open-archive', ['g s1', random.pick(['standard', 'lurkr']), '', '', '']);
    }
    const under = { ...withAvatars(random, withReasons(random, state)), ...locked };
    const copying = { ...under, ...seasonIn('copy') };
    for (const place of ['ranked', 'hidden']) yield call(`${n} ${place}`, copying, 'mark', ['100', '0', place]);
    const marks = marksOf(random, state);
    yield call(`${n} marked`, { ...copying, ...marks }, 'mark', ['100', '0', 'marked']);
    for (const place of ['ranked', 'hidden'])
      yield call(`${n} ${place} unmarked`, { ...copying, ...marks }, 'mark', ['100', '0', place, 'unmarked']);
    for (const which of ['all', '']) yield call(`${n} ${which}`, { ...copying, ...marks }, 'end-copy', [RUN_ID, which]);
    const ids = random.some(IDS, 3);
    const placed = ids.flatMap((id) => [id, random.pick(['moderator', 'left', 'self moderator', 'left self'])]);
    yield call(`${n} hidden`, { ...under, ':season': ARCHIVE }, 'place', placed);
    yield call(`${n} ranked`, { ...under, ':season': ARCHIVE }, 'place', ranked(ids));
    for (const rest of ['keep', 'drop']) {
      const resetting = { ...under, ...seasonIn('reset', rest), ...marksOf(random, state) };
      yield call(`${n} ${rest}`, resetting, 'reset', ['2']);
    }
  }
  for (const lock of [{}, locked, other]) {
    for (const phase of ['copy', 'reset', 'done']) {
      const before = { ...SMALL, ...seasonIn(phase), ...lock };
      yield call(`goes on in phase ${phase}`, before, 'begin', ['g.s1', 'keep']);
      for (const [marked, marks] of [
        ['nobody', {}],
        ['a member', { ':season:xp': { zset: { a: 300 } } }],
      ] as const) {
        const marking = { ...before, ...marks };
        yield call(`another archive in phase ${phase} with ${marked} marked`, marking, 'begin', ['g.s2', 'keep']);
        yield call(`another rest in phase ${phase} with ${marked} marked`, marking, 'begin', ['g.s1', 'drop']);
      }
      yield call(`on another server in phase ${phase}`, before, 'end-copy', ['0'.repeat(40), 'all']);
      for (const mode of ['hold', 'finish', 'unlock']) yield call(`in phase ${phase}`, before, mode);
      for (const [mode, args] of [
        ['mark', ['100', '0', 'ranked']],
        ['place', ['a', 'self']],
        ['end-copy', [RUN_ID, '']],
        ['reset', ['2']],
      ] as const)
        yield call(`in phase ${phase}`, before, mode, [...args]);
    }
    const moving = { ...smallWith({}, { moving: '1' }), ':season': ARCHIVE, ...lock };
    yield call('a guild whose move is unfinished', moving, 'begin', ['g.s1', 'keep']);
    yield call('an archive whose move is unfinished', moving, 'open-archive', ['g s1', 'standard', '', '', '']);
    const archive = { ...SMALL, ':season': ARCHIVE, ...lock };
    yield call('the archive of this season', archive, 'open-archive', ['g s1', 'lurkr', '2', 'Den', ICON]);
    yield call('the archive of another season', archive, 'open-archive', ['g s2', 'standard', '', '', '']);
    const empty = { ':season': ARCHIVE, ...lock };
    yield call('the archive of a season without members', empty, 'open-archive', ['g s2', 'standard', '', '', '']);
    for (const [name, icon] of [
      ['Den', ICON],
      ['', ICON],
      ['Den', ''],
    ] as const) {
      const about = { ':about': { hash: { ...(name && { name }), ...(icon && { icon }), roles: '[]' } } };
      yield call(`a guild called "${name}", with the icon "${icon}"`, { ...SMALL, ...about, ...lock }, 'begin', [
        'g.s1',
        'keep',
      ]);
      const archived = ['g s1', 'standard', '', name, icon];
      yield call(`the archive of a guild called "${name}", with the icon "${icon}"`, lock, 'open-archive', archived);
    }
    const long = { ':about': { hash: { name: 'x'.repeat(401), icon: 'x'.repeat(35) } } };
    yield call('a guild with a longer name and icon than a bot can tell', { ...SMALL, ...long, ...lock }, 'begin', [
      'g.s1',
      'keep',
    ]);
    for (const [name, config] of [
      ['a plan', { plan: 'pro' }],
      ['another curve', { xp_curve: 'amari' }],
      ['a curve of its own', { xp_curve: 'custom', xp_curve_custom: '0,0,50,0,1,1' }],
    ] as const) {
      const state = { ':config': { hash: config }, ...lock };
      for (const curve of ['standard', 'amari', 'custom=0,0,50,0,1,1'])
        yield call(`a guild with ${name}, ${curve}`, state, 'open-archive', ['g s1', curve, '2', '', '']);
    }
  }
  const wrong = { ...SMALL, ...locked, ...seasonIn('copy'), ':xp': { zset: { a: 300, 'a b': 5 } } };
  yield call('user_id', wrong, 'mark', ['100', '0', 'ranked']);
  const marks = { ':season:xp': { zset: { a: 300, '9': 10 } } };
  for (const [name, state] of [...BROKEN, ...FULL])
    yield call(name, { ...state, ...locked, ...seasonIn('reset'), ...marks }, 'reset', ['2']);
  for (const kind of ['hidden', 'ranked']) {
    const each = (ids: string[]) => (kind === 'hidden' ? ids.flatMap((id) => [id, 'left moderator']) : ranked(ids));
    yield call(`${kind}: user_id`, { ...SMALL, ...locked }, 'place', each(['a', 'a b']));
    yield call(`${kind}: total`, { ...BRIM, ...locked }, 'place', each(['9', 'a']));
    for (const [name, state] of [...BROKEN, ...FULL])
      yield call(`${kind}: ${name}`, { ...state, ...locked }, 'place', each(['a', '9']));
  }
  const low = guildOf({ ranked: { a: 300 }, stats: { total_xp: '-9223372036854775807' } });
  yield call('total', { ...low, ...locked, ...seasonIn('reset'), ...marks }, 'reset', ['2']);
  for (const [name, state] of BROKEN.filter(([broken]) => !broken.includes('ranking')))
    yield call(name, { ...state, ...locked }, 'begin', ['g.s1', 'keep']);
}

export function* stageCases(): Iterable<Call> {
  const random = new Random(22);
  const states = sampleGuilds(24);
  for (let n = 0; n < 200; n++) {
    const ids = Array.from({ length: 1 + random.below(3) }, () => random.pick(IDS));
    const entries = ids.flatMap((id) => {
      const change = random.pick(['', '- - - Ann', '3 none -', 'none - - ']);
      return [xpChange(random.pick(['set', 'set', 'hidden', 'add']), random.pick(['0', '100', '4675'])), id, change];
    });
    const lock = random.pick([locked, locked, locked, locked, other, {}]);
    yield {
      name: `random ${n}`,
      state: { ...random.pick(states), ...lock },
      keys: STAGE_KEYS,
      args: ['token', ...entries],
    };
  }
  const call = (name: string, state: State, entry: string[]) => ({
    name,
    state: { ...state, ...locked },
    now: NOW,
    keys: STAGE_KEYS,
    args: ['token', ...entry],
  });
  for (const avatar of AVATAR_CHANGES) yield call(`avatar ${avatar}`, SMALL, ['avatars', '5', 'a', '', avatar]);
  yield call('user_id', SMALL, ['5', 'a b', '']);
  yield call('xp', SMALL, ['-5', 'a', '']);
  yield call('range', SMALL, ['add -301', 'a', '']);
  yield call('field', SMALL, ['5', 'a', 'rank 1']);
  yield call('total', BRIM, ['5', 'new', '']);
  for (const [name, state] of [...BROKEN, ...FULL]) yield call(name, state, ['5', 'a', '']);
}
