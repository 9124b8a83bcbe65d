import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createReader, type GuildReader, InvalidInputError, type MemberLevel } from '../../../src/kit/reader.ts';
import { createWriter } from '../../../src/kit/writer.ts';
import { needs } from '../../support/needs.ts';
import { describeStores, realStore, type TestStore } from '../../support/stores.ts';

async function slicesOf(source: AsyncIterable<readonly MemberLevel[]>): Promise<(readonly MemberLevel[])[]> {
  const slices: (readonly MemberLevel[])[] = [];
  for await (const slice of source) slices.push(slice);
  return slices;
}

describeStores('the levels that count for roles', (kind) => {
  let store: TestStore;
  let reader: GuildReader;
  beforeAll(async () => {
    store = await kind.start();
    reader = createReader(store.client);
  });
  afterAll(() => store?.stop());
  beforeEach(() => store.empty());

  const levelsOf = (userIds: Iterable<string>) => slicesOf(reader.rewardsOf('g', userIds));

  it('the levels for roles are those of XP and explicit levels, of ranked and hidden members, in the order asked for', async () => {
    const writer = createWriter(store.client);
    await writer.recordMany('g', [
      { userId: 'ranked', set: 255 },
      { userId: 'explicit', set: 255, level: 40 },
      { userId: 'hidden', set: 100 },
      { userId: 'none', set: 0 },
    ]);
    await writer.hide('g', ['hidden']);
    expect(await levelsOf(new Set(['hidden', 'nobody', 'explicit', 'none', 'ranked']))).toEqual([
      [
        { userId: 'hidden', level: 1 },
        { userId: 'explicit', level: 40 },
        { userId: 'none', level: 0 },
        { userId: 'ranked', level: 2 },
      ],
    ]);
    expect(await levelsOf([])).toEqual([]);
  });

  it('the levels for roles come in slices, so that no call makes Redis wait', async () => {
    const ids = Array.from({ length: 600 }, (_, n) => `m${n}`);
    const writer = createWriter(store.client);
    await writer.recordMany(
      'g',
      ids.map((userId, n) => ({ userId, set: n })),
    );
    const slices = await levelsOf(ids);
    expect(slices.map(({ length }) => length)).toEqual([250, 250, 100]);
    expect(slices.flat().map(({ userId }) => userId)).toEqual(ids);
  });

  it('the levels for roles are not read for impossible ids', async () => {
    await expect(levelsOf(['a b'])).rejects.toThrow(InvalidInputError);
  });
});

// A script that scans works on Redis alone.
describe('the levels that count for roles, without user ids', needs('redis-server'), () => {
  let store: TestStore;
  beforeAll(async () => {
    store = await realStore.start();
  });
  afterAll(() => store.stop());

  it('the levels for roles without user ids are those of all members, ranked and hidden, each once', async () => {
    const reader = createReader(store.client);
    const allLevels = async () => (await slicesOf(reader.rewardsOf('g'))).flat();
    expect(await allLevels()).toEqual([]);
    const ids = Array.from({ length: 600 }, (_, n) => `m${n}`);
    const writer = createWriter(store.client);
    await writer.recordMany(
      'g',
      ids.map((userId, n) => ({ userId, set: n })),
    );
    await writer.hide('g', ids.slice(0, 300));
    const levels = await allLevels();
    expect(levels.map(({ userId }) => userId).sort()).toEqual(ids.toSorted());
    expect(levels.find(({ userId }) => userId === 'm255')).toEqual({ userId: 'm255', level: 2 });
  });
});
