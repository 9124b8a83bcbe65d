import { describe, expect, it } from 'vitest';
import { parseCurve } from '../../../src/core/ranking/curves.ts';
import { type FormatName, formatNamed } from '../../../src/imports/formats.ts';
import { inspectJson } from '../../../src/imports/json-inspection.ts';
import { fileRecordOf } from '../../../src/imports/level-check.ts';
import type { ImportRow } from '../../../src/imports/rows.ts';
import { fixture, readFile, refusals } from './read.ts';

const ONE = '100000000000000001';
const TWO = '100000000000000002';

describe('exports of other bots', () => {
  const cases: [file: string, format: FormatName, rows: ImportRow[]][] = [
    [
      'mee6.json',
      'mee6',
      [
        { userId: ONE, xp: 4700, username: 'ada', level: 10, avatar: '0123456789abcdef0123456789abcdef' },
        { userId: TWO, xp: 100, username: 'böb 🎉', level: 1, avatar: null },
      ],
    ],
    [
      'amari.json',
      'amari',
      [
        { userId: ONE, xp: 1655, username: 'ada', level: 10 },
        { userId: TWO, xp: 55, username: 'bob', level: 2 },
      ],
    ],
    [
      'lurkr.json',
      'lurkr',
      [
        { userId: ONE, xp: 4150, username: 'ada', level: 10, avatar: 'a_0123456789abcdef0123456789abcdef' },
        { userId: TWO, xp: 100, level: 1 },
      ],
    ],
    [
      'polaris.json',
      'polaris',
      [
        { userId: ONE, xp: 7000 },
        { userId: '100000000000000003', xp: 9000, hidden: true },
        { userId: TWO, xp: 200, hidden: false },
      ],
    ],
    [
      'polaris-xp.json',
      'polaris',
      [
        { userId: ONE, xp: 7000 },
        { userId: TWO, xp: 200 },
      ],
    ],
    [
      'mee6-pages.json',
      'mee6',
      [
        { userId: ONE, xp: 4700, username: 'ada', level: 10 },
        { userId: TWO, xp: 100, username: 'bob', level: 1 },
        { userId: '100000000000000003', xp: 5, username: 'cy', level: 0 },
      ],
    ],
    [
      'lurkr-tag.json',
      'lurkr',
      [
        { userId: ONE, xp: 4150, username: 'ada#0001', level: 10 },
        { userId: TWO, xp: 100, username: 'bob#0002', level: 1 },
      ],
    ],
    [
      'arcane.json',
      'arcane',
      [
        { userId: ONE, xp: 5250, username: 'ada#0001', level: 10 },
        { userId: TWO, xp: 75, username: 'bob#0002', level: 1 },
      ],
    ],
    [
      'levelup.json',
      'levelup',
      [
        { userId: ONE, xp: 2500, level: 5 },
        { userId: TWO, xp: 700, level: 3 },
      ],
    ],
    [
      'discord-xp.ndjson',
      'discord-xp',
      [
        { userId: ONE, xp: 2500, level: 5 },
        { userId: TWO, xp: 150, level: 1 },
      ],
    ],
    [
      'robojs-xp.json',
      'robojs-xp',
      [
        { userId: ONE, xp: 375, level: 2 },
        { userId: TWO, xp: 155, level: 1 },
      ],
    ],
    [
      'map.json',
      'json',
      [
        { userId: ONE, xp: 7000 },
        { userId: TWO, xp: 200 },
      ],
    ],
    [
      'tatsu.json',
      'tatsu',
      [
        { userId: ONE, xp: 4675 },
        { userId: TWO, xp: 100 },
      ],
    ],
  ];

  it.each(cases)(
    'the file %s is recognised as %s and read, however it is cut into pieces',
    async (file, format, rows) => {
      for (const size of [1, 13, 4096]) {
        const read = await readFile(fixture(file), { size });
        expect(read.format).toBe(format);
        expect(read.entries).toEqual(rows.map((row, index) => ({ at: index + 1, row })));
      }
    },
  );

  it.each(cases)(
    'the file %s of the format %s states the levels that its curve gives, so none is stored',
    async (file, format, rows) => {
      const own = (await readFile(fixture(file))).curve;
      const curve = parseCurve(own ?? formatNamed(format).curve ?? 'standard');
      if (!curve) throw new Error('The curve of the format is not sound');
      for (const row of rows) expect(fileRecordOf(row, curve).level ?? null).toBeNull();
    },
  );
});

it('a page of money is refused, and imported when a person says how to read it', async () => {
  await expect(readFile(fixture('unbelievaboat.json'))).rejects.toThrow(/--map id=user_id,xp=total$/);
  expect((await readFile(fixture('unbelievaboat.json'), { map: { xp: 'total' } })).rows).toEqual([
    { userId: ONE, xp: 4700 },
    { userId: TWO, xp: 100 },
  ]);
});

it('a member of a backup of LevelUp without XP has 0 XP, because LevelUp leaves out 0', async () => {
  const member = { last_active: '2026-01-01T00:00:00' };
  const text = JSON.stringify({
    users: { [ONE]: { xp: 450.7, level: 2, ...member }, [TWO]: { voice: 12.5, ...member } },
  });
  const file = await readFile(text);
  expect(refusals(file)).toEqual([]);
  expect(file.rows).toEqual([
    { userId: ONE, xp: 450, level: 2 },
    { userId: TWO, xp: 0 },
  ]);
});

it('a backup of several guilds gives the members of the chosen guild', async () => {
  const { rows, lines } = await readFile(fixture('levelup-guilds.json'), { sourceGuild: '259962941502783489' });
  expect(rows).toEqual([
    { userId: ONE, xp: 100, level: 1 },
    { userId: TWO, xp: 400, level: 2 },
  ]);
  expect(lines).toEqual(['f: left out: 1 row of other guilds', 'f: not used: messages, last_active']);
});

describe('files as scrapers write them', () => {
  const member = (id: string, xp: number) => ({ id, xp, username: id, level: 0, detailed_xp: [1, 2, xp] });
  const page = (...members: object[]) => ({ guild: { id: '7' }, page: 0, players: members });
  const one = member(ONE, 5);
  const two = member(TWO, 6);
  const rows = [
    { userId: ONE, xp: 5, username: ONE, level: 0 },
    { userId: TWO, xp: 6, username: TWO, level: 0 },
  ];

  it.each([
    ['pages one after the other', JSON.stringify(page(one)) + JSON.stringify(page(two))],
    ['one page a line', `${JSON.stringify(page(one))}\n${JSON.stringify(page(two))}\n`],
    ['an array of pages', JSON.stringify([page(one), page(two), page()])],
    ['an array of arrays of members', JSON.stringify([[one], [two], []])],
    ['one array', JSON.stringify([one, two])],
    ['arrays one after the other', JSON.stringify([one]) + JSON.stringify([two])],
  ])('a scraper may write the members as %s', async (_what, text) => {
    expect(await readFile(text)).toMatchObject({ format: 'mee6', rows, lines: ['f: not used: detailed_xp'] });
  });

  it('an error page among the pages is a bad row, so that nobody takes the other pages for all', async () => {
    const error = { status_code: 429, error: { message: 'slow down' } };
    for (const text of [
      JSON.stringify([page(one), error, page(two)]),
      [page(one), error, page(two)].map((each) => JSON.stringify(each)).join('\n'),
    ]) {
      const file = await readFile(text);
      expect(file.rows).toEqual(rows);
      expect(refusals(file)).toEqual([
        '2: it is the error response of a service, with the field "status_code": the members of this page are missing',
      ]);
    }
  });
});

describe('JSON arrays', () => {
  it('the import reads XP of a JSON array exactly, and tells each bad element with its number and reason', async () => {
    const text =
      '[{"user_id":"1","xp":9007199254740991},{"user_id":"1","xp":9007199254740993},7,null,' +
      '{"user_id":123456789012345678,"xp":1},{"user_id":"2","xp":1.5},{"user_id":"3","xp":"8","extra":{"xp":[1]}}]';
    const file = await readFile(text, { size: 3 });
    expect(refusals(file)).toEqual([
      '2: xp "9007199254740993" is not a whole number from 0 to 9007199254740991',
      '3: it is not an object',
      '4: it is not an object',
      '6: xp "1.5" is not a whole number from 0 to 9007199254740991',
    ]);
    expect(file.rows).toEqual([
      { userId: '1', xp: 9007199254740991 },
      { userId: '123456789012345678', xp: 1 },
      { userId: '3', xp: 8 },
    ]);
  });

  it('a JSON array is refused when its ids are numbers that a program can have rounded', async () => {
    await expect(readFile('[{"user_id":123456789012345680,"xp":1}]')).rejects.toThrow(
      'f: its ids were rounded, such as 123456789012345680',
    );
  });

  it('a text that is not JSON is refused, and so is JSON without a place for members', async () => {
    await expect(readFile('[{"user_id":"1","xp":1},')).rejects.toThrow(
      /^f is not valid JSON somewhere after element 1/,
    );
    await expect(readFile('[}')).rejects.toThrow(/^f is not valid JSON/);
    await expect(readFile('{"pages":3}', { format: 'mee6' })).rejects.toThrow('f has no players: is --format right?');
  });
});

describe('JSON that never ends', () => {
  /** Yields `head`, and then `piece` without end. Fails when more than 4 MiB are read. */
  async function* endless(head: string, piece: string): AsyncGenerator<string> {
    yield head;
    for (let read = 0; read < 4 << 20; read += 1 << 14) yield piece.repeat((1 << 14) / piece.length);
    throw new Error('more than 4 MiB were read');
  }
  const LONG = 'f.json has more than 1 MiB without the end of a value somewhere after element';
  const DEEP = 'f.json is nested deeper than 100 levels somewhere after element';

  it.each([
    ['one string', '"', 'x', LONG],
    ['one number', '', '1', LONG],
    ['arrays in arrays', '', '[', DEEP],
    ['objects in objects', '{"a":', '{"a":[', DEEP],
    ['arrays beside the members', '],"other":', '[', DEEP],
    ['a string beside the members', '],"other":"', 'xy', LONG],
    ['settings', '],"guild":[', '1,', 'f.json has more settings than any bot'],
  ])('JSON that never ends is refused in bounded memory, as with %s', async (_what, start, piece, message) => {
    const chunks = endless(`{"players":[{"id":"1","xp":1}${start.startsWith(']') ? '' : ','}${start}`, piece);
    await expect(inspectJson(chunks, 'f.json')).rejects.toThrow(message);
  });
});

describe('levels in files', () => {
  it('a file tells by itself whether it has levels, so that no other file is read for it', async () => {
    expect((await readFile(fixture('mee6.json'))).hasLevels).toBe(true);
    expect((await readFile(fixture('tatsu.json'))).hasLevels).toBe(false);
  });
});

describe('texts that are not JSON', () => {
  it.each([
    ['{\n"1":{"xp":5},\n}', 'line 2, character 13 has ,, a comma before the end of an object or array'],
    ["{'1':{'xp':5}}", "line 1, character 2 has ', a text in the quotes of Python or JavaScript"],
    ['[{"user_id":"it\'s","xp":NaN}]', 'line 1, character 25 has NaN, a number that JSON does not have'],
    ['[{"user_id":"a","hidden":True}]', 'line 1, character 26 has True, a word of Python'],
    ['[{"user_id":"a","xp":NumberLong(5)}]', "line 1, character 22 has NumberLong(, a word of MongoDB's shell"],
    ['// levels\n{"204255221017214977":{"xp":5}}', 'line 1, character 1 has // levels, a comment'],
    ['{"204255221017214977":{"xp":5}} /* all */', 'has /*, a comment'],
    [
      '{"user_id":"204255221017214977","xp":5},\n{"user_id":"159998587045832321","xp":6}',
      'a comma follows the first object, which is in no array: write [ before it, and ] at the end',
    ],
    ['{"players":[{"id":"1","xp":5', 'it is cut off, and its end is missing'],
  ])('a text that is not JSON is refused with the cause and its place: %j', async (text, cause) => {
    await expect(readFile(text)).rejects.toThrow(cause);
  });
});

describe('documents from which nothing can be read', () => {
  it.each([
    ['arrays in an array', '[["100000000000000001",5],["100000000000000002",6]]', 'id=1,xp=2'],
    ['arrays with names', '[["100000000000000001","ann",5],["100000000000000002","bob",6]]', 'id=1,xp=3'],
    ['one array a line', '["100000000000000001",5]\n["100000000000000002",6]', 'id=1,xp=2'],
    [
      'arrays in an object',
      '{"kind":["a","b"],"data":[["100000000000000001",5],["100000000000000002",6]]}',
      'id=1,xp=2',
    ],
    [
      'XP in an object',
      '[{"user_id":"100000000000000001","xp":{"total":5}},{"user_id":"100000000000000002","xp":{"total":6}}]',
      'id=user_id,xp=xp.total',
    ],
  ])('a document with %s is refused with the fields that import it', async (_what, text, fields) => {
    await expect(readFile(text)).rejects.toThrow(`: say which field is which, such as --map ${fields}`);
    const map = Object.fromEntries(fields.split(',').map((part) => part.split('=')));
    for (const size of [3, 4096])
      expect((await readFile(text, { map, size })).rows).toEqual([
        { userId: '100000000000000001', xp: 5 },
        { userId: '100000000000000002', xp: 6 },
      ]);
  });

  it.each(['["100000000000000001"]', '{"data":["100000000000000001"]}', '{"xp":{"total":5}}'])(
    'a document without members is refused: %s',
    async (text) => {
      await expect(readFile(text)).rejects.toThrow(/^f has the fields of no format that is known/);
    },
  );

  it('a document is refused when a person names a format that has other fields', async () => {
    await expect(readFile('{"players":[{"id":"1","xp":5}]}', { format: 'csv' })).rejects.toThrow(
      'f has no user_id and no xp, as csv has it',
    );
    await expect(readFile('[{"name":"ann","points":5}]', { format: 'json' })).rejects.toThrow(
      'f has no user_id and no xp, as json has it. It has 1 row with name "ann", points "5"',
    );
  });

  it('a value that is no array is a bad row among arrays', async () => {
    const file = await readFile('[["a",5],{"user_id":"b","xp":5},7]', { map: { id: '1', xp: '2' } });
    expect(file.rows).toHaveLength(1);
    expect(refusals(file)).toEqual(['2: it is not an array', '3: it is not an array']);
  });
});

describe('documents as pandas writes them', () => {
  it('a document with columns is refused, because the numbers of its rows are no ids', async () => {
    await expect(readFile('{"user_id":{"0":"a","1":"b"},"xp":{"0":5,"1":6}}')).rejects.toThrow(
      'f has columns by their names, and in each the values of all rows, as pandas writes them: write the members as rows, as with to_json(orient="records")',
    );
  });

  it('a document with rows by their number gives the ids in the rows', async () => {
    expect((await readFile('{"0":{"user_id":"a","xp":5},"1":{"user_id":"b","xp":6}}')).rows).toEqual([
      { userId: 'a', xp: 5 },
      { userId: 'b', xp: 6 },
    ]);
  });
});

describe('objects in the members of an array', () => {
  it.each(['guild', 'settings', 'algorithm'])(
    'an object called "%s" in a member is a field like any other',
    async (name) => {
      const text = `[{"user_id":"1","points":5,"${name}":{"deep":{"kind":true}}}]`;
      await expect(readFile(text)).rejects.toThrow(`${name}.deep.kind "true"`);
    },
  );

  it('every member of a large array may have an object of its own', async () => {
    const member = (id: number) => `{"user_id":"u${id}","xp":5,"settings":{"a":1,"b":2}}`;
    const text = `[${Array.from({ length: 20_000 }, (_, id) => member(id)).join(',')}]`;
    expect((await readFile(text, { map: { id: 'user_id', xp: 'xp' } })).rows).toHaveLength(20_000);
  });
});

describe('numbers by user id under a name of their own', () => {
  const text = '{"members":{"100000000000000001":5,"100000000000000002":6}}';

  it('numbers by user id under an unknown name are refused with the command that imports them', async () => {
    await expect(readFile(text)).rejects.toThrow(
      'f has numbers by user id in members with "5", and nothing tells which of them are XP: say which field is which, such as --map xp=members',
    );
    expect((await readFile(text, { map: { xp: 'members' } })).rows).toEqual([
      { userId: '100000000000000001', xp: 5 },
      { userId: '100000000000000002', xp: 6 },
    ]);
  });
});

it('files that were joined with their byte order marks are refused, and the message names the mark', async () => {
  const page = '{"players":[{"id":"1","xp":5,"level":0}]}';
  await expect(readFile(`\uFEFF${page}\n\uFEFF${page}`)).rejects.toThrow(
    'f is not valid JSON: line 2, character 1 has U+FEFF, a byte order mark, which an editor puts at the beginning of a file: remove it between joined files',
  );
});
