import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Core, openCore } from '../../src/core/core.ts';
import { CURVE_NAMES, levelForXp, MAX_XP, xpForLevel } from '../../src/core/ranking/curves.ts';
import { customCurve } from '../support/random-curve.ts';
import { describeStores, realStore, type TestStore } from '../support/stores.ts';
import { randomRuns } from '../support/variants.ts';

describeStores('the level computed in Redis', (kind) => {
  let testStore: TestStore;
  let store: Core;

  beforeAll(async () => {
    testStore = await kind.start();
    store = openCore(testStore.client, 'gr');
    for (const curve of CURVE_NAMES) await store.guildConfig.update(curve, { xpCurve: curve });
  });
  afterAll(() => testStore.stop());

  it('Redis and TypeScript compute the same level, at thresholds, beside them and anywhere up to 2^53-1', async () => {
    const near = fc.tuple(
      fc.constantFrom(...CURVE_NAMES),
      fc.integer({ min: 1, max: 175_000 }),
      fc.constantFrom(-1, 0, 1),
    );
    const anywhere = fc.tuple(fc.constantFrom(...CURVE_NAMES), fc.maxSafeNat());
    const cases = fc.oneof(
      near.map(([curve, level, offset]) => ({ curve, xp: Math.min(MAX_XP, xpForLevel(curve, level) + offset) })),
      anywhere.map(([curve, xp]) => ({ curve, xp })),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ({ curve, xp }) => {
        const { level } = await store.writer.record(curve, { userId: 'u', set: xp });
        expect(level).toBe(levelForXp(curve, xp));
      }),
      { numRuns: randomRuns(kind === realStore ? 3000 : 150) },
    );
  });

  it("Redis and TypeScript compute the same level on a curve of the guild's own", async () => {
    const { stats, config } = store.redisKeys.guild('own');
    await testStore.client.hset(stats, 'model', '1');
    await fc.assert(
      fc.asyncProperty(
        customCurve,
        fc.oneof(fc.maxSafeNat(), fc.integer({ min: 0, max: 100_000 })),
        async (own, xp) => {
          await testStore.client.hset(config, {
            xp_curve: 'custom',
            xp_curve_custom: own.text.slice('custom='.length),
          });
          const { level } = await store.writer.record('own', { userId: 'u', set: xp });
          expect(level).toBe(levelForXp(own.curve, xp));
        },
      ),
      { numRuns: randomRuns(kind === realStore ? 2000 : 100) },
    );
  });

  it('Redis computes the same level for many members of one call, for which it searches a table', async () => {
    const xps = fc.array(
      fc.oneof(
        { weight: 3, arbitrary: fc.integer({ min: 0, max: 200 }) },
        { weight: 1, arbitrary: fc.integer({ min: 201, max: 175_000 }) },
      ),
      { minLength: 60, maxLength: 120 },
    );
    const offsets = fc.infiniteStream(fc.constantFrom(-1, 0, 1));
    let guild = 0;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...CURVE_NAMES), xps, offsets, async (curve, levels, offset) => {
        const id = `many-${guild++}`;
        await store.guildConfig.update(id, { xpCurve: curve });
        const records = levels.map((level, i) => {
          const xp = level === 0 ? i : xpForLevel(curve, level) + (offset.next().value as number);
          return { userId: `u${i}`, set: Math.min(MAX_XP, xp) };
        });
        await store.writer.recordMany(id, records);
        const sum = records.reduce((total, { set }) => total + levelForXp(curve, set), 0);
        expect(await testStore.client.hget(`gr:{${id}}:stats`, 'level_sum')).toBe(String(sum));
      }),
      { numRuns: randomRuns(kind === realStore ? 100 : 10) },
    );
  });
});
