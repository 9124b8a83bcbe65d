import { describe, expect, it } from 'vitest';
import { fixture, readFile, refusals } from './read.ts';

const ONE = '204255221017214977';
const TWO = '159998587045832321';
const MEMBERS = [
  { userId: ONE, xp: 4700, username: 'ann' },
  { userId: TWO, xp: 254, username: null },
];

describe('members that pandas has written', () => {
  it.each([
    ['split', fixture('pandas-split.json')],
    [
      'index',
      `{"0":{"user_id":"${ONE}","xp":4700,"username":"ann"},"1":{"user_id":"${TWO}","xp":254,"username":null}}`,
    ],
    ['records', `[{"user_id":"${ONE}","xp":4700,"username":"ann"},{"user_id":"${TWO}","xp":254,"username":null}]`],
    [
      'table',
      `{"schema":{"fields":[{"name":"user_id","type":"string"}]},"data":[{"index":0,"user_id":"${ONE}","xp":4700,"username":"ann"},{"index":1,"user_id":"${TWO}","xp":254,"username":null}]}`,
    ],
  ])('members that pandas has written with orient="%s" are imported', async (_orient, content) => {
    const file = await readFile(content);
    expect(refusals(file)).toEqual([]);
    expect(file.rows).toEqual(MEMBERS);
    expect(file.doubts).toEqual([]);
  });

  it.each([
    ['the default', `{"user_id":{"0":"${ONE}","1":"${TWO}"},"xp":{"0":4700,"1":254}}`],
    ['the default, after rows were removed', `{"user_id":{"3":"${ONE}","7":"${TWO}"},"xp":{"3":4700,"7":254}}`],
    ['the default, counted from 1', `{"xp":{"1":4700,"2":254},"id":{"1":"${ONE}","2":"${TWO}"}}`],
    ['to_dict("list")', `{"user_id":["${ONE}","${TWO}"],"xp":[4700,254]}`],
  ])('members in columns, as %s writes them, are refused with the way to write them', async (_what, content) => {
    await expect(readFile(content)).rejects.toThrow(
      'f has columns by their names, and in each the values of all rows, as pandas writes them: write the members as rows, as with to_json(orient="records")',
    );
  });

  it('members in columns are refused even if a person names the fields, because the numbers of rows are no ids', async () => {
    const content = `{"user_id":{"0":"${ONE}","1":"${TWO}"},"xp":{"0":4700,"1":254}}`;
    await expect(readFile(content, { map: { xp: 'xp' } })).rejects.toThrow('f has columns by their names');
  });

  it('members in columns are imported if the rows are named after the ids, and a message names the columns beside XP', async () => {
    const content = `{"xp":{"${ONE}":4700,"${TWO}":254},"username":{"${ONE}":"ann","${TWO}":"bob"}}`;
    expect(await readFile(content)).toMatchObject({
      rows: [
        { userId: ONE, xp: 4700 },
        { userId: TWO, xp: 254 },
      ],
      lines: ['f: left out: 2 values in username'],
    });
  });

  it('rows by number are not taken for pages by number', async () => {
    const page = (id: string | undefined) => ({ players: [{ id, xp: 5, level: 0 }] });
    await expect(readFile(JSON.stringify({ 0: page(ONE), 1: page(TWO) }))).rejects.toThrow(
      /It has 2 rows with id .*such as --map id=id,xp=xp,level=level$/,
    );
  });

  it('a file from pandas has the format of the bot whose columns it has, and a person chooses one of its guilds', async () => {
    const content = `{"columns":["userID","guildID","xp","level"],"index":[0,1],"data":[["${ONE}","7",4700,6],["${TWO}","8",254,1]]}`;
    await expect(readFile(content)).rejects.toThrow('f has members of 2 guilds: 7 (1), 8 (1)');
    expect(await readFile(content, { sourceGuild: '7' })).toMatchObject({
      format: 'discord-xp',
      rows: [{ userId: ONE, xp: 4700, level: 6 }],
    });
  });
});

describe('arrays of which the first has the names', () => {
  it.each([
    ['in an array', `[["user_id","xp","username"],["${ONE}",4700,"ann"],["${TWO}",254,null]]`],
    ['as Google Sheets answers them', fixture('google-sheets.json')],
    ['one a line', `["user_id","xp","username"]\n["${ONE}",4700,"ann"]\n["${TWO}",254,null]\n`],
  ])('arrays with names in the first of them are imported %s', async (_what, content) => {
    const file = await readFile(content, { size: 16 });
    expect(refusals(file)).toEqual([]);
    expect(file.rows).toEqual(MEMBERS);
  });

  it('a message counts the array with the names as the first', async () => {
    expect(refusals(await readFile(`[["user_id","xp"],["${ONE}",4700],["${TWO}","many"]]`))).toEqual([
      '3: xp "many" is not a whole number from 0 to 9007199254740991',
    ]);
  });
});
