import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Core, openCore } from '../../src/core/core.ts';
import { describeStores, type TestStore } from '../support/stores.ts';

const STATS = 'gr:{g}:stats';
const HOUR_US = 3_600_000_000;

describeStores('the revision of a guild', (kind) => {
  let testStore: TestStore;
  let store: Core;

  beforeAll(async () => {
    testStore = await kind.start();
    store = openCore(testStore.connect(), 'gr');
  });
  afterAll(() => testStore.stop());

  const record = () => store.writer.record('g', { userId: 'a', add: 1 });

  it('a revision does not come back when a write is lost while the clock is behind it', async () => {
    const ahead = String(Date.now() * 1000 + HOUR_US);
    const revisions = new Set<string>();
    for (let lost = 0; lost < 50; lost++) {
      await store.client.hset(STATS, 'rev', ahead);
      revisions.add((await record()).revision);
    }
    expect(revisions.size).toBe(50);
    for (const revision of revisions) expect(Number(revision)).toBeGreaterThan(Number(ahead));
  });

  it('a revision is the time in microseconds, and rises with every write', async () => {
    await store.client.del(STATS);
    const before = Date.now() * 1000;
    const revisions = [(await record()).revision, (await record()).revision, (await record()).revision].map(Number);
    // ioredis-mock's clock can be a second behind in its microseconds.
    expect(revisions[0]).toBeGreaterThanOrEqual(before - 1_000_000);
    // Of two writes in one tick of the clock, the second exceeds the first by up to a second.
    expect(revisions[2]).toBeLessThan(Date.now() * 1000 + 3_000_000);
    expect([...revisions].sort((a, b) => a - b)).toEqual(revisions);
    expect(new Set(revisions).size).toBe(3);
  });

  it.each(['9007199254740990', '9223372036854775807', 'many', '-5'])(
    'revisions start anew after the value %s',
    async (value) => {
      await store.client.hset(STATS, 'rev', value);
      const { revision } = await record();
      expect(Number(revision)).toBeLessThan(Date.now() * 1000 + 2_000_000);
      expect(Number(revision)).toBeGreaterThan(Date.now() * 1000 - HOUR_US);
    },
  );
});
