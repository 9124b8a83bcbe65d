import { describe, expect, it } from 'vitest';
import { generateMembers } from '../../../src/imports/generate.ts';
import { byRank, TopMembers } from '../../../src/imports/top-members.ts';

const top = (rows: [userId: string, xp: number][], size: number, spare: number) => {
  const members = new TopMembers(size, spare);
  for (const [userId, xp] of rows) members.add({ userId, xp });
  return members.list().map(({ userId, xp }) => [userId, xp]);
};

describe('the first members of a file', () => {
  it('the first members rank by XP, then by user id in descending byte order', () => {
    expect(
      top(
        [
          ['9', 5],
          ['100', 5],
          ['10', 5],
          ['a', 5],
          ['Z', 5],
          ['1', 6],
        ],
        6,
        10,
      ),
    ).toEqual([
      ['1', 6],
      ['a', 5],
      ['Z', 5],
      ['9', 5],
      ['100', 5],
      ['10', 5],
    ]);
  });

  it('the first members are the same as after a full sort', () => {
    const members = [...generateMembers(5000, 'top')];
    const bounded = new TopMembers(10, 20);
    for (const member of members) bounded.add(member);
    expect(bounded.list()).toEqual([...members].sort(byRank).slice(0, 10));
  });

  it('the last row of a member counts, and a member whose rank is no longer known is left out', () => {
    expect(
      top(
        [
          ['1', 50],
          ['2', 40],
          ['1', 10],
        ],
        2,
        10,
      ),
    ).toEqual([
      ['2', 40],
      ['1', 10],
    ]);
    expect(
      top(
        [
          ['1', 50],
          ['2', 40],
          ['3', 30],
          ['4', 20],
          ['1', 1],
          ['2', 2],
        ],
        2,
        2,
      ),
    ).toEqual([]);
  });
});
