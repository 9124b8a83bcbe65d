import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { progress } from '../../../src/core/ranking/curves.ts';
import { configureScript } from '../../../src/core/settings/guild-config.ts';
import { RedisKeys } from '../../../src/core/store/redis-keys.ts';
import { Scripts } from '../../../src/core/store/scripts.ts';
import { createReader, InvalidInputError, type ReaderClient } from '../../../src/kit/reader.ts';
import { createWriter } from '../../../src/kit/writer.ts';
import { clocked } from '../../support/clocked.ts';
import { describeStores, type StoreKind, type TestStore } from '../../support/stores.ts';

describeStores('the reader of a bot', (kind) => {
  describe.each([false, true])('the reader with the option cluster: %s', (isCluster) => tests(kind, isCluster));
});

function tests(kind: StoreKind, isCluster: boolean): void {
  let store: TestStore;
  let client: ReaderClient;
  beforeAll(async () => {
    store = await kind.start();
    const { client: redis } = store;
    client = { isCluster, evalsha: redis.evalsha.bind(redis), eval: redis.eval.bind(redis) };
    const members = Array.from({ length: 10 }, (_, n) => ({ userId: `m${n}`, set: 1000 - 100 * n }));
    await createWriter(client).recordMany('g', members);
    await createWriter(client).setProfiles('g', [{ userId: 'm3', username: 'Three\nlines\\', level: 7 }]);
  });
  afterAll(() => store.stop());

  it('the reader gives pages, members and stats as the API shows them', async () => {
    const reader = createReader(client);
    const { data, total, page } = await reader.page('g', 2, 3);
    expect([page, total, data.map(({ rank, userId }) => `${rank} ${userId}`)]).toEqual([
      2,
      10,
      ['4 m3', '5 m4', '6 m5'],
    ]);
    expect(data[0]).toEqual({ rank: 4, userId: 'm3', username: 'Three\nlines\\', level: 7, xp: 700 });
    expect((await reader.page('g')).data).toHaveLength(10);
    expect(await reader.member('g', 'm9')).toEqual({
      ...{ rank: 10, userId: 'm9', username: 'm9', xp: 100, level: 1 },
      ...{ dailyStreak: 0, lastDailyClaim: null },
    });
    expect(await reader.member('g', 'nobody')).toBeNull();
    expect(await reader.stats('g')).toEqual({
      ...{ totalMembers: 10, totalXp: 5500n, averageLevel: expect.any(Number), xpMultiplier: 1 },
      ...{ xpCurve: 'standard', curve: { a: 10, b: 135, c: 455, d: 0, q: 6, m: 1 } },
    });
  });

  it('the reader gives the numbers of a curve of the guild, from which progress follows', async () => {
    await store.client.hset('gr:{own}:config', { xp_curve: 'custom', xp_curve_custom: '0,0,50,0,1,1,20' });
    await createWriter(client).record('own', { userId: 'a', set: 120 });
    const { xpCurve, curve } = await createReader(client).stats('own');
    expect([xpCurve, curve]).toEqual(['custom', { a: 0, b: 0, c: 50, d: 0, q: 1, m: 1, max: 20 }]);
    expect(progress(curve, 120)).toEqual({ level: 2, gained: 20, needed: 50 });
    await store.client.hset('gr:{own}:config', { xp_curve_custom: '0,0,0,0,1,1' });
    await expect(createReader(client).stats('own')).rejects.toMatchObject({ code: 'CURVE' });
  });

  it.each([
    ['m4', 2, ['3 m2', '4 m3', '5 m4', '6 m5', '7 m6']],
    ['m0', 1, ['1 m0', '2 m1']],
    ['m9', 1, ['9 m8', '10 m9']],
    ['m1', 0, ['2 m1']],
    ['m5', 50, Array.from({ length: 10 }, (_, n) => `${n + 1} m${n}`)],
  ])('the reader gives the members around %s, %d above and below', async (userId, n, rows) => {
    const around = await createReader(client).around('g', userId, n);
    expect(around?.data.map(({ rank, userId }) => `${rank} ${userId}`)).toEqual(rows);
    expect(around?.total).toBe(10);
  });

  it('the reader gives the members around a member on a board, with the time that the board counts', async () => {
    const monday = Date.parse('2026-11-23T12:00:00Z');
    const bot = { isCluster, ...clocked(store.client, () => monday) };
    const config = { boards: 'week', utc_offset_minutes: '60' };
    await configureScript.run(new Scripts(bot), new RedisKeys('gr').guild('boards'), config);
    const gains = ['d', 'a', 'b', 'c'].map((userId, n) => ({ userId, add: 9 - n }));
    await createWriter(bot).recordMany('boards', gains);
    const reader = createReader(bot);
    const around = await reader.around('boards', 'b', 1, { board: 'week' });
    expect(around?.data.map(({ rank, userId, xp }) => `${rank} ${userId} ${xp}`)).toEqual(['2 a 8', '3 b 7', '4 c 6']);
    const period = { from: '2026-11-22T23:00:00.000Z', to: '2026-11-29T23:00:00.000Z' };
    expect(around).toMatchObject({ total: 4, period });
    expect(await reader.around('boards', 'nobody', 1, { board: 'week' })).toBeNull();
    const wrong = reader.around('boards', 'a', 1, { board: 'day' as 'week' });
    await expect(wrong).rejects.toThrow('board must be one of week, week.prev, month, month.prev, not day');
    await expect(reader.page('boards', 1, 1, { board: 7 as never })).rejects.toThrow(/, not 7$/);
  });

  it('the reader gives the rules of the guild, in one script, and null without any', async () => {
    const rules = { message: { xp: 5 }, multipliers: { roles: { r: 1.5 } } };
    await store.client.hset('gr:{rules}:config', 'rules', JSON.stringify(rules));
    const reader = createReader(client);
    const own = await reader.rules('rules');
    expect(own).toMatchObject({ message: { xp: 5, cooldownMs: 60_000 }, rewards: [] });
    expect(own?.multipliers.roles.get('r')).toBe(1.5);
    expect(await reader.rules('g')).toBeNull();
    expect(await reader.rules('nowhere')).toBeNull();
    await store.client.hset('gr:{rules}:config', 'rules', '{"message":{"xp":"5"}}');
    await expect(reader.rules('rules')).rejects.toThrow('message.xp must be a whole number');
    await expect(reader.rules('g g')).rejects.toBeInstanceOf(InvalidInputError);
  });

  it('the reader knows no member who is hidden or never existed', async () => {
    await createWriter(client).record('hides', { userId: 'a', set: 5 });
    await createWriter(client).hide('hides', ['a']);
    for (const userId of ['a', 'nobody']) expect(await createReader(client).around('hides', userId)).toBeNull();
    expect(await createReader(client).around('nowhere', 'a')).toBeNull();
  });

  it('the reader refuses a wrong argument by its name, and a guild of a newer version', async () => {
    const reader = createReader(client);
    await expect(reader.page('g', 0)).rejects.toThrow('page must be a whole number from 1');
    await expect(reader.page('g', 1, 101)).rejects.toThrow('limit must be a whole number from 1 to 100, not 101');
    await expect(reader.around('g', 'm1', 51)).rejects.toBeInstanceOf(InvalidInputError);
    await expect(reader.around('g', 'a b')).rejects.toBeInstanceOf(InvalidInputError);
    await expect(reader.member('g g', 'a')).rejects.toBeInstanceOf(InvalidInputError);
    await expect(reader.stats('')).rejects.toBeInstanceOf(InvalidInputError);
    await store.client.hset('gr:{newer}:stats', { rev: '5', model: '3' });
    await createReader(client).around('newer', 'a');
    await store.client.zadd('gr:{newer}:xp', 5, 'a');
    for (const read of [
      reader.page('newer'),
      reader.member('newer', 'a'),
      reader.stats('newer'),
      reader.rules('newer'),
      reader.around('newer', 'a'),
    ]) {
      await expect(read).rejects.toThrow('has data of version 3, this program knows version 1');
    }
  });
}

it('the reader takes no connection with a prefix of its own, and a connection of ioredis by its type', () => {
  expect(() => createReader(new Redis({ lazyConnect: true, keyPrefix: 'bot:' }))).toThrow(
    'The connection has the keyPrefix',
  );
});
