import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DistinctMembers } from '../../../src/imports/distinct-members.ts';
import { generateMembers } from '../../../src/imports/generate.ts';

it('the count tells members apart as a set of their ids does, and a member whom one row hides stays hidden', () => {
  const rows = fc.array(fc.record({ userId: fc.stringMatching(/^[0-9a]{1,3}$/), hidden: fc.boolean() }));
  fc.assert(
    fc.property(rows, (list) => {
      const members = new DistinctMembers(1e6);
      for (const row of list) members.add(row);
      const ids = new Set(list.map(({ userId }) => userId));
      const hidden = new Set(list.filter((row) => row.hidden).map(({ userId }) => userId));
      const counts = [members.rows, members.members, members.repeated, members.hidden];
      expect(counts).toEqual([list.length, ids.size, list.length - ids.size, hidden.size]);
    }),
  );
});

it('the count tells 200,000 members with ids of a chat apart, and knows each of them again', () => {
  const members = new DistinctMembers(1e6);
  for (let time = 0; time < 2; time++) for (const { userId } of generateMembers(200_000, '1')) members.add({ userId });
  expect([members.members, members.repeated]).toEqual([200_000, 200_000]);
});

it('above its limit, the count takes each row of a further member for another member', () => {
  const members = new DistinctMembers(2);
  for (const userId of ['a', 'b', 'c', 'c', 'a']) members.add({ userId });
  expect([members.members, members.repeated]).toEqual([4, 1]);
});
