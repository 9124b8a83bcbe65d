import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DistinctMembers } from '../../../src/imports/distinct-members.ts';
import { generateMembers } from '../../../src/imports/generate.ts';

it('members are told apart as a set of their ids does, and one that a row hides stays hidden', () => {
  const rows = fc.array(fc.record({ userId: fc.stringMatching(/^[0-9a]{1,3}$/), hidden: fc.boolean() }));
  fc.assert(
    fc.property(rows, (list) => {
      const members = new DistinctMembers(1e6);
      for (const row of list) members.add(row);
      const ids = new Set(list.map(({ userId }) => userId));
      const hidden = new Set(list.filter((row) => row.hidden).map(({ userId }) => userId));
      expect([members.rows, members.members, members.repeated, members.hidden]).toEqual([
        ...[list.length, ids.size, list.length - ids.size, hidden.size],
      ]);
    }),
  );
});

it('200,000 members with the ids of a chat are told apart, also when they come again', () => {
  const members = new DistinctMembers(1e6);
  for (let time = 0; time < 2; time++) for (const { userId } of generateMembers(200_000, '1')) members.add({ userId });
  expect([members.members, members.repeated]).toEqual([200_000, 200_000]);
});

it('above its limit, each row of a further member counts as a member', () => {
  const members = new DistinctMembers(2);
  for (const userId of ['a', 'b', 'c', 'c', 'a']) members.add({ userId });
  expect([members.members, members.repeated]).toEqual([4, 1]);
});
