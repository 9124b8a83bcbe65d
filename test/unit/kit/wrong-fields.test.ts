import { describe, expect, it, vi } from 'vitest';
import { parseRules, rewardRoles, xpFor } from '../../../src/core/rules/rules.ts';
import { CURVE_NAMES, type Curve, levelForXp, parseCurve, progress, xpForLevel } from '../../../src/kit/curves.ts';
import { createReader } from '../../../src/kit/reader.ts';
import { createWriter, InvalidInputError, plainText } from '../../../src/kit/writer.ts';
import { rankCard } from '../../../src/pictures/card.ts';

const sent = vi.fn().mockRejectedValue(new Error('nothing may be sent'));
const client = { evalsha: sent, eval: sent };
const writer = createWriter(client);
const reader = createReader(client);
const PROFILE = 'username, level, dailyStreak, lastDailyClaim, avatar';
const RECORD = `userId, set, add, floor, hidden, ${PROFILE}`;
const UPDATE = `userId, ${PROFILE}`;
const AWARD = 'userId, amount, factor, cooldownMs, username, avatar, rank, eventId, reason';
const CLAIM = 'userId, reward, utcOffsetMinutes, graceDays, minIntervalMs, username, eventId';
const WRITER = 'keyPrefix, eventTtlMs, replicas';

/** Calls as JavaScript lets a bot make them. */
// biome-ignore lint/suspicious/noExplicitAny: the types refuse these calls.
type Anything = any;

/** As managers of a library are, which know their client. */
const circular: { self?: object } = {};
circular.self = circular;

/** Returns the error of a call that throws or rejects. */
async function errorOf(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  return undefined;
}

async function expectRefusal(call: () => unknown, message: string): Promise<void> {
  const error = await errorOf(call);
  expect(error).toBeInstanceOf(InvalidInputError);
  expect((error as Error).message).toBe(message);
  expect(sent).not.toHaveBeenCalled();
}

describe('a field that a call does not know', () => {
  const w: Anything = writer;
  const r: Anything = reader;
  it.each<[string, () => unknown]>([
    [
      `profile is no field of an update: use ${UPDATE}`,
      () => w.setProfiles('g', [{ userId: '2', profile: { username: 'X' } }]),
    ],
    [
      `updates[1].name is no field of an update: use ${UPDATE}`,
      () => w.setProfiles('g', [{ userId: '1' }, { userId: '2', name: 'X' }]),
    ],
    [`ad is no field of a record: use ${RECORD}`, () => w.record('g', { userId: '1', ad: 1 })],
    [
      `profile is no field of a record: use ${RECORD}`,
      () => w.record('g', { userId: '1', set: 1, profile: { username: 'X' } }),
    ],
    [
      `records[1].name is no field of a record: use ${RECORD}`,
      () =>
        w.recordMany('g', [
          { userId: '1', set: 1 },
          { userId: '2', set: 1, name: 'X' },
        ]),
    ],
    [
      `cooldown is no field of an award: use ${AWARD}`,
      () => w.award('g', { userId: '1', amount: 5, cooldown: 60_000 }),
    ],
    [`profile is no field of an award: use ${AWARD}`, () => w.award('g', { userId: '1', amount: 5, profile: {} })],
    [
      'amount.from is no field of a range: use min, max',
      () => w.award('g', { userId: '1', amount: { from: 1, min: 1, max: 5 } }),
    ],
    [`offset is no field of a claim: use ${CLAIM}`, () => w.claimDaily('g', { userId: '1', reward: 5, offset: 60 })],
    ['xp is no field of a level: use userId, level, eventId', () => w.setLevel('g', { userId: '1', level: 5, xp: 5 })],
    [
      'event is no field of the options of record: use eventId',
      () => w.record('g', { userId: '1', set: 1 }, { event: 'e' }),
    ],
    ['why is no field of the options of hide: use reason', () => w.hide('g', ['1'], { why: 'left' })],
    ['why is no field of the options of unhide: use reason', () => w.unhide('g', ['1'], { why: 'left' })],
    [
      'share is no field of the options of syncMembers: use dryRun, maxShare',
      () => w.syncMembers('g', ['1'], { share: 1 }),
    ],
    [
      'archive is no field of the options of resetSeason: use archiveAs, keepMembers, signal',
      () => w.resetSeason('g', { archive: 'h' }),
    ],
    [
      'seconds is no field of the options of createDashboardLink: use url, ttl, userId',
      () => w.createDashboardLink('g', { url: 'https://dash.example.com', seconds: 5 }),
    ],
    [
      `prefix is no field of the options of createWriter: use ${WRITER}`,
      () => createWriter(client, { prefix: 'x' } as Anything),
    ],
    [
      'prefix is no field of the options of createReader: use keyPrefix',
      () => createReader(client, { prefix: 'x' } as Anything),
    ],
    ['boards is no field of the options of a ranking: use board', () => r.page('g', 1, 10, { boards: 'week' })],
    ['boards is no field of the options of a ranking: use board', () => r.around('g', '1', 5, { boards: 'week' })],
    [
      'colour is no field of the options of rankCard: use theme, lang, accent, avatar, labels',
      () => rankCard({} as Anything, { theme: 'dark', lang: 'en', colour: '#fff' } as Anything),
    ],
  ])('a field that the call does not know is refused: %s', (message, call) => expectRefusal(call, message));

  it('the kit reads no field from a prototype', async () => {
    class Record {
      userId = '1';
      set = -1;
      describe() {}
    }
    expect(await errorOf(() => writer.record('g', new Record()))).not.toBeInstanceOf(InvalidInputError);
    sent.mockClear();
  });
});

describe('a wrong argument', () => {
  const w: Anything = writer;
  const LINEAR = { a: 0, b: 0, c: 50, d: 0, q: 1, m: 1 };
  const noCurve =
    'The curve must be one of standard, amari, lurkr, polaris, arcane, or have the numbers that reader.stats gives, not ';
  const noClient =
    'The connection must be a client of ioredis or node-redis, or an object with the functions evalsha and scriptLoad';
  it.each<[string, () => unknown]>([
    [`An award must be an object with ${AWARD}, not undefined`, () => w.award('g')],
    [`An award must be an object with ${AWARD}, not "1"`, () => w.award('g', '1')],
    ['amount must be a whole number from 0 to 1000000000, not undefined', () => w.award('g', { userId: '1' })],
    ['amount must be a whole number from 0 to 1000000000, not "15"', () => w.award('g', { userId: '1', amount: '15' })],
    ['amount must be a whole number from 0 to 1000000000, not null', () => w.award('g', { userId: '1', amount: null })],
    [
      'factor must be a number from 0 to 1000 with six decimals at most, not "1.5"',
      () => w.award('g', { userId: '1', amount: 1, factor: '1.5' }),
    ],
    ['amount must be a whole number from 0 to 1000000000, not 5n', () => w.award('g', { userId: '1', amount: 5n })],
    // With node-redis, the name would be "null".
    ['username must be a text, not null', () => w.award('g', { userId: '1', amount: 1, username: null })],
    ['username must be a text, not null', () => w.claimDaily('g', { userId: '1', reward: 1, username: null })],
    ['username must be a text, not [object Object]', () => w.record('g', { userId: '1', add: 1, username: {} })],
    [
      'updates[1].username must be a text, not 5',
      () =>
        w.setProfiles('g', [
          { userId: '1', username: null },
          { userId: '2', username: 5 },
        ]),
    ],
    ['reason must be left, self, moderator, not 5n', () => w.hide('g', ['1'], { reason: 5n })],
    ['maxShare must be a number from 0 to 1, not "0.5"', () => w.syncMembers('g', ['1'], { maxShare: '0.5' })],
    ['reward must be a number or a list with one number or more', () => w.claimDaily('g', { userId: '1' })],
    [`A claim must be an object with ${CLAIM}, not undefined`, () => w.claimDaily('g')],
    ['A level must be an object with userId, level, eventId, not undefined', () => w.setLevel('g')],
    ['The records must be a list, not undefined', () => w.recordMany('g')],
    [`A record must be an object with ${RECORD}, not undefined`, () => w.record('g')],
    [`records[1] must be an object with ${RECORD}, not null`, () => w.recordMany('g', [{ userId: '1', set: 1 }, null])],
    ['The updates must be a list, not undefined', () => w.setProfiles('g')],
    [`An update must be an object with ${UPDATE}, not null`, () => w.setProfiles('g', [null])],
    ['The options of hide must be an object with reason, not "left"', () => w.hide('g', ['1'], 'left')],
    ['The user ids must be a list, not undefined', () => w.hide('g')],
    [
      'The options of resetSeason must be an object with archiveAs, keepMembers, signal, not undefined',
      () => w.resetSeason('g'),
    ],
    [
      'The options of createDashboardLink must be an object with url, ttl, userId, not undefined',
      () => w.createDashboardLink('g'),
    ],
    [
      `The options of createWriter must be an object with ${WRITER}, not "x"`,
      () => createWriter(client, 'x' as Anything),
    ],
    [noClient, () => (createWriter as Anything)()],
    [noClient, () => (createReader as Anything)(null)],
    [
      'The options of a ranking must be an object with board, not "week"',
      () => (reader as Anything).page('g', 1, 10, 'week'),
    ],
    [
      'kind must be message or voice, not "reaction"',
      () => xpFor(parseRules({}), { kind: 'reaction', roles: [], channel: '1' } as Anything),
    ],
    [
      'roles must be a list, not "[object Map]"',
      () => xpFor(parseRules({}), { kind: 'message', roles: new Map([['1', {}]]), channel: '1' } as Anything),
    ],
    ['The user ids must be a list or another iterable, not 5', () => reader.rewardsOf('g', 5 as Anything).next()],
    ['The user ids must be a list or another iterable, not "1"', () => reader.rewardsOf('g', '1').next()],
    ['The user ids must be a list or another iterable, not null', () => reader.rewardsOf('g', null as Anything).next()],
    ['roles must be a list, not "undefined"', () => rewardRoles(parseRules({}), 5, undefined as Anything)],
    ['roles must be a list, not "[object Object]"', () => rewardRoles(parseRules({}), 5, circular as Anything)],
    ['kind must be message or voice, not missing', () => xpFor(parseRules({}), undefined as Anything)],
    ['A curve is a text, not 5', () => parseCurve(5 as Anything)],
    [`${noCurve}{"a":0,"b":0,"c":50,"d":0,"q":1,"m":1.5}`, () => levelForXp({ ...LINEAR, m: 1.5 }, 5)],
    [
      `${noCurve}{"a":0,"b":0,"c":50,"d":0,"q":1,"m":1,"max":"x"}`,
      () => progress({ ...LINEAR, max: 'x' as Anything }, 5),
    ],
    // Levels of these numbers would be NaN.
    [`${noCurve}{"a":0,"b":0,"c":50,"d":0,"q":0,"m":1}`, () => xpForLevel({ ...LINEAR, q: 0 }, 5)],
    [`${noCurve}{"a":0,"b":0,"c":0,"d":0,"q":1,"m":1}`, () => levelForXp({ ...LINEAR, c: 0 }, 5)],
  ])('a wrong argument is refused: %s', (message, call) => expectRefusal(call, message));
});

it('the numbers of each curve are accepted in the place of its name', () => {
  for (const name of CURVE_NAMES) expect(progress(parseCurve(name) as Curve, 4700)).toEqual(progress(name, 4700));
});

describe('a lastDailyClaim of a profile', () => {
  const DAY_MS = 86_400_000;
  const far = new Date(Date.now() + 60 * DAY_MS);
  const message = 'lastDailyClaim is more than a day from now: no member can have claimed then';
  it.each([far, far.toISOString()])('a lastDailyClaim in the future is refused: %s', async (lastDailyClaim) => {
    const update = { userId: '1', lastDailyClaim };
    await expectRefusal(() => writer.record('g', { ...update, set: 1 }), message);
    await expectRefusal(() => writer.setProfiles('g', [update]), message);
    await expectRefusal(() => writer.setProfiles('g', [{ userId: '1' }, update]), `updates[1].${message}`);
  });
});

describe('a record', () => {
  const record = (given: object) => () => writer.record('g', { userId: '1', ...given } as Anything);
  it.each<[string, object]>([
    ['The record has set and add: give one of them', { add: 5, set: 5 }],
    ['The record has set and add: give one of them', { add: 5, set: null }],
    ['The record has no XP: give set or add', {}],
    ['The record has hidden, which goes with set only', { add: 5, hidden: true }],
    ['The record has floor, which goes with add only', { set: 5, floor: 0 }],
  ])('a wrong record is refused: %s', (message, given) => expectRefusal(record(given), message));
});

/** A list that has no text: it is nested too deep for one. */
const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as Anything;

it.each<[string, () => unknown]>([
  ['a user id', () => writer.record('g', { userId: deep, set: 1 })],
  ['a list of records', () => writer.recordMany('g', { deep } as Anything)],
  ['an amount', () => writer.award('g', { userId: 'u', amount: deep })],
  ['a factor', () => writer.award('g', { userId: 'u', amount: 1, factor: deep })],
  ['a user name', () => writer.award('g', { userId: 'u', amount: 1, username: deep })],
  ['a reason', () => writer.hide('g', ['u'], { reason: deep } as Anything)],
  ['a board', () => reader.stats('g', { board: deep } as Anything)],
  ['a colour of a card', () => rankCard({} as Anything, { accent: deep } as Anything)],
  ['an avatar', () => writer.record('g', { userId: 'u', set: 1, avatar: deep })],
  ['an object without a prototype', () => writer.award('g', { userId: Object.create(null), amount: 1 })],
])('%s that no message can show is refused with a message', async (_name, call) => {
  expect(await errorOf(call)).toBeInstanceOf(InvalidInputError);
  expect(sent).not.toHaveBeenCalled();
});

describe('an argument of another type', () => {
  const rules = parseRules({ voice: { xp: 5 } });
  const message = { kind: 'message', roles: [], channel: 'c' } as const;
  const OPTIONS = { theme: 'dark', lang: 'en' } as const;
  const NEIGHBOUR = { rank: 2, userId: '2', username: 'Ben', level: 1, xp: 100 };
  const CARD = {
    ...{ userId: '1', username: 'Ann', rank: 1, total: 2, level: 1, xp: 120, dailyStreak: 0, hidden: null },
    ...{ progress: { gained: 20, needed: 155 }, nextLevelXp: 255, above: null, below: NEIGHBOUR },
  };
  const of = (fields: Anything) => () => rankCard({ ...CARD, ...fields }, OPTIONS);
  const at = (fields: Anything) => () => xpFor(rules, { ...message, ...fields });
  const ID = 'must be an id, a text,';
  const RULES = 'rules must be what parseRules or reader.rules returns; for a guild without rules use parseRules({})';

  it('a card is accepted just as it was read', () => {
    expect(rankCard(CARD, OPTIONS)).toMatch(/^<svg /);
  });

  it.each<[string, () => unknown]>([
    ['text must be a text, not null', () => plainText(null as Anything)],
    ['text must be a text, not 5', () => plainText(5 as Anything)],
    [RULES, () => xpFor({ rewards: [] } as Anything, message)],
    [RULES, () => rewardRoles({ rewards: [null] } as Anything, 1, [])],
    ['level must be a number from 0 on, not null', () => rewardRoles(rules, null as Anything, [])],
    [`roles[0] ${ID} not 5`, () => rewardRoles(rules, 1, [5] as Anything)],
    [`roles[1] ${ID} not null`, at({ roles: ['r', null] })],
    [`channel ${ID} not null`, at({ channel: null })],
    [`channel ${ID} not missing`, at({ channel: undefined })],
    ['chars must be a number from 0 on, not "x"', at({ chars: 'x' })],
    ['chars must be a number from 0 on, not -1', at({ chars: -1 })],
    ['parents must be a list, not "5"', at({ parents: 5 })],
    [`parents[0] ${ID} not 5`, at({ parents: [5] })],
    ['data.username must be a text, not null', of({ username: null })],
    ['data.xp must be a number, not undefined', of({ xp: undefined })],
    ['data.xp must be a number, not 10n', of({ xp: 10n })],
    ['data.rank must be a number, or null, not "1"', of({ rank: '1' })],
    ['data.progress must be an object, or null, not 5', of({ progress: 5 })],
    ['data.below must be an object, or null, not undefined', of({ below: undefined })],
    ['data.above.username must be a text, not 5', of({ above: { ...NEIGHBOUR, username: 5 } })],
    ['data.hidden must be a list of left, self, moderator, or null, not x', of({ hidden: ['x'] })],
    ['labels must be an object with texts, not null', () => rankCard(CARD, { ...OPTIONS, labels: null as Anything })],
  ])('an argument of another type is refused as "%s"', (text, call) => expectRefusal(call, text));
});
