import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openCore } from '../../../src/core/core.ts';
import { type ClaimRequest, createWriter } from '../../../src/kit/writer.ts';
import { clocked } from '../../support/clocked.ts';
import { needs } from '../../support/needs.ts';
import { describeStores, realStore, type TestStore } from '../../support/stores.ts';

describeStores('claimDaily', (kind) => {
  let store: TestStore;
  let now = 0;
  beforeAll(async () => {
    store = await kind.start();
  });
  afterAll(() => store.stop());
  beforeEach(() => store.empty());

  /** Claims at a time in ISO 8601. Returns the streak, or when the next claim is possible. */
  const claimAt = async (time: string, request: Partial<ClaimRequest> = {}) => {
    now = Date.parse(time);
    const writer = createWriter(clocked(store.client, () => now));
    const { claimed, streak, nextClaimAt } = await writer.claimDaily('g', {
      ...{ userId: 'a', reward: 10, minIntervalMs: 0 },
      ...request,
    });
    return claimed ? streak : nextClaimAt.toISOString();
  };
  const profile = () => store.client.hget('gr:{g}:members', 'a');

  it('a claim gives the reward once on each day in UTC, from the first millisecond on to the last', async () => {
    expect(await claimAt('2026-12-31T00:00:00.000Z')).toBe(1);
    expect(await claimAt('2026-12-31T23:59:59.999Z')).toBe('2027-01-01T00:00:00.000Z');
    expect(await claimAt('2027-01-01T00:00:00.000Z')).toBe(2);
    expect(await claimAt('2027-01-02T23:59:59.999Z')).toBe(3);
    expect(await profile()).toBe(`- 3 ${Date.parse('2027-01-02T23:59:59.999Z')}+0`);
    expect(await store.client.zscore('gr:{g}:xp', 'a')).toBe('30');
  });

  it.each([-720, -300, 60, 330, 840])(
    'the day of claims begins at midnight at the offset of %d minutes',
    async (offset) => {
      const at = (text: string) =>
        claimAt(new Date(Date.parse(text) - offset * 60_000).toISOString(), { utcOffsetMinutes: offset });
      expect(await at('2028-02-28T23:59:59.999Z')).toBe(1);
      expect(await at('2028-02-29T00:00:00.000Z')).toBe(2);
      expect(await at('2028-02-29T23:59:00.000Z')).toBe(new Date(Date.UTC(2028, 2, 1) - offset * 60_000).toISOString());
      expect(await at('2028-03-01T00:00:00.000Z')).toBe(3);
    },
  );

  it('a streak starts at 1 after a missed day, unless the grace covers it', async () => {
    expect(await claimAt('2026-05-01T10:00:00Z')).toBe(1);
    expect(await claimAt('2026-05-02T10:00:00Z')).toBe(2);
    expect(await claimAt('2026-05-04T10:00:00Z', { graceDays: 1 })).toBe(3);
    expect(await claimAt('2026-05-07T23:59:59Z', { graceDays: 2 })).toBe(4);
    expect(await claimAt('2026-05-09T00:00:00Z')).toBe(1);
    expect(await claimAt('2026-05-12T00:00:00Z', { graceDays: 1 })).toBe(1);
  });

  it('a streak counts each day of a member whose clock changes to and from daylight saving', async () => {
    // Claimed on Saturday at 00:30, which is 22:30 UTC on Friday; on Sunday the clock goes back an hour.
    expect(await claimAt('2026-10-23T22:30:00Z', { utcOffsetMinutes: 120 })).toBe(1);
    expect(await claimAt('2026-10-24T21:59:59Z', { utcOffsetMinutes: 120 })).toBe('2026-10-24T22:00:00.000Z');
    expect(await claimAt('2026-10-25T20:00:00Z', { utcOffsetMinutes: 60 })).toBe(2);
    // At the offset of winter Saturday's claim would have been on Friday, and Sunday's streak at an end.
    await store.empty();
    expect(await claimAt('2026-03-28T22:30:00Z', { utcOffsetMinutes: 60 })).toBe(1);
    expect(await claimAt('2026-03-28T22:59:59Z', { utcOffsetMinutes: 60 })).toBe('2026-03-28T23:00:00.000Z');
    expect(await claimAt('2026-03-29T21:59:59Z', { utcOffsetMinutes: 120 })).toBe(2);
    expect(await claimAt('2026-03-29T22:00:00Z', { utcOffsetMinutes: 120 })).toBe(3);
  });

  it('20 hours lie between two claims unless told otherwise, whatever the offset', async () => {
    const usual = { minIntervalMs: undefined } as unknown as Partial<ClaimRequest>;
    const east = { ...usual, utcOffsetMinutes: 840 };
    expect(await claimAt('2026-05-01T12:00:00Z', { ...usual, utcOffsetMinutes: -720 })).toBe(1);
    expect(await claimAt('2026-05-01T12:00:01Z', east)).toBe('2026-05-02T08:00:00.000Z');
    expect(await claimAt('2026-05-02T07:59:59.999Z', east)).toBe('2026-05-02T08:00:00.000Z');
    expect(await claimAt('2026-05-02T08:00:00Z', east)).toBe(2);
    await store.empty();
    expect(await claimAt('2026-05-01T23:30:00Z', usual)).toBe(1);
    expect(await claimAt('2026-05-02T00:00:00Z', usual)).toBe('2026-05-02T19:30:00.000Z');
    expect(await claimAt('2026-05-02T19:30:00Z', usual)).toBe(2);
    expect(await claimAt('2026-05-03T19:00:00Z', { minIntervalMs: 86_400_000 })).toBe('2026-05-03T19:30:00.000Z');
  });

  it('no day is given twice when the offset or the clock goes back', async () => {
    expect(await claimAt('2026-05-01T12:00:00Z', { utcOffsetMinutes: 840 })).toBe(1);
    expect(await claimAt('2026-05-01T12:00:01Z', { utcOffsetMinutes: -720 })).toBe('2026-05-03T12:00:00.000Z');
    expect(await claimAt('2026-04-30T12:00:01Z')).toBe('2026-05-03T00:00:00.000Z');
    expect(await claimAt('2026-05-03T00:00:00Z')).toBe(2);
  });

  it('a claim gives the day of the right clock after a claim while the clock was 400 days ahead', async () => {
    expect(await claimAt('2026-05-01T12:00:00Z')).toBe(1);
    expect(await claimAt('2027-06-05T12:00:00Z')).toBe(1);
    expect(await claimAt('2026-05-02T12:00:00Z')).toBe(2);
    expect(await claimAt('2026-05-02T13:00:00Z')).toBe('2026-05-03T00:00:00.000Z');
    expect(await claimAt('2026-05-03T12:00:00Z')).toBe(3);
  });

  it.each([
    ['2026-05-01T23:59:59Z', '', 6],
    ['2026-05-01T00:00:00Z', '', 6],
    ['2026-05-01T22:30:00Z', '+60', 6],
    ['2026-05-01T23:30:00Z', '+60', '2026-05-03T00:00:00.000Z'],
    ['2026-05-02T00:30:00Z', '-60', 6],
    ['2026-05-02T00:30:00Z', '', '2026-05-03T00:00:00.000Z'],
    ['2026-04-30T23:59:59Z', '', 1],
    ['1969-12-31T23:59:59Z', '', 1],
    ['2026-05-01T12:00:00Z', '+', 6],
    ['2026-05-01T12:00:00Z', 'Z', 1],
    ['yesterday', '', 1],
    ['2028-05-02T10:00:00Z', '', 6],
    ['+275760-09-13T00:00:00.000Z', '', 6],
  ])('a claim goes on from the last claim %s%s that another writer stored', async (time, offset, expected) => {
    const last = Number.isNaN(Date.parse(time)) ? time : Date.parse(time);
    await store.client.hset('gr:{g}:members', 'a', `- 5 ${last}${offset} Ann`);
    expect(await claimAt('2026-05-02T10:00:00Z')).toBe(expected);
  });

  it('a claim gives the reward of the streak, and the last reward for all longer streaks, without the multiplier', async () => {
    await store.client.hset('gr:{g}:config', 'xp_multiplier', '3');
    const totals: (string | null)[] = [];
    for (const day of ['01', '02', '03', '04', '06']) {
      await claimAt(`2026-05-${day}T10:00:00Z`, { reward: [10, 20, 50], username: 'Ann' });
      totals.push(await store.client.zscore('gr:{g}:xp', 'a'));
    }
    expect(totals).toEqual(['10', '30', '80', '130', '140']);
    expect(await profile()).toMatch(/^- 1 \d+\+0 Ann$/);
  });

  it('a claim that is out of range is refused, and changes nothing', async () => {
    for (const [request, message] of [
      [{ reward: -1 }, 'reward must be'],
      [{ reward: [] }, 'reward must be'],
      [{ reward: [1, 1.5] }, 'reward must be'],
      [{ utcOffsetMinutes: 1441 }, 'utcOffsetMinutes must be'],
      [{ graceDays: -1 }, 'graceDays must be'],
      [{ minIntervalMs: 604_800_001 }, 'minIntervalMs must be'],
    ] as const) {
      await expect(claimAt('2026-05-01T10:00:00Z', request)).rejects.toThrow(message);
    }
    const { scripts, writer } = openCore(store.client, 'gr');
    const keys = ['xp', 'stats', 'config', 'hidden', 'members'].map((key) => `gr:{g}:${key}`);
    for (const args of [
      ['a', '1441', '0', '0', '', '5'],
      ['a', 'x', '0', '0', '', '5'],
      ['a', '0', '366', '0', '', '5'],
      ['a', '0', '0', '-1', '', '5'],
      ['a', '0', '0', '0', '', ''],
      ['a', '0', '0', '0', ''],
      ['a', '0', '0', '0', '', '5', '-1'],
    ]) {
      expect(await scripts.run({ name: 'claim', boards: true }, keys, ...args)).toEqual(['REFUSED', 0, 'argument']);
    }
    await writer.record('g', { userId: 'a', set: 2 ** 53 - 5 });
    const before = await store.client.hgetall('gr:{g}:stats');
    await expect(claimAt('2026-05-01T10:00:00Z')).rejects.toMatchObject({ code: 'range' });
    expect([await profile(), await store.client.hgetall('gr:{g}:stats')]).toEqual([null, before]);
  });
});

describe('50 claims of one member at once', needs('redis-server'), () => {
  it('50 claims of one member at once give one reward', async () => {
    const store = await realStore.start();
    const writers = Array.from({ length: 50 }, () => createWriter(store.connect()));
    const claims = await Promise.all(writers.map((writer) => writer.claimDaily('g', { userId: 'a', reward: 10 })));
    expect(claims.filter(({ claimed }) => claimed)).toHaveLength(1);
    expect(claims.map(({ xp, streak }) => [xp, streak])).toEqual(claims.map(() => [10, 1]));
    await store.stop();
  });
});
