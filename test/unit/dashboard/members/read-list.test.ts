import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { MAX_LISTED, readList } from '../../../../src/dashboard/members/read-list.ts';

const folder = mkdtempSync(join(tmpdir(), 'guildrank-list-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function read(content: string | Buffer) {
  const path = join(folder, 'list.csv');
  writeFileSync(path, content);
  const { corrections, problems, notes, refused } = await readList(path, 'list.csv');
  return { corrections, problems: problems.lines(), notes, refused: refused() };
}

/** What a file is read as, with its lines left away. */
async function changes(content: string | Buffer) {
  const { corrections, problems } = await read(content);
  expect(problems).toEqual([]);
  return corrections.map(({ line: _, ...correction }) => correction);
}

describe('lists of changes', () => {
  it('a list sets, adds and takes XP, sets and removes levels and names, and leaves what its empty cells stand for as it is', async () => {
    const text = 'user_id,xp,add,take,level,name\n1,5,,,,\n2,,6,,none,\n3,,,7,4,Ann\n4,,,,0,4\n5,,,,, 5\n';
    expect(await changes(text)).toEqual([
      { userId: '1', xp: { set: 5 } },
      { userId: '2', xp: { add: 6 }, level: null },
      { userId: '3', xp: { take: 7 }, level: 4, username: 'Ann' },
      { userId: '4', level: 0, username: null },
      { userId: '5', username: ' 5' },
    ]);
  });

  it('the dashboard reads a list in the dialects and encodings of spreadsheets', async () => {
    const expected = [{ userId: '123456789012345678', xp: { add: 4_700_000 }, username: 'Zoë' }];
    const row = '123456789012345678';
    for (const [dialect, content] of Object.entries({
      semicolons: `User_ID;Add;Username\r\n${row};4.700.000;Zoë\r\n`,
      'sep=': `sep=;\nid;add;name\n${row};4700000,0;Zoë\n`,
      tabs: `\uFEFFuser_id\tadd\tname\r<@${row}>\t4700000\tZoë\r`,
      quotes: `user_id,add,name\n"=""${row}""","4,700,000","Zoë"\n,,\n`,
      gzip: gzipSync(`user_id,add,name\n${row},4700000,Zoë\n`),
      utf16: Buffer.from(`\uFEFFuser_id,add,name\n${row},4700000,Zoë\n`, 'utf16le'),
    })) {
      expect([dialect, await changes(content)]).toEqual([dialect, expected]);
    }
  });

  it.each([
    ['1,5,,6', 'it has 4 values where the first line names 3 columns'],
    ['1,,', 'it changes nothing'],
    ['1,x,', 'xp "x" is not a whole number from 0 to 9007199254740991'],
    ['1,-5,', 'xp "-5" is not a whole number'],
    ['1,5.5,', 'xp "5.5" is not a whole number'],
    ['1,1.000,', 'can be 1 or 1000'],
    ['1,,high', 'level "high" is not a whole number from 0 to 9007199254740991, or none'],
    ['a b,5,', 'user_id "a b" is not 1 to 64 of A-Z a-z 0-9 _ - .'],
    [',5,', 'user_id is missing'],
  ])('the dashboard leaves out the line "%s" of a list and says why', async (line, reason) => {
    const { corrections, problems, refused } = await read(`user_id,xp,level\ngood,5000,\n${line}\n`);
    expect(corrections.map(({ userId }) => userId)).toEqual(['good']);
    expect(problems).toEqual([expect.stringContaining(`list.csv line 3: `)]);
    expect(problems[0]).toContain(reason);
    expect(refused).toMatch(/^file,unit,place,user_id,username,reason,row\nlist\.csv,line,3,/);
  });

  it('the dashboard leaves out a second line of a member, two changes of XP in one line, and a name that is too long', async () => {
    const long = 'é'.repeat(257);
    const { corrections, problems } = await read(`user_id,add,take,name\n1,5,,\n1,6,,\n2,5,5,\n3,,,${long}\n`);
    expect(corrections).toEqual([{ line: 2, userId: '1', xp: { add: 5 } }]);
    expect(problems).toEqual([
      'list.csv line 3: line 2 changes "1" already',
      'list.csv line 4: it has add and take: give one of them',
      expect.stringMatching(/line 5: name .* is longer than 512 bytes/),
    ]);
  });

  it('a list says which of its columns are not used', async () => {
    expect((await read('user_id,Rank,xp,points\n1,1,5,6\n')).notes).toEqual(['not used: Rank, points']);
  });

  const row = (xp: string) => `1,${xp}\n`;
  it.each([
    ['without content', '', 'list.csv is empty'],
    ['without ids', 'name,xp\nAnn,5\n', 'has no column user_id: name the columns in its first line (it has name, xp)'],
    [
      'without changes',
      'user_id,points\n1,5\n',
      'has no column that changes a member, which is xp, add, take, level or name',
    ],
    ['with a column twice', 'user_id,xp,XP\n1,5,6\n', 'list.csv has the column xp twice'],
    ['with two columns of ids', 'user_id,id,xp\n1,1,6\n', 'list.csv has the column user_id or id twice'],
    ['without names of columns', '123456789012345678,5\n', 'list.csv has no column user_id'],
    ['of an export', 'user_id,xp,level,explicit_level\n1,5,1,false\n', 'list.csv is an export of all members'],
    [
      'with rounded ids',
      `user_id,xp\n${'123456789012345000,5\n123456789012346000,6\n'}`,
      'its ids were rounded, such as',
    ],
    ['with an open quote', 'user_id,xp\n1,"5\n', 'a quote is opened here'],
    ['that is a web page', '<!doctype html>', 'list.csv is a web page'],
    ['with too many members', `user_id,xp\n${row('5').repeat(MAX_LISTED + 1)}`, 'more than 10,000 members'],
    ['with too much text', `user_id,xp\n${row('5'.repeat(1 << 19)).repeat(9)}`, 'more than 4 MB of text'],
    [
      'that unpacks to too much',
      gzipSync(`user_id,name\n${row('a'.repeat(6_000_000))}`),
      'more than 100 times its size',
    ],
    ['that is an archive', Buffer.from([0x50, 0x4b, 3, 4, 0, 0]), 'list.csv is a zip archive: unpack it'],
  ])('the dashboard refuses a file %s as a whole', async (_, content, message) => {
    await expect(read(content)).rejects.toThrow(message);
  });
});
