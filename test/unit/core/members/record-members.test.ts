import { describe, expect, it } from 'vitest';
import { importRecords } from '../../../../src/core/members/record-members.ts';
import { storeSuite } from '../../../support/store-suite.ts';
import { mockStore } from '../../../support/stores.ts';

const NOW = Date.UTC(2026, 0, 15);

describe('importRecords', () => {
  const suite = storeSuite(mockStore);
  const members = (guild: string) => suite.store.client.zrange(`gr:{${guild}}:xp`, 0, -1);
  const profile = (guild: string, userId: string) => suite.store.client.hget(`gr:{${guild}}:members`, userId);

  it('imported records change members as a record of the writer does, and the result tells how many members are new', async () => {
    const { store } = suite;
    const guild = suite.newGuild();
    await store.writer.record(guild, { userId: 'a', set: 1, username: 'A', dailyStreak: 4 });
    const records = [
      { userId: 'a', add: 4, username: 'Ann', level: 3 },
      { userId: 'b', set: 7 },
      { userId: 'c', set: 8, hidden: true },
    ] as const;
    expect(await importRecords(store, guild, records, NOW)).toEqual({ created: 1 });
    expect(await importRecords(store, guild, [], NOW)).toEqual({ created: 0 });
    expect(await members(guild)).toEqual(['a', 'b']);
    expect(await profile(guild, 'a')).toBe('3 4 - Ann');
    expect((await store.counters.check(guild)).exact).toBe(true);
    const refused = [{ userId: 'b', set: 9 }, { userId: 'a', add: -9 } as const];
    await expect(importRecords(store, guild, refused, NOW)).rejects.toMatchObject({
      code: 'range',
      params: { index: 1 },
    });
    await expect(importRecords(store, guild, [{ userId: 'a b', set: 1 }], NOW)).rejects.toThrow('The user id "a b"');
  });

  it('an import takes any number of records, in slices of 500', async () => {
    const guild = suite.newGuild();
    let calls = 0;
    const target = suite.beside(async ({ name }) => {
      if (name === 'record') calls++;
    });
    const records = Array.from({ length: 1200 }, (_, n) => ({ userId: `u${n}`, set: 1 }));
    expect(await importRecords(target, guild, records, NOW)).toEqual({ created: 1200 });
    expect(calls).toBe(3);
  });

  it('a wrong field of a record is refused by its place, and nothing is written', async () => {
    const guild = suite.newGuild();
    const records = Array.from({ length: 600 }, () => ({ userId: '1', set: 1 }));
    const wrong = { userId: '2', name: 'X' } as never;
    await expect(importRecords(suite.store, guild, [...records, wrong], NOW)).rejects.toThrow(
      'records[600].name is no field of a record: use ',
    );
    await expect(importRecords(suite.store, guild, undefined as never, NOW)).rejects.toThrow(
      'The records must be a list, not undefined',
    );
    expect(await members(guild)).toEqual([]);
  });
});
