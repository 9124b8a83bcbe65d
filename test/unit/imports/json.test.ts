import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { COMMAND_ADVICE } from '../../../src/cli/sentences.ts';
import { detectFormat } from '../../../src/imports/detect.ts';
import { type FormatName, formatNamed, type JsonLayout } from '../../../src/imports/formats.ts';
import { readJson } from '../../../src/imports/json.ts';
import { recordOf } from '../../../src/imports/levels.ts';
import type { SeedRow } from '../../../src/imports/rows.ts';
import { all, pieces, refusals } from './read.ts';

const read = (text: string, format: FormatName, size?: number) =>
  all(readJson(pieces(text, size), formatNamed(format).json as JsonLayout, 'f.json', COMMAND_ADVICE));
const fixture = (name: string) => readFileSync(new URL(`../../fixtures/imports/${name}`, import.meta.url), 'utf8');
const ONE = '100000000000000001';
const TWO = '100000000000000002';

describe('reading exports of other bots', () => {
  const cases: [file: string, format: FormatName, rows: SeedRow[]][] = [
    [
      'mee6.json',
      'mee6',
      [
        { userId: ONE, xp: 4700, username: 'ada', level: 10 },
        { userId: TWO, xp: 100, username: 'böb 🎉', level: 1 },
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
        { userId: ONE, xp: 4150, username: 'ada', level: 10 },
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
      'polaris-map.json',
      'polaris',
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
    'recognises %s as %s and reads its members, however it is cut into pieces',
    async (file, format, rows) => {
      const text = fixture(file);
      expect(detectFormat(text, file, COMMAND_ADVICE)).toBe(format);
      for (const size of [1, 13, 4096]) {
        expect(await read(text, format, size)).toEqual(rows.map((row, index) => ({ at: index + 1, row })));
      }
    },
  );

  it.each(cases)(
    '%s states the levels that the %s curve gives, so none is stored and all go on moving',
    (_file, format, rows) => {
      const { curve } = formatNamed(format);
      for (const row of rows) {
        expect(recordOf(row, curve ?? 'standard').profile.level ?? null).toBeNull();
      }
    },
  );

  it('reads several pages in one file', async () => {
    const page = fixture('tatsu.json');
    expect((await read(page + page, 'tatsu')).map(({ at }) => at)).toEqual([1, 2, 3, 4]);
  });
});

describe('reading a JSON array', () => {
  it('keeps XP exact, and reports number and reason of every bad element', async () => {
    const text =
      '[{"user_id":"1","xp":9007199254740991},{"user_id":"1","xp":9007199254740993},7,null,[1],' +
      '{"user_id":123456789012345678,"xp":1},{"user_id":"2","xp":1.5},{"user_id":"3","xp":"8","extra":{"xp":[1]}}]';
    const entries = await read(text, 'json', 3);
    expect(refusals(entries)).toEqual([
      '2: xp "9007199254740993" is not a whole number from 0 to 9007199254740991',
      '3: it is not an object',
      '4: it is not an object',
      '5: it is not an object',
      '7: xp "1.5" is not a whole number from 0 to 9007199254740991',
    ]);
    expect(entries.filter(({ row }) => typeof row !== 'string')).toEqual([
      { at: 1, row: { userId: '1', xp: 9007199254740991 } },
      { at: 6, row: { userId: '123456789012345678', xp: 1 } },
      { at: 8, row: { userId: '3', xp: 8 } },
    ]);
  });

  it('reads a page of this service', async () => {
    const text = '{"data":[{"rank":1,"user_id":"7","username":"x","level":2,"xp":255}],"total":1,"page":1}';
    expect(detectFormat(text, 'page.json', COMMAND_ADVICE)).toBe('json');
    expect(await read(text, 'json')).toEqual([{ at: 1, row: { userId: '7', username: 'x', level: 2, xp: 255 } }]);
  });

  it('reads an empty array as no members, and refuses text that is not JSON or has no place for members', async () => {
    expect(await read('[]', 'json')).toEqual([]);
    await expect(read('[{"user_id":"1","xp":1},', 'json')).rejects.toThrow(
      /^f\.json is not valid JSON somewhere after element 1/,
    );
    await expect(read('[}', 'json')).rejects.toThrow(/^f\.json is not valid JSON/);
    await expect(read('{"message":"Unauthorized"}', 'mee6')).rejects.toThrow(
      'f.json has no players: is --format right?',
    );
  });
});

describe('JSON that never ends', () => {
  /** Yields `head`, and then `piece` without end. Fails when more than 4 MiB are read. */
  async function* endless(head: string, piece: string): AsyncGenerator<string> {
    yield head;
    for (let read = 0; read < 4 << 20; read += 1 << 14) yield piece.repeat((1 << 14) / piece.length);
    throw new Error('more than 4 MiB were read');
  }
  const LONG = 'f.json has more than 1 MiB without the end of a value somewhere after element 1';
  const DEEP = 'f.json is nested deeper than 100 levels somewhere after element 1';

  it.each([
    ['one string', '"', 'x', LONG],
    ['one number', '', '1', LONG],
    ['one element of many fields', '{"a":[', '1,', LONG],
    ['arrays in arrays', '', '[', DEEP],
    ['objects in objects', '{"a":', '{"a":[', DEEP],
    ['arrays beside the members', '],"other":', '[', DEEP],
    ['a string beside the members', '],"other":"', 'xy', LONG],
  ])('is refused in bounded memory: %s', async (_what, start, piece, message) => {
    const json = formatNamed('mee6').json as JsonLayout;
    const chunks = endless(`{"players":[{"id":"1","xp":1}${start.startsWith(']') ? '' : ','}${start}`, piece);
    await expect(all(readJson(chunks, json, 'f.json', COMMAND_ADVICE))).rejects.toThrow(message);
  });
});
