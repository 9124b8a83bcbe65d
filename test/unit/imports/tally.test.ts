import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ImportRow } from '../../../src/imports/rows.ts';
import { Tally } from '../../../src/imports/tally.ts';

const row = fc.record({ userId: fc.constantFrom('a', 'b', 'c'), xp: fc.nat(9), hidden: fc.boolean() });

it('a tally counts the members that the rows leave, as an import does', () => {
  fc.assert(
    fc.property(fc.array(row), (rows) => {
      const tally = new Tally(10);
      const left = new Map<string, ImportRow>();
      for (const each of rows) {
        tally.add(each);
        left.set(each.userId, { ...each, hidden: each.hidden || left.get(each.userId)?.hidden === true });
      }
      const members = [...left.values()];
      const ranked = members.filter(({ hidden }) => !hidden);
      expect({ ...tally, repeated: tally.repeated, isExact: tally.isExact }).toMatchObject({
        ...{ rows: rows.length, members: members.length, repeated: rows.length - members.length },
        ...{ hidden: members.length - ranked.length, isExact: true },
        totalXp: ranked.reduce((sum, { xp }) => sum + BigInt(xp), 0n),
      });
    }),
  );
});

it('a tally tells members apart up to its limit, and says that it may miss further repeated rows', () => {
  const tally = new Tally(2);
  for (const userId of ['a', 'b', 'a', 'c', 'c']) tally.add({ userId, xp: 1 });
  expect([tally.members, tally.repeated, tally.isExact]).toEqual([4, 1, false]);
});
