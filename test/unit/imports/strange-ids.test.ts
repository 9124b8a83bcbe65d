import { describe, expect, it } from 'vitest';
import { readFile, refusals } from './read.ts';

const ONE = '204255221017214977';
const TWO = '159998587045832321';

describe('files without ids of Discord', () => {
  it.each([
    ['a column', 'user_id,xp\nann,4700\nbob,254\n', 'user_id'],
    ['an array', '[{"user_id":"ann","xp":4700},{"user_id":"bob","xp":254}]', 'user_id'],
    ['names of objects', '{"users":{"ann":{"xp":4700},"bob":{"xp":254}}}', 'the names of its members'],
  ])('a file with ids that are not of Discord in %s is imported with a warning', async (_what, content, field) => {
    const { rows, lines, doubts } = await readFile(content);
    expect(rows).toHaveLength(2);
    expect(lines).toEqual([
      `f: ${field}, such as "ann", has no ids of Discord: if these are names, export the user ids instead`,
    ]);
    expect(doubts).toEqual([]);
  });

  it('a file whose ids of Discord stand in another field is refused until a person names the fields', async () => {
    for (const content of [
      `user_id,xp,discord_id\nann,5,${ONE}\nbob,7,${TWO}\n`,
      JSON.stringify([{ user_id: 'ann', xp: 5, discord_id: ONE }]),
    ]) {
      await expect(readFile(content)).rejects.toThrow(
        /^f has ids of Discord in discord_id, and none in user_id\. It has .* --map id=discord_id,xp=xp$/,
      );
      const better = await readFile(content, { map: { id: 'discord_id', xp: 'xp' } });
      expect(better.rows[0]).toEqual({ userId: ONE, xp: 5 });
      const same = await readFile(content, { map: { id: 'user_id', xp: 'xp' } });
      expect(same.rows[0]).toEqual({ userId: 'ann', xp: 5 });
      expect([...better.doubts, ...same.doubts]).toEqual([]);
    }
  });

  it('an XP value as long as an id is not taken for an id', async () => {
    expect((await readFile('user_id,xp\n1,9007199254740991\n')).rows).toEqual([
      { userId: '1', xp: 9_007_199_254_740_991 },
    ]);
  });

  it('a file of a known bot raises a doubt when another field has the ids of Discord', async () => {
    const { rows, doubts } = await readFile(
      JSON.stringify({ levels: [{ userId: 'ann', xp: 5, level: 0, discord: ONE }] }),
    );
    expect(rows).toHaveLength(1);
    expect(doubts).toEqual(['f: userId, such as "ann", has no ids of Discord, and discord has']);
  });

  it('the import warns of no ids in an export of this service, nor of ids in what spreadsheets put around them', async () => {
    for (const content of [
      'user_id,xp,explicit_level\nann,5,\n',
      `user_id,xp\n"=""${ONE}""",5\n"=""${TWO}""",6\n`,
      `user_id,xp\n'${ONE},5\n`,
      `user_id,xp\n<@${ONE}>,5\n`,
      `user_id,xp\n'${ONE}',5\n`,
      `user_id,xp\n"204,255,221,017,214,977",5\n`,
      `user_id;xp\n204.255.221.017.214.977;5\n`,
      `user_id;xp\n204 255 221 017 214 977;5\n`,
    ]) {
      const file = await readFile(content);
      expect(file).toMatchObject({ lines: [], doubts: [] });
      expect(refusals(file)).toEqual([]);
    }
  });

  it('a notice counts the ids that are not of Discord when a file has both kinds', async () => {
    const { lines } = await readFile(`user_id,xp\n${ONE},5\nrole,6\n123,7\n`);
    expect(lines).toEqual(['f: user_id has 1 id of Discord, and 2 others: are these names, or rows of another table?']);
  });

  it('the ids in objects count when the names of the objects are names of members', async () => {
    const { rows } = await readFile(JSON.stringify({ users: { ann: { user_id: ONE, xp: 5 } } }), {
      map: { xp: 'xp' },
    });
    expect(rows).toEqual([{ userId: ONE, xp: 5 }]);
  });

  it('the message shows characters of an id that nobody sees', async () => {
    expect(refusals(await readFile(`user_id,xp\n${ONE}\u200B,5\n`))).toEqual([
      `2: user_id "${ONE}U+200B" is not 1 to 64 of A-Z a-z 0-9 _ - .`,
    ]);
  });
});

it('a table of levels or ranks raises a doubt, because its numbers are no ids', async () => {
  expect((await readFile('{"1":100,"2":255,"3":475}')).doubts).toEqual([
    'f: its ids are the numbers from 1 to 3: if these are levels or ranks, it has no members',
  ]);
  expect((await readFile('{"204255221017214977":100,"159998587045832321":255}')).doubts).toEqual([]);
});
