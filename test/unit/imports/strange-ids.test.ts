import { describe, expect, it } from 'vitest';
import { readFile, refusals } from './read.ts';

const [ONE, TWO] = ['204255221017214977', '159998587045832321'];

describe('a file without ids of Discord', () => {
  it.each([
    ['a column', 'user_id,xp\nann,4700\nbob,254\n', 'user_id'],
    ['an array', '[{"user_id":"ann","xp":4700},{"user_id":"bob","xp":254}]', 'user_id'],
    ['names of objects', '{"users":{"ann":{"xp":4700},"bob":{"xp":254}}}', 'the names of its members'],
  ])('loads with a warning: %s', async (_what, content, field) => {
    const { rows, lines, doubts } = await readFile(content);
    expect(rows).toHaveLength(2);
    expect(lines).toEqual([
      `f: ${field}, such as "ann", has no ids of Discord: if these are names, export the user ids instead`,
    ]);
    expect(doubts).toEqual([]);
  });

  it('replaces nothing when another field has them', async () => {
    for (const content of [
      `user_id,xp,discord_id\nann,5,${ONE}\nbob,7,${TWO}\n`,
      JSON.stringify([{ user_id: 'ann', xp: 5, discord_id: ONE }]),
    ]) {
      const { doubts } = await readFile(content);
      expect(doubts).toEqual([
        'f: user_id, such as "ann", has no ids of Discord, and discord_id has: add --map id=discord_id,xp=xp to read it instead',
      ]);
    }
  });

  it('loads without a word as the own export, or when ids are in what spreadsheets put around them', async () => {
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

  it('has a few of them, and says how many', async () => {
    const { lines } = await readFile(`user_id,xp\n${ONE},5\nrole,6\n123,7\n`);
    expect(lines).toEqual(['f: user_id has 1 id of Discord, and 2 others, which are loaded too']);
  });

  it('has the ids in the objects where these have names', async () => {
    const { rows } = await readFile(JSON.stringify({ users: { ann: { user_id: ONE, xp: 5 } } }), {
      map: { xp: 'xp' },
    });
    expect(rows).toEqual([{ userId: ONE, xp: 5 }]);
  });

  it('shows characters in an id that nobody sees', async () => {
    expect(refusals(await readFile(`user_id,xp\n${ONE}\u200B,5\n`))).toEqual([
      `2: user_id "${ONE}U+200B" is not 1 to 64 of A-Z a-z 0-9 _ - .`,
    ]);
  });
});
