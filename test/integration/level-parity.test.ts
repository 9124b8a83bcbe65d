import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Store, storeOn } from '../../scripts/store.ts';
import { CURVE_NAMES, levelForXp, MAX_XP, xpForLevel } from '../../src/leaderboard/curves.ts';
import { storeKinds, type TestStore } from '../helpers/stores.ts';

describe.each(storeKinds)('the level computed in Redis on $name', (kind) => {
  let testStore: TestStore;
  let store: Store;

  beforeAll(async () => {
    testStore = await kind.start();
    store = storeOn(testStore.client, 'gr', ['free']);
    for (const curve of CURVE_NAMES) await store.audit.configure(curve, { xpCurve: curve });
  });
  afterAll(() => testStore.stop());

  it('is the one computed here, at thresholds, beside them and anywhere up to 2^53-1', async () => {
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
      { numRuns: kind.name === 'redis-server' ? 3000 : 150 },
    );
  });
});
