import { describe, expect, it } from 'vitest';
import { readFile, refusals } from './read.ts';

const ONE = '204255221017214977';
const TWO = '159998587045832321';

describe('what stands beside the members', () => {
  it('notices count the values that other maps by id hold', async () => {
    const text = `{"xp":{"${ONE}":5,"${TWO}":6},"levels":{"${ONE}":1},"names":{"${ONE}":"ann"}}`;
    const { rows, lines } = await readFile(text);
    expect(rows).toHaveLength(2);
    expect(lines).toEqual(['f: left out: 1 value in levels', 'f: left out: 1 value in names']);
  });

  it('a list beside the members raises a doubt when it can hold members too', async () => {
    for (const [list, other] of [
      ['users', 'left'],
      ['players', 'inactive'],
    ]) {
      const of = (id: string) => [{ id, user_id: id, xp: 5, level: 0 }];
      const { rows, doubts } = await readFile(
        JSON.stringify({ [`${list}`]: of(ONE as string), [`${other}`]: of(TWO as string) }),
      );
      expect(rows).toHaveLength(1);
      expect(doubts).toEqual([`f: left out: 1 object in ${other}, which can be members too`]);
    }
  });

  it('a second list with the fields that a person names raises a doubt', async () => {
    const text = `{"data":[{"user_id":"${ONE}","xp":5}],"members":[{"user_id":"${TWO}","xp":6}]}`;
    await expect(readFile(text)).rejects.toThrow(
      'f has several lists of members, in data and in members, and the largest is read when you name its fields. It has 1 row',
    );
    const { doubts } = await readFile(text, { map: { id: 'user_id', xp: 'xp' } });
    expect(doubts).toEqual(['f: left out: 1 object in members, which can be members too']);
  });

  it('a notice counts the objects in members that have the name of a list', async () => {
    const { lines } = await readFile(`[{"user_id":"${ONE}","xp":5,"users":{"name":"ann"}}]`);
    expect(lines).toEqual(['f: left out: 1 value in users']);
  });
});

describe('names that are no ids among the ids of members', () => {
  it('a name among ids is a bad row, whether it stands for a number or for an object', async () => {
    for (const value of [5, { xp: 5 }]) {
      const text = JSON.stringify({
        [`${ONE}`]: value,
        bob: value,
        [`${TWO}`]: value,
        [`<@!${ONE}>`]: value,
        'a ': value,
      });
      const file = await readFile(text);
      expect(file.rows).toHaveLength(3);
      expect(refusals(file).map((line) => line.slice(2))).toEqual([
        ' the id "bob" is no id of Discord, as the others are',
        ' the id "a " is not 1 to 64 of A-Z a-z 0-9 _ - .',
      ]);
    }
  });

  it('a word among the ids of a column is a bad row, such as in a line of totals', async () => {
    const text = `user_id,username,xp\n${ONE},ann,5\n${TWO},bob,6\nTotal,,11\n`;
    expect(refusals(await readFile(text))).toEqual(['4: user_id "Total" is no id of Discord, as the others are']);
  });

  it('an export of this service may have ids of all kinds', async () => {
    const text = `user_id,xp,explicit_level\n${ONE},5,\n${TWO},5,\nbot,5,\n`;
    expect((await readFile(text)).rows).toHaveLength(3);
  });
});
