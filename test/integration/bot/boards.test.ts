import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Core, openCore } from '../../../src/core/core.ts';
import { InvalidInputError } from '../../../src/core/errors.ts';
import { deleteGuild } from '../../../src/core/guilds/delete.ts';
import { CommandBatcher } from '../../../src/core/reads/command-batcher.ts';
import { PageCommand } from '../../../src/core/reads/read-commands.ts';
import { configureScript } from '../../../src/core/settings/guild-config.ts';
import { BOARD_KINDS, BOARDS, type BoardName } from '../../../src/core/store/redis-keys.ts';
import { type ScriptClient, Scripts } from '../../../src/core/store/scripts.ts';
import { createReader } from '../../../src/kit/reader.ts';
import { createWriter } from '../../../src/kit/writer.ts';
import { clocked } from '../../support/clocked.ts';
import { describeStores, realStore, type TestStore } from '../../support/stores.ts';
import { randomRuns } from '../../support/variants.ts';

const HOUR = 3_600_000;

describeStores('boards', (kind) => {
  let store: TestStore;
  let core: Core;
  let now = 0;
  let client: ScriptClient;
  beforeAll(async () => {
    store = await kind.start();
    core = openCore(store.client, 'gr');
    client = clocked(store.client, () => now);
  });
  afterAll(() => store.stop());
  beforeEach(() => store.empty());

  const begin = async (at: string, offsetMinutes: number) => {
    now = Date.parse(at);
    const config = { boards: 'week,month', utc_offset_minutes: String(offsetMinutes) };
    await configureScript.run(new Scripts(client), core.redisKeys.guild('g'), config);
  };
  const gain = (userId: string, add = 1) => createWriter(client).record('g', { userId, add });
  const on = async (board: BoardName) =>
    (await createReader(client).page('g', 1, 50, { board })).data.map(({ userId, xp }) => `${userId} ${xp}`);
  /** Returns the keys of boards with members. ioredis-mock keeps empty ones. */
  const keysOfBoards = async () => {
    const keys = (await store.client.keys('gr:{g}~*')).sort();
    const sizes = await Promise.all(keys.map((key) => store.client.zcard(key)));
    return keys.filter((_, index) => sizes[index] !== 0);
  };

  it.each([
    ['week', '2026-11-23T00:00:00Z', 0],
    ['week', '2026-11-22T23:00:00Z', 60],
    ['week', '2026-11-22T10:00:00Z', 840],
    ['week', '2026-11-23T12:00:00Z', -720],
    ['week', '2027-01-04T00:00:00Z', 0],
    ['week', '2024-12-30T00:00:00Z', 0],
    ['month', '2026-12-01T00:00:00Z', 0],
    ['month', '2026-11-30T10:00:00Z', 840],
    ['month', '2026-12-01T12:00:00Z', -720],
    ['month', '2027-01-01T00:00:00Z', 0],
    ['month', '2028-02-29T23:30:00Z', 30],
    ['month', '2028-02-29T00:00:00Z', 0],
    ['month', '2100-03-01T00:00:00Z', 0],
  ] as const)('boards of a %s begin at %s, at %d minutes from UTC', async (board, at, offset) => {
    const isBegin = at !== '2028-02-29T00:00:00Z';
    await begin(at, offset);
    now -= 1;
    await configureScript.run(new Scripts(client), core.redisKeys.guild('g'), { boards: '' });
    await begin(new Date(now).toISOString(), offset);
    await gain('before');
    expect(await on(board)).toEqual(['before 1']);
    now += 1;
    expect(await on(board)).toEqual(isBegin ? [] : ['before 1']);
    expect(await on(`${board}.prev`)).toEqual(isBegin ? ['before 1'] : []);
    await gain('after');
    expect(await on(board)).toEqual(isBegin ? ['after 1'] : ['before 1', 'after 1']);
  });

  it('boards count each gain for the period of the clock, even when the clock goes back over the beginning of a period', async () => {
    await begin('2026-11-22T23:59:00Z', 0);
    await gain('a', 5);
    now += HOUR;
    await gain('b', 3);
    now -= HOUR;
    await gain('a', 1);
    expect([await on('week'), await on('week.prev')]).toEqual([['a 6'], []]);
    now += HOUR;
    expect([await on('week'), await on('week.prev')]).toEqual([['b 3'], ['a 6']]);
    now += 24 * 7 * HOUR;
    expect(await on('week.prev')).toEqual(['b 3']);
    await gain('c');
    expect(await on('week.prev')).toEqual(['b 3']);
  });

  it.each(['week', 'month'] as const)(
    'the board of a %s goes on after a clock that jumped into the next period',
    async (board) => {
      const both = async () => [await on(board), await on(`${board}.prev`)];
      const jump = (board === 'week' ? 7 : 30) * 24 * HOUR;
      await begin('2026-11-03T12:00:00Z', 0);
      await gain('a', 5);
      now += jump;
      await gain('b', 3);
      await createWriter(client).hide('g', ['b']);
      await gain('hidden', 4);
      await createWriter(client).hide('g', ['hidden']);
      await createWriter(client).unhide('g', ['b']);
      now -= jump;
      expect(await both()).toEqual([['a 5'], []]);
      await gain('a', 1);
      await gain('c', 2);
      expect(await both()).toEqual([['a 6', 'c 2'], []]);
      expect(await createReader(client).stats('g', { board })).toMatchObject({ totalMembers: 2, totalXp: 8n });
      expect((await core.counters.check('g')).exact).toBe(true);
      now += jump;
      expect(await both()).toEqual([['b 3'], ['a 6', 'c 2']]);
      await gain('a', 7);
      expect(await both()).toEqual([
        ['a 7', 'b 3'],
        ['a 6', 'c 2'],
      ]);
      expect((await core.counters.check('g')).exact).toBe(true);
    },
  );

  it.each([
    ['waits for its period when the last one has not more members', ['a'], [], ['b 3']],
    ['is lost when the last one has more members', ['a', 'd'], ['d 5', 'a 5'], []],
  ])(
    'a board that a jump began before anybody gained XP in the present period %s',
    async (_, before, lastWhenBack, presentThen) => {
      const weeks = async () => [await on('week'), await on('week.prev')];
      await begin('2026-11-03T12:00:00Z', 0);
      for (const id of before) await gain(id, 5);
      now += 14 * 24 * HOUR;
      await gain('b', 3);
      now -= 7 * 24 * HOUR;
      await gain('c', 2);
      expect(await weeks()).toEqual([['c 2'], lastWhenBack]);
      now += 7 * 24 * HOUR;
      expect(await weeks()).toEqual([presentThen, ['c 2']]);
      expect((await core.counters.check('g')).exact).toBe(true);
    },
  );

  it('boards go on after several wrong times with writes of fewer members', async () => {
    await begin('2026-11-25T12:00:00Z', 0);
    await gain('a', 5);
    await gain('b', 2);
    for (const wrong of [
      '2028-02-01T12:00:00Z',
      '2028-01-22T12:00:00Z',
      '2031-05-07T12:00:00Z',
      '1970-06-01T00:00:00Z',
    ]) {
      now = Date.parse(wrong);
      await gain('c', 3);
      expect([await on('week'), await on('month')]).toEqual([['c 3'], ['c 3']]);
    }
    now = Date.parse('2026-11-26T12:00:00Z');
    expect([await on('week'), await on('month')]).toEqual([
      ['a 5', 'b 2'],
      ['a 5', 'b 2'],
    ]);
    await gain('a', 1);
    expect([await on('week'), await on('month')]).toEqual([
      ['a 6', 'b 2'],
      ['a 6', 'b 2'],
    ]);
    expect((await core.counters.check('g')).exact).toBe(true);
  });

  it('boards go on after a jump at their beginning, when the last boards have more members', async () => {
    await begin('2026-10-31T12:00:00Z', 0);
    for (const id of ['a', 'b', 'c']) await gain(id, 5);
    now = Date.parse('2026-11-02T00:01:00Z');
    await gain('a', 1);
    now += 400 * 24 * HOUR;
    await gain('b', 3);
    now -= 400 * 24 * HOUR;
    expect([await on('week'), await on('month')]).toEqual([['a 1'], ['a 1']]);
  });

  it.each(['week', 'month'] as const)(
    'the board of a %s goes on after a clock that was ahead for one write',
    async (board) => {
      await begin('2026-11-25T12:00:00Z', 0);
      await gain('a', 5);
      now += 400 * 24 * HOUR;
      await gain('b', 3);
      expect(await on(board)).toEqual(['b 3']);
      now -= 400 * 24 * HOUR - HOUR;
      expect([await on(board), await on(`${board}.prev`)]).toEqual([['a 5'], []]);
      await gain('a', 1);
      await gain('c', 2);
      expect([await on(board), await on(`${board}.prev`)]).toEqual([['a 6', 'c 2'], []]);
      expect(await createReader(client).stats('g', { board })).toMatchObject({ totalMembers: 2, totalXp: 8n });
      expect((await core.counters.check('g')).exact).toBe(true);
      now += 31 * 24 * HOUR;
      const isNext = board === 'month';
      expect([await on(board), await on(`${board}.prev`)]).toEqual([[], isNext ? ['a 6', 'c 2'] : []]);
    },
  );

  it('boards are the last boards when the clock comes back in the next period', async () => {
    await begin('2026-11-29T23:00:00Z', 0);
    await gain('a', 5);
    now += 400 * 24 * HOUR;
    await gain('b', 3);
    now -= 400 * 24 * HOUR - 2 * HOUR;
    const weeks = async () => [await on('week'), await on('week.prev')];
    expect(await weeks()).toEqual([[], ['a 5']]);
    await gain('c', 2);
    expect(await weeks()).toEqual([['c 2'], ['a 5']]);
    expect((await core.counters.check('g')).exact).toBe(true);
  });

  it('boards go on after a clock that was behind for one write', async () => {
    await begin('2026-11-25T12:00:00Z', 0);
    await gain('a', 5);
    const rightNow = now;
    now = 1_000_000;
    await gain('b', 3);
    expect(await on('week')).toEqual(['b 3']);
    now = rightNow;
    expect(await on('week')).toEqual(['a 5']);
    await gain('a', 1);
    expect([await on('week'), await on('month')]).toEqual([['a 6'], ['a 6']]);
    expect((await core.counters.check('g')).exact).toBe(true);
  });

  it('boards show no cached page of another clock', async () => {
    await begin('2026-11-25T12:00:00Z', 0);
    await gain('a', 5);
    now += 400 * 24 * HOUR;
    await gain('b', 3);
    const reader = createReader(client);
    const ahead = await reader.page('g', 1, 50, { board: 'week' });
    now -= 400 * 24 * HOUR;
    const back = await reader.page('g', 1, 50, { board: 'week' });
    expect([ahead, back].map(({ data }) => data.map(({ userId }) => userId))).toEqual([['b'], ['a']]);
  });

  it('boards show no cached page of another period, with nothing written in between', async () => {
    await begin('2026-11-25T12:00:00Z', 0);
    await gain('a', 5);
    const commands = new CommandBatcher(new Scripts(client), core.redisKeys);
    const weeks = [0, 1, 2, 3, -1, -2, 0];
    const begun = now;
    let cached = '';
    for (const week of weeks) {
      now = begun + week * 7 * 24 * HOUR;
      const command = new PageCommand('g', 1, 50, 'week');
      const page = await commands.read(command, cached);
      expect(page?.period?.from).toBe(new Date(Date.UTC(2026, 10, 23 + 7 * week)).toISOString());
      expect(page?.value.total).toBe(week === 0 ? 1 : 0);
      cached = page?.revision as string;
      expect(await commands.read(command, cached)).toEqual(Math.abs(week) <= 1 ? undefined : page);
    }
  });

  it('boards keep what members gained before one write at any wrong time', async () => {
    const day = 24 * HOUR;
    const first = Date.UTC(2026, 0, 1);
    const wrongs = fc.oneof(fc.integer({ min: -40 * day, max: 40 * day }), fc.integer({ min: -first, max: 2 * first }));
    const times = fc.record({ at: fc.integer({ min: 0, max: 400 * day }), wrong: wrongs, hasLast: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(times, async ({ at, wrong, hasLast }) => {
        await store.empty();
        const right = first + at;
        await begin(new Date(right - 7 * day).toISOString(), 0);
        if (hasLast) for (const id of ['x', 'y', 'z']) await gain(id, 4);
        now = right;
        await gain('a', 5);
        now = right + Math.max(wrong, -right);
        await gain('b', 3);
        now = right;
        for (const board of BOARD_KINDS) expect(await on(board)).toContain('a 5');
        await gain('a', 1);
        for (const board of BOARD_KINDS) expect(await on(board)).toContain('a 6');
        expect((await core.counters.check('g')).exact).toBe(true);
      }),
      { numRuns: randomRuns(kind === realStore ? 60 : 5) },
    );
  });

  it('the last board is empty after a period in which nobody gained anything', async () => {
    await begin('2026-11-23T00:00:00Z', 0);
    await gain('a', 5);
    now += 24 * 7 * HOUR;
    expect([await on('week'), await on('week.prev')]).toEqual([[], ['a 5']]);
    now += 24 * 7 * HOUR;
    expect([await on('week'), await on('week.prev')]).toEqual([[], []]);
    await gain('b', 3);
    expect([await on('week'), await on('week.prev')]).toEqual([['b 3'], []]);
    expect(await createReader(client).stats('g', { board: 'week.prev' })).toMatchObject({
      totalMembers: 0,
      totalXp: 0n,
    });
  });

  it('boards follow a new curve with their levels', async () => {
    await begin('2026-11-24T00:00:00Z', 0);
    await gain('a', 1000);
    await gain('b', 150);
    await core.guildConfig.update('g', { xpCurve: 'custom=0,0,100,0,1,1' });
    expect(await createReader(client).stats('g', { board: 'week' })).toMatchObject({ averageLevel: 6 });
    const { stored, actual } = await core.counters.check('g');
    expect(stored).toEqual(actual);
    expect(stored.boards.week).toEqual({ members: 2n, totalXp: 1150n, levelSum: 11n });
  });

  it('a rebuild corrects the boards', async () => {
    await begin('2026-11-24T00:00:00Z', 0);
    await gain('a', 1000);
    await store.client.zadd('gr:{g}~month:xp', 7, 'a');
    expect(await core.counters.check('g')).toMatchObject({
      exact: false,
      stored: { boards: { month: { totalXp: 1000n } } },
      actual: { boards: { month: { totalXp: 7n } } },
    });
    await core.counters.rebuild('g');
    expect((await core.counters.check('g')).exact).toBe(true);
    expect(await createReader(client).stats('g', { board: 'month' })).toMatchObject({ totalXp: 7n });
  });

  it.each([false, true])(
    'boards lose a removed member that was taken out of the ranking alone, after a rebuild: %s',
    async (isRebuilt) => {
      await begin('2026-11-24T00:00:00Z', 0);
      for (const id of ['a', 'b']) await gain(id, 1000);
      await createWriter(client).hide('g', ['b']);
      await gain('c', 500);
      await store.client.zrem('gr:{g}:xp', 'a');
      await store.client.zrem('gr:{g}:hidden', 'b');
      if (isRebuilt) await core.counters.rebuild('g');
      const before = await store.client.hget('gr:{g}:stats', 'rev');
      expect(await createWriter(client).remove('g', ['nobody', 'a', 'a', 'b'])).toBe(0);
      expect(await on('week')).toEqual(['c 500']);
      expect(await on('month')).toEqual(['c 500']);
      expect(await keysOfBoards()).toEqual(['gr:{g}~month:xp', 'gr:{g}~week:xp']);
      const after = await store.client.hget('gr:{g}:stats', 'rev');
      expect(after).not.toBe(before);
      expect((await core.counters.check('g')).exact).toBe(isRebuilt);
      expect(await createWriter(client).remove('g', ['nobody', 'a'])).toBe(0);
      expect(await store.client.hget('gr:{g}:stats', 'rev')).toBe(after);
    },
  );

  it('boards disappear when their name leaves the configuration, and when the guild is deleted', async () => {
    await begin('2026-11-24T00:00:00Z', 0);
    await gain('a');
    await createWriter(client).hide('g', ['a']);
    expect(await keysOfBoards()).toEqual(['gr:{g}~month:hidden', 'gr:{g}~week:hidden']);
    await configureScript.run(new Scripts(client), core.redisKeys.guild('g'), { boards: 'month' });
    expect(await keysOfBoards()).toEqual(['gr:{g}~month:hidden']);
    expect(await store.client.hget('gr:{g}:stats', 'boards')).not.toContain('week');
    await deleteGuild(core, 'g');
    expect(await keysOfBoards()).toEqual([]);
  });

  it('boards cost their guild one more call, once for each connection', async () => {
    await begin('2026-11-24T00:00:00Z', 0);
    const calls: number[] = [];
    const counting: ScriptClient = {
      evalsha: (...call) => client.evalsha(...call),
      eval: (source, count, ...rest) => {
        calls.push(count);
        return client.eval(source, count, ...rest);
      },
    };
    const writer = createWriter(counting);
    await writer.award('g', { userId: 'a', amount: 5, cooldownMs: 60_000 });
    await writer.award('g', { userId: 'b', amount: 7, eventId: 'message' });
    await writer.award('other', { userId: 'a', amount: 5 });
    expect(calls).toEqual([6, 14, 15, 6]);
    expect(await on('month')).toEqual(['b 7', 'a 5']);
    expect(await on('week')).toEqual(['b 7', 'a 5']);
  });

  it('the reader names boards as the service does', async () => {
    const wrong = createReader(client).page('g', 1, 10, { board: 'day' as BoardName });
    await expect(wrong).rejects.toThrow(InvalidInputError);
    await expect(wrong).rejects.toThrow(`board must be one of ${BOARDS.join(', ')}, not day`);
  });
});
