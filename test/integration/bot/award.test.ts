import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openCore } from '../../../src/core/core.ts';
import { levelForXp, MAX_XP, xpForLevel } from '../../../src/core/ranking/curves.ts';
import type { RedisClient } from '../../../src/core/store/client.ts';
import { createWriter } from '../../../src/kit/writer.ts';
import { needs } from '../../support/needs.ts';
import { describeStores, realStore, type TestStore } from '../../support/stores.ts';
import { randomRuns } from '../../support/variants.ts';
import { PATIENT } from '../../support/wait.ts';

describeStores('award', (kind) => {
  let store: TestStore;
  let client: RedisClient;
  beforeAll(async () => {
    store = await kind.start();
    client = store.connect();
  });
  afterAll(() => store.stop());
  beforeEach(() => store.empty());

  const writer = () => createWriter(client);
  const isExact = async () => (await openCore(client, 'gr').counters.check('g')).exact;

  it('an award adds XP, creates the member with its name, and answers XP and level before and after', async () => {
    const first = await writer().award('g', { userId: 'a', amount: 99, username: 'Ann', rank: true });
    expect(first).toEqual({
      revision: expect.stringMatching(/^\d{16}$/),
      repeated: false,
      ...{ awarded: 99, onCooldown: false, cooldownLeftMs: 0, created: true, hidden: false, rank: 1 },
      ...{ xpBefore: 0, levelBefore: 0, xp: 99, level: 0, xpToNextLevel: 1 },
    });
    await writer().record('g', { userId: 'b', set: 1000 });
    const second = await writer().award('g', { userId: 'a', amount: 1, rank: true });
    expect(second).toMatchObject({ xpBefore: 99, levelBefore: 0, xp: 100, level: 1, xpToNextLevel: 155, rank: 2 });
    expect(BigInt(second.revision)).toBeGreaterThan(BigInt(first.revision));
    expect(await client.hgetall('gr:{g}:members')).toEqual({ a: '- 0 - Ann' });
    expect(await isExact()).toBe(true);
  });

  it('an award gives XP once within a cooldown, tells the time that is left, and gives XP again after it', async () => {
    const award = () => writer().award('g', { userId: 'a', amount: 5, cooldownMs: 60_000 });
    expect(await award()).toMatchObject({ awarded: 5, onCooldown: false, cooldownLeftMs: 60_000 });
    const { revision } = await writer().record('g', { userId: 'b', set: 1 });
    const waiting = await award();
    expect(waiting).toMatchObject({ awarded: 0, onCooldown: true, revision, xpBefore: 5, xp: 5, created: false });
    expect(waiting.cooldownLeftMs).toBeGreaterThan(0);
    expect(waiting.cooldownLeftMs).toBeLessThanOrEqual(60_000);
    await client.pexpire('gr:{g}:cooldown:a', 1);
    await vi.waitFor(async () => expect(await award()).toMatchObject({ awarded: 5, xp: 10 }), PATIENT);
    expect(await writer().award('g', { userId: 'a', amount: 5 })).toMatchObject({ awarded: 5, xp: 15 });
  });

  it('a cooldown ends when more than its length is left, as after a step back of the clock', async () => {
    const award = (cooldownMs: number) => writer().award('g', { userId: 'a', amount: 5, cooldownMs });
    await award(60_000);
    // An hour back, the key lives an hour longer.
    await client.pexpire('gr:{g}:cooldown:a', 3_655_000);
    expect(await award(60_000)).toMatchObject({ awarded: 5, onCooldown: false, cooldownLeftMs: 60_000 });
    await client.pexpire('gr:{g}:cooldown:a', 59_000);
    const waiting = await award(1000);
    expect(waiting).toMatchObject({ awarded: 0, onCooldown: true });
    expect(waiting.cooldownLeftMs).toBeGreaterThan(1000);
    await client.set('gr:{g}:cooldown:a', '1', 'PX', 3_655_000);
    expect(await award(60_000)).toMatchObject({ awarded: 0, onCooldown: true });
  });

  it('an award does not raise an explicit level', async () => {
    await writer().record('g', { userId: 'a', set: 5, level: 7 });
    expect(await writer().award('g', { userId: 'a', amount: 5000 })).toMatchObject({
      ...{ levelBefore: 7, level: 7, xp: 5005, xpToNextLevel: null },
    });
    expect(await isExact()).toBe(true);
  });

  it.each([
    ['1.5', 15, 23],
    ['1.5', 5, 8],
    ['0.1', 5, 1],
    ['0.1', 4, 0],
    ['1.005', 100, 101],
    ['0', 100, 0],
    ['1000', 1_000_000_000, 1_000_000_000_000],
    ['0.999999', 1_000_000_000, 999_999_000],
    ['1e1', 5, 50],
    ['fast', 5, 5],
    ['-2', 5, 5],
    ['', 5, 5],
  ])('the multiplier %j makes %d XP to %d', async (multiplier, amount, awarded) => {
    await client.hset('gr:{g}:config', 'xp_multiplier', multiplier);
    expect(await writer().award('g', { userId: 'a', amount })).toMatchObject({ awarded, xp: awarded });
  });

  it.each([
    ['1.5', 5, 1.5, 11],
    ['1.5', 3, 1.5, 7],
    ['1', 3, 0.5, 2],
    ['2', 5, 0, 0],
    ['999.999999', 1_000_000_000, 999.999999, 999_999_998_000_000],
  ])('the multiplier %s and a factor make %d XP times %d to %d, rounded once', async (xp_multiplier, ...call) => {
    const [amount, factor, awarded] = call;
    await client.hset('gr:{g}:config', { xp_multiplier });
    expect(await writer().award('g', { userId: 'a', amount, factor })).toMatchObject({ awarded, xp: awarded });
  });

  it('an award multiplies exactly, for any multiplier and factor', async () => {
    const millionths = fc.oneof(
      fc.bigInt({ min: 0n, max: 1_000_000_000n }),
      fc.bigInt({ min: 0n, max: 3_000_000n }),
      fc.constantFrom(1n, 500_000n, 999_999n, 1_000_000n, 1_000_001n),
    );
    const decimal = (n: bigint) => `${n / 1_000_000n}.${String(n % 1_000_000n).padStart(6, '0')}`;
    const amounts = fc.oneof(fc.integer({ min: 0, max: 1e9 }), fc.integer({ min: 0, max: 100 }));
    let userId = 0;
    await fc.assert(
      fc.asyncProperty(amounts, millionths, fc.option(millionths), async (amount, multiplier, factor) => {
        await client.hset('gr:{g}:config', 'xp_multiplier', decimal(multiplier));
        const given = factor === null ? {} : { factor: Number(decimal(factor)) };
        const { awarded } = await writer().award('g', { userId: `u${userId++}`, amount, ...given });
        const product = BigInt(amount) * multiplier * (factor ?? 1_000_000n);
        expect(BigInt(awarded)).toBe((product + 500_000_000_000n) / 1_000_000_000_000n);
      }),
      { numRuns: randomRuns(120) },
    );
  });

  it('an award draws the XP from a range, both ends included', async () => {
    const drawn = new Set<number>();
    for (let i = 0; i < 60; i++)
      drawn.add((await writer().award('g', { userId: 'a', amount: { min: 3, max: 5 } })).awarded);
    expect([...drawn].sort()).toEqual([3, 4, 5]);
  });

  it('an award that is out of range is refused, and changes nothing', async () => {
    await writer().record('g', { userId: 'a', set: MAX_XP - 3 });
    const before = await client.hgetall('gr:{g}:stats');
    await expect(writer().award('g', { userId: 'a', amount: 4, cooldownMs: 9000 })).rejects.toMatchObject({
      code: 'range',
    });
    await expect(writer().award('g', { userId: 'a', amount: 1, username: 'x'.repeat(513) })).rejects.toMatchObject({
      code: 'field',
    });
    for (const amount of [-1, 1.5, 1e9 + 1, Number.NaN, { min: 5, max: 4 }, { min: -1, max: 4 }]) {
      await expect(writer().award('g', { userId: 'a', amount })).rejects.toThrow(
        /^amount[.a-z]* must be a whole number/,
      );
    }
    await expect(writer().award('g', { userId: 'a', amount: 1, cooldownMs: -1 })).rejects.toThrow('cooldownMs must be');
    for (const factor of [-1, 1000.000001, 0.1234567, Number.NaN, Number.POSITIVE_INFINITY]) {
      const refused = writer().award('g', { userId: 'a', amount: 1, factor });
      await expect(refused).rejects.toThrow('factor must be a number from 0 to 1000 with six decimals at most, not ');
    }
    await expect(writer().award('g', { userId: 'a b', amount: 1 })).rejects.toThrow('The user id "a b"');
    const { scripts } = openCore(client, 'gr');
    const keys = ['xp', 'stats', 'config', 'hidden', 'members', 'cooldown:a'].map((key) => `gr:{g}:${key}`);
    for (const [reason, ...args] of [
      ['user_id', 'a b', '1', '0', '', ''],
      ['argument', 'a', '-1', '0', '', ''],
      ['argument', 'a', '1000000001', '0', '', ''],
      ['argument', 'a', '1', '1.5', '', ''],
      ['argument', 'a', '1', '', '', ''],
      ['argument', 'a', '1', '0', '', '', '1e1'],
    ] as const) {
      expect(await scripts.run({ name: 'award', boards: true }, keys, ...args)).toEqual(['REFUSED', 0, reason]);
    }
    expect(await client.hgetall('gr:{g}:stats')).toEqual(before);
    expect(await client.exists('gr:{g}:cooldown:a', 'gr:{g}:members')).toBe(0);
  });
});

describe('50 writers at once', needs('redis-server'), () => {
  let store: TestStore;
  beforeAll(async () => {
    store = await realStore.start();
  });
  afterAll(() => store.stop());

  it('50 writers at once are told of each level of a member exactly once, by award and by record', async () => {
    const writers = Array.from({ length: 50 }, () => createWriter(store.connect()));
    let guild = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 200, maxLength: 400 }),
        async (amounts) => {
          const id = `g${guild++}`;
          const changes = await Promise.all(
            amounts.map(async (amount, i) => {
              const writer = writers[i % 50] as (typeof writers)[0];
              return i % 3 === 0
                ? writer.record(id, { userId: 'a', add: amount })
                : writer.award(id, { userId: 'a', amount });
            }),
          );
          const total = amounts.reduce((sum, amount) => sum + amount, 0);
          const reached = changes.flatMap(({ levelBefore, level }) =>
            Array.from({ length: level - levelBefore }, (_, i) => levelBefore + i + 1),
          );
          expect(reached.sort((one, other) => one - other)).toEqual(
            Array.from({ length: levelForXp('standard', total) }, (_, i) => i + 1),
          );
          for (const { xpBefore, xp, levelBefore, level } of changes) {
            expect([levelForXp('standard', xpBefore), levelForXp('standard', xp)]).toEqual([levelBefore, level]);
          }
          expect(Math.max(...changes.map(({ xp }) => xp))).toBe(total);
          expect(xpForLevel('standard', 1)).toBe(100);
        },
      ),
      { numRuns: randomRuns(20) },
    );
  });

  it('50 writers at once start the cooldown of a member exactly once', async () => {
    const writers = Array.from({ length: 50 }, () => createWriter(store.connect()));
    const awards = await Promise.all(
      writers.map((writer) => writer.award('cooling', { userId: 'a', amount: 7, cooldownMs: 60_000 })),
    );
    expect(awards.filter(({ awarded }) => awarded > 0)).toHaveLength(1);
    expect(awards.map(({ xp }) => xp)).toEqual(awards.map(() => 7));
  });
});
