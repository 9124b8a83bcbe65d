import { describe, expect, it } from 'vitest';
import { readFile, refusals } from './read.ts';

const [ONE, TWO] = ['204255221017214977', '159998587045832321'];

describe('what stands beside the members', () => {
  it('is told: maps of other values by id', async () => {
    const text = `{"xp":{"${ONE}":5,"${TWO}":6},"levels":{"${ONE}":1},"names":{"${ONE}":"ann"}}`;
    const { rows, lines } = await readFile(text);
    expect(rows).toHaveLength(2);
    expect(lines).toEqual(['f: left out: 1 value in levels', 'f: left out: 1 value in names']);
  });

  it('raises a doubt: lists that can be members too', async () => {
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

  it('raises a doubt when a person names the fields of two lists', async () => {
    const text = `{"data":[{"user_id":"${ONE}","xp":5}],"members":[{"user_id":"${TWO}","xp":6}]}`;
    await expect(readFile(text)).rejects.toThrow(
      'f has several lists of members, in data and in members, and the largest is read when you name its fields. It has 1 row',
    );
    const { doubts } = await readFile(text, { map: { id: 'user_id', xp: 'xp' } });
    expect(doubts).toEqual(['f: left out: 1 object in members, which can be members too']);
  });

  it('is told: objects in members with the words of lists', async () => {
    const { lines } = await readFile(`[{"user_id":"${ONE}","xp":5,"users":{"name":"ann"}}]`);
    expect(lines).toEqual(['f: left out: 1 value in users']);
  });
});

describe('a name that is no id among the ids of members', () => {
  it('is a bad row, with XP and with an object', async () => {
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

  it('is a bad row in a column, such as that of totals', async () => {
    const text = `user_id,username,xp\n${ONE},ann,5\n${TWO},bob,6\nTotal,,11\n`;
    expect(refusals(await readFile(text))).toEqual(['4: user_id "Total" is no id of Discord, as the others are']);
  });

  it('is an id in the own export of a guild with ids of all kinds', async () => {
    const text = `user_id,xp,explicit_level\n${ONE},5,\n${TWO},5,\nbot,5,\n`;
    expect((await readFile(text)).rows).toHaveLength(3);
  });
});
