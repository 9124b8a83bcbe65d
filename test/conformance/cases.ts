import { boardCases } from './board-cases.ts';
import { boardModels } from './boards.ts';
import { type Model, nameOfRecord } from './bot-calls.ts';
import { NaiveGuild } from './guild.ts';
import { list } from './guild-calls.ts';
import { around, batch, card, members, names } from './reads.ts';
import {
  AVATAR_CHANGES,
  BRIM,
  BROKEN,
  DAY,
  FULL,
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
import { seasonModels, stage } from './season-calls.ts';
import { seasonCases, stageCases } from './season-cases.ts';
import { type Case, Refused, type State, type Suite, sorted } from './state.ts';

/** A call on a state, without its result. */
export interface Call {
  readonly name: string;
  readonly state: State;
  readonly now?: number;
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

const GUILD_KEYS = [':xp', ':stats', ':config', ':hidden', ':members'];
const HIDE_KEYS = [...GUILD_KEYS, ':hidden:reasons'];
const READ_KEYS = [':xp', ':stats', ':config', ':members'];
const BAD_IDS = ['', 'a b', 'é', 'a'.repeat(65)];
const LONG = 'é'.repeat(513);
const RANDOM_CALLS = 200;
/** Among them names that look like other parts. */
const NAMES = ['Ünal', ' Ann  Lee ', '7', '- 3 -', '\n', '数据 🦊'];
const LEVELS = ['12', '0', '007'];
const STREAKS = ['4', '0'];
const CLAIMS = ['1772323200000', '-62135596800000', '0'];
const STATES = sampleGuilds(24);
/** XP, multiplier of the guild and factor of the call: halves, products above 2^53, and multipliers that are no plain decimals. */
const FACTORS: readonly (readonly [string, string | undefined, string])[] = [
  ['5', undefined, ''],
  ['5', undefined, '1'],
  ['5', undefined, '0'],
  ['5', undefined, '1.5'],
  ['3', undefined, '1.5'],
  ['3', undefined, '0.166666'],
  ['3', '1.5', '1.5'],
  ['1', '0.5', '0.999999'],
  ['1', '0.707107', '0.707107'],
  ['1', '0.707106', '0.707107'],
  ['999999999', '3.141592', '2.718281'],
  ['1000000000', '999.999999', '999.999999'],
  ['1000000000', '1000', '1000'],
  ['999999937', '0.000001', '0.000001'],
  ['500000000', '0.001', '0.000001'],
  ['1000000000', '9007.199255', '1000'],
  ['1000000000', '9007.199254', '1000.'],
  ['15', '0.3333339', '3'],
  ['15', '99999999999999999999', '0.5'],
  ['15', '1e1', '0.5'],
  ['15', '1e1', '0.033333'],
  ['15', '9'.repeat(400), '0'],
  ['15', '9'.repeat(400), '0.5'],
  ['15', 'fast', '0.5'],
  ['15', '', '0.5'],
  ['15', '-2', '0.5'],
];

const awardKeys = (id: string) => [...GUILD_KEYS, `:cooldown:${id}`];

function* random(
  seed: number,
  call: (random: Random, state: State) => Omit<Call, 'name' | 'state'> & { state?: State },
) {
  const source = new Random(seed);
  for (let n = 0; n < RANDOM_CALLS; n++) {
    const state = source.pick(STATES);
    yield { name: `random ${n}`, state, ...call(source, state) };
  }
}

/** Calls that are done once for an event. @param good arguments that are not refused. @param bad those that are. */
function* eventCases(keys: string[], what: string, good: string[], bad: string[], waiting?: State): Iterable<Call> {
  const event = ':event:Message 1}';
  const call = (name: string, args: string[], state: State = SMALL) => ({ name, state, keys: [...keys, event], args });
  for (const ttl of ['60000', '600000', '86400000']) yield call(`event: kept for ${ttl} ms`, [ttl, ...good]);
  for (const ttl of ['', '0', '-1', 'x', '060000', '86400001']) yield call(`event: argument ${ttl}`, [ttl, ...good]);
  yield call('event: a refusal is not kept', ['600000', ...bad]);
  if (waiting) yield call('event: a wait is not kept', ['600000', ...good], waiting);
  const kept = (state: State, of: string) => ({
    ...state,
    [event]: { string: `${of}\nOK\n1774737000000000\n\n5\n`, ms: 300_000 },
  });
  yield call('event: repeated', ['600000', ...good], kept(SMALL, what));
  yield call('event: of another call', ['600000', ...good], kept(SMALL, `${what}2`));
  yield call('event: of a guild that was deleted', ['600000', ...good], kept({}, what));
}

function* awardCases(): Iterable<Call> {
  yield* random(11, (r, state) => {
    const id = r.pick(IDS);
    const amount = r.pick(['0', '1', '15', '99', '100', '400', '1000', '1000000000']);
    const cooldown = r.pick(['0', '60000', '90000', '31536000000']);
    const running = r.below(4) === 0 ? { [`:cooldown:${id}`]: { string: '1', ms: 45_000 } } : {};
    const args = [id, amount, cooldown, r.pick(['', '', 'Ann', 'Ünal', 'a\nb\\']), r.pick(['', 'rank'])];
    return { state: { ...state, ...running }, keys: awardKeys(id), args };
  });
  const call = (name: string, args: string[], state = SMALL) => {
    return { name, state, keys: awardKeys(args[0] as string), args };
  };
  for (const amount of ['', '-1', '1.5', '1e3', 'x', ' 1', '1000000001', '99999999999999999999'])
    yield call(`argument: amount ${amount}`, ['a', amount, '0', '', '']);
  for (const cooldown of ['', '-1', '0.5', 'x', '31536000001'])
    yield call(`argument: cooldown ${cooldown}`, ['a', '5', cooldown, '', 'rank']);
  for (const factor of ['-1', '1e3', ' 1', '.5', '1,5', 'x', '1.1234567', '1000.000001', '1001', '00001'])
    yield call(`argument: factor ${factor}`, ['a', '5', '0', '', '', factor]);
  for (const [amount, multiplier, factor] of FACTORS) {
    const config = multiplier === undefined ? {} : { ':config': { hash: { xp_multiplier: multiplier } } };
    const args = ['new', amount, '60000', '', '', factor];
    yield call(`a factor ${factor} of ${amount}, times ${multiplier}`, args, smallWith(config));
  }
  for (const id of BAD_IDS) yield call('user_id', [id, '5', '0', '', '']);
  const withKey = [...awardKeys('a'), ':avatars'];
  for (const avatar of AVATAR_CHANGES) {
    const args = ['a', '5', '60000', '', 'rank', '', avatar];
    yield { ...call(`avatar ${avatar}`, args), keys: withKey };
    yield { ...call(`avatar ${avatar}, with others`, args, withAvatars(new Random(5), SMALL)), keys: withKey };
    yield { ...call(`avatar ${avatar}, without its key`, args), keys: awardKeys('a') };
  }
  const waiting = { ...SMALL, ':cooldown:a': { string: '60000 ms', ms: 45_000 } };
  const [, , , hash] = AVATAR_CHANGES;
  yield {
    ...call('an avatar, while the cooldown runs', ['a', '5', '60000', '', '', '', hash], waiting),
    keys: withKey,
  };
  yield {
    ...call('an avatar of an event', ['60000', 'a', '5', '0', '', '', '1', hash]),
    keys: [...withKey, ':event:e'],
  };
  yield {
    ...call('the avatars are of another type', ['a', '5', '0', '', '', '', hash], {
      ...SMALL,
      ':avatars': { string: 'x' },
    }),
    keys: withKey,
  };
  yield* eventCases(awardKeys('a'), 'award a', ['a', '5', '60000', 'Ann', 'rank'], ['a', 'x', '0', '', ''], {
    ...SMALL,
    ':cooldown:a': { string: '60000 ms', ms: 45_000 },
  });
  for (const id of ['a', '9', 'new']) yield call('field: name too long', [id, '5', '0', LONG, '']);
  for (const amount of ['10', '11', '1000000000'])
    yield call(`range from 2^53-11: ${amount}`, ['B', amount, '60000', '', 'rank']);
  for (const id of ['a', 'new']) yield call('total', [id, '5', '60000', 'Ann', ''], BRIM);
  yield call('a total of 2^63-1', ['a', '5', '0', '', ''], smallWith({}, { total_xp: '9223372036854775802' }));
  yield call('total: a hidden member is not counted', ['9', '5', '0', '', ''], BRIM);
  for (const [name, state] of [...BROKEN, ...FULL])
    for (const id of ['a', 'new']) yield call(name, [id, '5', '60000', 'Ann', 'rank'], state);
  yield call('a cooldown with a leading zero', ['a', '5', '060000', '', '']);
  for (const [name, string, ms] of [
    ['runs', '60000 ms', 45_000],
    ['runs, longer than the one asked for', '90000 ms', 80_000],
    ['is over: the clock went back', '60000 ms', 3_645_000],
    ['is over: the clock went back far', '1 ms', 31_536_000_000],
    ['runs: a text without a length', '1', 3_645_000],
    ['runs: an unknown text', '60000', 3_645_000],
  ] as const)
    yield call(`a cooldown that ${name}`, ['a', '5', '60000', '', 'rank'], { ...SMALL, ':cooldown:a': { string, ms } });
}

function* claimCases(): Iterable<Call> {
  yield* random(12, (r) => {
    const id = r.pick(IDS);
    const rewards = r.pick([['100'], ['10', '20', '40'], ['0'], ['1000000000']]);
    const offset = r.pick(['0', '60', '120', '-300', '840', '-1440', '1440']);
    const interval = r.pick(['0', '72000000', '72000000', '604800000']);
    const args = [
      id,
      offset,
      r.pick(['0', '0', '1', '7', '365']),
      interval,
      r.pick(['', '', 'Ann', 'Ünal']),
      ...rewards,
    ];
    const now = NOW + r.pick([0, 0, DAY / 16, DAY / 2, DAY, 2 * DAY, 30 * DAY, -DAY]);
    return { now, keys: GUILD_KEYS, args };
  });
  const call = (name: string, args: string[], state = SMALL) => ({ name, state, keys: GUILD_KEYS, args });
  for (const offset of ['', 'x', '1441', '-1441', '60.5', '+60', '--1'])
    yield call(`argument: offset ${offset}`, ['a', offset, '0', '0', '', '5']);
  for (const days of ['', '-1', '366', '1.0']) yield call(`argument: days ${days}`, ['a', '0', days, '0', '', '5']);
  for (const interval of ['', '-1', '1.5', '604800001'])
    yield call(`argument: interval ${interval}`, ['a', '0', '0', interval, '', '5']);
  for (const rewards of [[], [''], ['-1'], ['5', 'x'], ['1000000001'], ['5', '5', '1.5']])
    yield call(`argument: rewards ${rewards.join(' ')}`, ['a', '0', '0', '0', '', ...rewards]);
  for (const id of BAD_IDS) yield call('user_id', [id, '0', '0', '0', '', '5']);
  yield* eventCases(GUILD_KEYS, 'claim a', ['a', '60', '1', '0', 'Ann', '5', '9'], ['a', '60', '1', '0', 'Ann', '-5']);
  for (const id of ['a', '9', 'new']) yield call('field: name too long', [id, '0', '0', '0', LONG, '5']);
  for (const xp of ['10', '11']) yield call(`range from 2^53-11: ${xp}`, ['B', '0', '0', '0', '', xp]);
  for (const id of ['a', 'new', '9']) yield call('total', [id, '60', '1', '72000000', 'Ann', '5'], BRIM);
  for (const [name, state] of [...BROKEN, ...FULL])
    for (const id of ['a', 'new']) yield call(name, [id, '0', '0', '72000000', 'Ann', '5'], state);
}

/** Returns digits for a change of XP. Only an addition can be negative. */
function digitsFor(op: string, r: Random): string {
  if (op === 'level') return r.pick(['0', '1', '10', '1000']);
  const amounts = ['0', '7', '100', '4675', '9007199254740991'];
  return r.pick(op === 'add' ? [...amounts, '-1', '-300'] : amounts);
}

function* recordCases(): Iterable<Call> {
  yield* random(13, (r) => {
    const ids = Array.from({ length: 1 + r.below(4) }, () => r.pick(IDS));
    const entries = ids.flatMap((id) => {
      const op = r.pick(['set', 'set', 'add', 'add', 'take', 'level', 'hidden', 'keep']);
      const xp = digitsFor(op, r);
      const part = (values: readonly string[]) => r.pick(['-', '-', 'none', ...values]);
      const parts = [part(LEVELS), part(STREAKS), part(CLAIMS), ...r.pick([[], [''], [r.pick(NAMES)]])];
      return [xpChange(op, xp), id, r.below(3) === 0 ? '' : parts.join(' ')];
    });
    return { keys: GUILD_KEYS, args: [...(r.below(3) > 0 ? ['each'] : []), ...entries] };
  });
  const call = (name: string, entries: string[][], state = SMALL, keys = GUILD_KEYS) => ({
    name,
    state,
    keys,
    args: ['each', ...entries.flat()],
  });
  const good = ['add 5', 'a', ''];
  for (const id of BAD_IDS) yield call('user_id', [good, ['5', id, '']]);
  const many = ['each', ...good, '7', 'new', '- - - New'];
  yield* eventCases(GUILD_KEYS, nameOfRecord(many), many, ['-1', 'a', '']);
  for (const xp of ['', '1.5', 'x', '-1', '1e3', '9007199254740992', '99999999999999999999'])
    yield call(`xp ${xp}`, [good, [xp, 'B', '']]);
  for (const op of ['take', 'level'])
    for (const digits of ['', '1.5', '-1', '9007199254740992'])
      yield call(`xp of a ${op} ${digits}`, [good, [`${op} ${digits}`, 'B', '']]);
  for (const [id, amount] of [
    ['a', '299'],
    ['a', '300'],
    ['a', '301'],
    ['9', '9007199254740991'],
    ['new', '5'],
  ] as const)
    yield call(`take ${amount} from ${id}`, [[`take ${amount}`, id, '- - - T'], good]);
  for (const level of ['0', '1', '2', '100', '1000', '200000', '9007199254740991'])
    for (const id of ['a', '9', 'new'])
      yield call(`level ${level} of ${id}`, [[`level ${level}`, id, 'none - -'], good]);
  for (const xp of ['', '1.5', '--1', '9007199254740992', '-9007199254740992'])
    yield call(`xp of an add ${xp}`, [[`add ${xp}`, 'B', '']]);
  for (const [id, xp] of [
    ['a', '-301'],
    ['new', '-1'],
    ['B', '11'],
    ['9', '-501'],
  ] as const)
    yield call(`range ${id} ${xp}`, [good, [`add ${xp}`, id, '']]);
  for (const change of [
    'rank 1',
    '1',
    '- -',
    '- - ',
    ' - - -',
    '-1 - -',
    '1.5 - -',
    '9007199254740992 - -',
    '- many -',
    '- -1 -',
    '- = -',
    `- ${'1'.repeat(17)} -`,
    '- 5\t7 -',
    '- - 2026-03-01T00:00:00.000Z',
    '- - 1772323200000+60',
    '- - 8640000000000001',
    '- 5 8640000000000001 Ann',
    '- 9007199254740992 7 Ann',
    '- 5 7\tAnn',
    `- - - ${LONG}`,
    `- 5 7 ${LONG}`,
  ])
    for (const [xp, id] of [
      ['5', 'B'],
      ['keep', 'B'],
      ['5', 'new'],
    ] as const)
      yield call(`field ${change}`, [good, [xp, id, change]]);
  for (const change of [
    '- 9007199254740991 - Ann',
    '- 5 8640000000000000 Ann',
    '- 5 -8640000000000000 ',
    '- 007 7 Ann',
  ])
    yield call(`bounds of a profile ${change}`, [['5', 'new', change]]);
  for (const changes of [
    ['- 5 7 Ann', 'none none none ', '- 6 - Bo'],
    ['none none none ', '- 5 7 Ann'],
    ['- 5 7 Ann', '3 none - ', 'none - none'],
  ])
    for (const id of ['new', 'a'])
      yield call(
        `named again ${changes.join()}`,
        changes.map((change, n) => [String(n + 1), id, change]),
      );
  for (const id of ['a', 'new'])
    yield call(
      'total',
      [
        ['1', '9', ''],
        ['9007199254740991', id, ''],
      ],
      BRIM,
    );
  const withKey = [...GUILD_KEYS, ':avatars'];
  const inAvatars = (name: string, entries: string[][], state = SMALL, keys = withKey) => ({
    name,
    state,
    keys,
    args: ['each', 'avatars', ...entries.flat()],
  });
  const [, , , hash] = AVATAR_CHANGES;
  for (const avatar of AVATAR_CHANGES) {
    for (const xp of ['keep', 'add 5'])
      for (const id of ['a', '9', 'new'])
        yield inAvatars(`avatar ${avatar}`, [[xp, id, '', avatar]], withAvatars(new Random(6), SMALL));
    yield inAvatars(`avatar ${avatar}, without its key`, [[...good, avatar]], SMALL, GUILD_KEYS);
  }
  yield inAvatars('an avatar that is set and removed', [
    ['1', 'a', '', hash],
    ['2', 'B', '- - - Bo', ''],
    ['3', 'a', '', 'none'],
  ]);
  yield inAvatars('the avatars are of another type', [[...good, hash]], { ...SMALL, ':avatars': { string: 'x' } });
  yield {
    ...inAvatars('an avatar of an event', [[...good, hash]], SMALL, [...withKey, ':event:e']),
    args: ['60000', 'avatars', ...good, hash],
  };
  yield inAvatars('argument: too few for avatars', [good]);
  yield call('no entries', []);
  for (const xp of ['', 'ADD 5', 'set 5', 'each', 'remove 5', 'keep 0', 'add', 'add  5', 'add5', 'take -1', 'add 5 5'])
    yield call(`xp ${xp}`, [good, [xp, 'B', '']]);
  for (const rest of [['5'], ['5', 'B'], ['5', 'B', '', '5']])
    yield call(`argument: ${rest.length} arguments too many or too few`, [good, rest]);
  for (const [name, state] of [...BROKEN, ...FULL]) yield call(name, [good, ['7', 'new', '']], state);
  yield call('a missing key', [good], SMALL, GUILD_KEYS.slice(0, 4));
}

function* hideCases(): Iterable<Call> {
  yield* random(14, (r, state) => {
    const ids = Array.from({ length: 1 + r.below(4) }, () => r.pick(IDS));
    const ranked = Object.keys((state[':xp'] as { zset?: object } | undefined)?.zset ?? {})[0] ?? '';
    const both = ranked && r.below(5) === 0 && !state[':hidden'];
    const twice = { ...state, ':hidden': { zset: { [ranked]: 40 } } };
    const args = [r.pick(['hide', 'unhide', 'add']), r.pick(['left', 'self', 'moderator']), ...ids];
    return { state: withReasons(r, both ? twice : state), keys: HIDE_KEYS, args };
  });
  for (const direction of ['hide', 'unhide', 'add']) {
    const call = (name: string, ids: string[], state = SMALL) => ({
      name,
      state,
      keys: HIDE_KEYS,
      args: [direction, 'moderator', ...ids],
    });
    for (const reason of ['', 'Left', 'left self', 'ban', ' self'])
      yield { ...call(`${direction}: argument ${reason}`, []), args: [direction, reason, 'a'] };
    for (const id of BAD_IDS) yield call(`${direction}: user_id`, ['a', '9', id]);
    yield call(`${direction}: total`, ['9', 'a'], BRIM);
    yield call(`${direction}: a total of 2^63-1`, ['9'], smallWith({}, { total_xp: '9223372036854775307' }));
    yield call(`${direction}: nobody`, []);
    for (const [name, state] of [...BROKEN, ...FULL]) yield call(`${direction}: ${name}`, ['a', '9'], state);
    const { model: _, ...raw } = (SMALL[':stats'] as { hash: Record<string, string> }).hash;
    yield call(`${direction}: data without a version`, ['a', '9'], { ...SMALL, ':stats': { hash: raw } });
  }
}

function* listCases(): Iterable<Call> {
  yield* random(19, (r, state) => {
    return { state: withReasons(r, state), keys: HIDE_KEYS, args: [r.pick(['ranked', 'left']), '0'] };
  });
  for (const [name, state] of BROKEN.slice(0, 2)) yield { name, state, keys: HIDE_KEYS, args: ['ranked', '0'] };
}

function* removeCases(): Iterable<Call> {
  const keysOf = (ids: readonly string[]) => [
    ...GUILD_KEYS,
    ':season:xp',
    ':hidden:reasons',
    ':avatars',
    ...ids.map((id) => `:cooldown:${id}`),
  ];
  yield* random(15, (r, state) => {
    const ids = Array.from({ length: 1 + r.below(4) }, () => r.pick(IDS));
    const marks = r.below(4) === 0 ? { ':season:xp': { zset: { [ids[0] as string]: 70, z: 5 } } } : {};
    const waiting = r.below(4) === 0 ? { [`:cooldown:${ids[0]}`]: { string: '1', ms: 45_000 } } : {};
    return { state: { ...withAvatars(r, withReasons(r, state)), ...marks, ...waiting }, keys: keysOf(ids), args: ids };
  });
  const call = (name: string, ids: string[], state = SMALL, keys = keysOf(ids)) => ({
    name,
    state,
    keys,
    args: ids,
  });
  yield call('another key', ['a', 'B'], SMALL, keysOf(['a', '9']));
  yield call('no cooldowns', ['a', 'B'], SMALL, keysOf([]));
  yield call('nobody', []);
  for (const [name, state] of [...BROKEN, ...FULL]) for (const id of ['a', '9']) yield call(name, [id], state);
  yield call('a counter that would leave 64 bits', ['a'], {
    ...SMALL,
    ':stats': {
      hash: { ...(SMALL[':stats'] as { hash: Record<string, string> }).hash, total_xp: '-9223372036854775807' },
    },
  });
}

function* aroundCases(): Iterable<Call> {
  yield* random(16, (r) => ({ keys: READ_KEYS, args: [r.pick(IDS), r.pick(['0', '1', '2', '50'])] }));
  for (const id of ['a', 'B'])
    for (const [name, state] of BROKEN.filter(([broken]) => !/curve|custom/.test(broken)))
      yield { name, state, keys: READ_KEYS, args: [id, '1'] };
}

function* cardCases(): Iterable<Call> {
  const keys = [...GUILD_KEYS, ':hidden:reasons'];
  const reasons = { ':hidden:reasons': { hash: { '9': 'left self', '10': 'self', a: 'left', B: 'moderator' } } };
  yield* random(19, (r, state) => ({ state: { ...state, ...reasons }, keys, args: [r.pick(IDS)] }));
  for (const id of ['a', '9'])
    for (const [name, state] of BROKEN.filter(([broken]) => !/curve|custom/.test(broken)))
      yield { name, state, keys, args: [id] };
}

function* membersCases(): Iterable<Call> {
  const keys = [...HIDE_KEYS, ':avatars'];
  yield* random(22, (r, state) => {
    const ids = Array.from({ length: r.below(5) }, () => r.pick(IDS));
    return { state: withAvatars(r, withReasons(r, state)), keys, args: ids };
  });
  for (const [name, state] of BROKEN.filter(([broken]) => !/curve|custom/.test(broken)))
    yield { name, state, keys, args: ['a', 'B'] };
}

function* namesCases(): Iterable<Call> {
  yield* random(20, (r, state) => {
    const id = r.pick(['', ...IDS]);
    const { zset = {} } = (state[':xp'] ?? {}) as { zset?: Record<string, number> };
    return { keys: READ_KEYS, args: [id, r.pick(['', '5', String(zset[id] ?? ''), String(zset[id] ?? '')])] };
  });
  for (const [name, state] of BROKEN.slice(0, 2)) yield { name, state, keys: READ_KEYS, args: ['', ''] };
}

function* batchCases(): Iterable<Call> {
  yield* random(17, (r, state) => {
    const { rev = '1' } = (state[':stats'] as { hash: Record<string, string> } | undefined)?.hash ?? {};
    const cached = () => r.pick(['', '', ' 1', ` ${rev}`]);
    const commands = Array.from({ length: 1 + r.below(3) }, () =>
      r.pick([
        `page ${r.below(3)} ${r.below(8)}${cached()}`,
        `member ${r.pick(IDS)}${cached()}`,
        `stats${cached()}`,
        `rules${cached()}`,
      ]),
    );
    return { keys: ['gr:quota:{g}', ...READ_KEYS], args: [`${commands.join('\n')}\n`] };
  });
}

/** invite.lua. */
const invite: Model = (state, now, [key], [guildId, seconds, userId]) => {
  const isFit = /^[\w.-]+$/.test(guildId as string) && /^[\w.-]*$/.test(userId as string);
  const ttl = Number(seconds);
  if (!isFit || seconds === '' || !(ttl >= 1 && ttl <= 86_400) || !Number.isInteger(ttl))
    throw new Refused({ error: 'ERR' });
  const guild = new NaiveGuild(state, now);
  guild.setString(key as string, `${guildId} ${userId} ${now}`, ttl * 1000);
  return ['OK', guild];
};

function* inviteCases(): Iterable<Call> {
  yield* random(18, (r) => {
    const sha = 'f00d'.repeat(16);
    const stored = { [`gr:invite:${sha}`]: { string: 'g 2 1774737000000000', ms: 900_000 } };
    const seconds = r.pick(['30', '60', '900', '86400', '0', '86401', '1.5', '', '-5', 'x']);
    const args = [r.pick(['g', 'a.b-c_D', '1'.repeat(64), 'a b', '']), seconds, r.pick(['', '2', 'U_2', 'a b', 'é'])];
    return { state: r.pick([{}, stored]), keys: [`gr:${r.pick(['invite', 'operator-invite'])}:${sha}`], args };
  });
}

/** describe.lua. */
const describe: Model = (state, now, _keys, args) => {
  const names = ['name', 'icon', 'roles', 'channels'];
  const bytes = args.map((arg) => Buffer.byteLength(arg));
  const [name = 0, icon = 0] = bytes;
  if (args.length < 4 || name > 400 || icon > 34 || bytes.reduce((a, b) => a + b) > 262_144)
    throw new Refused({ error: 'ERR' });
  const guild = new NaiveGuild(state, now);
  const before = guild.hash(':about');
  const told = names.map((field, n) => [field, args[n] as string] as const);
  const isChanged = told.some(([field, text]) => (before[field] ?? '') !== text);
  const others = Object.entries(before).filter(([field]) => !names.includes(field));
  const fields = [...others, ...told.filter(([, text]) => text !== ''), ['at', String(Math.floor(now / 1000))]];
  const rev = isChanged ? guild.raiseRevision() : guild.rev;
  guild.setHash(':about', Object.fromEntries(fields));
  return [['OK', rev, isChanged ? 1 : 0], guild];
};

function* describeCases(): Iterable<Call> {
  const keys = [':stats', ':about'];
  const roles = '[{"id":"1","name":"Regular","color":16711680,"position":3}]';
  const channels = '[{"id":"7","name":"memes","type":0,"parent":null}]';
  const told = ['Quiet Hours', 'a_0123456789abcdef0123456789abcdef', roles, channels];
  const about = { name: told[0] as string, icon: told[1] as string, roles, channels, at: '1' };
  const described = (state: State) => ({ ...state, ':about': { hash: about } });
  yield* random(20, (r, state) => {
    const args = told.map((text) => r.pick([text, text, text, '', 'Ünal']));
    return { state: r.pick([state, described(state)]), keys, args };
  });
  const call = (name: string, args: string[], state: State = SMALL) => ({ name, state, keys, args });
  yield call('the first time, of a guild without data', told, {});
  yield call('the same again', told, described(SMALL));
  yield call('the same again, of a guild without a revision', told, described({}));
  yield call('nothing', ['', '', '', '']);
  yield call('a field that a later version stores stays', told, { ':about': { hash: { banner: 'x' } } });
  yield call('a name of 400 bytes', ['é'.repeat(200), '', '', '']);
  yield call('a name above its bound', ['é'.repeat(201), '', '', '']);
  yield call('an icon above its bound', ['', 'a'.repeat(35), '', '']);
  yield call('too few arguments', told.slice(0, 3));
  for (const [name, state] of BROKEN.filter(([broken]) => !/curve|custom/.test(broken))) yield call(name, told, state);
  yield call('the description is of another type', told, { ...SMALL, ':about': { string: 'x' } });
}

const SUITES: readonly (readonly [string, () => Iterable<Call>, Model])[] = [
  withBoards('award', awardCases),
  withBoards('claim', claimCases),
  withBoards('record', recordCases),
  withBoards('hide', hideCases),
  ['list', listCases, list],
  withBoards('remove', removeCases),
  ['members', membersCases, members],
  ['names', namesCases, names],
  ...seasonCases().map(([script, calls]) => [script, () => calls, seasonModels[script]] as const),
  ['stage', stageCases, stage],
  ['invite', inviteCases, invite],
  ['describe', describeCases, describe],
  ['around', aroundCases, around],
  ['card', cardCases, card],
  ['batch', batchCases, batch],
];

function withBoards(script: keyof typeof boardModels, cases: () => Iterable<Call>) {
  function* all() {
    yield* cases();
    yield* boardCases(script);
  }
  return [script, all, boardModels[script]] as const;
}

/** Returns all cases with what the models say of them. */
export function suites(): Suite[] {
  return SUITES.map(([script, calls, model]) => {
    const states = new Map<string, State>();
    const cases = [...calls()].map(({ name, state, now = NOW, keys, args }): Case => {
      const text = sorted(state as never);
      if (!states.has(text)) states.set(text, state);
      const index = [...states.keys()].indexOf(text);
      return { name, state: index, now, keys, args, ...resultOf(model, state, now, keys, args) };
    });
    return { script, states: [...states.values()], cases };
  });
}

function resultOf(model: Model, state: State, now: number, keys: readonly string[], args: readonly string[]) {
  try {
    const [reply, guild] = model(state, now, keys, args);
    return { reply, changed: guild.changes() };
  } catch (error) {
    if (error instanceof Refused) return { reply: error.reply, changed: {} };
    throw error;
  }
}
