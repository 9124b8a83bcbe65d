import { describe, expect, it } from 'vitest';
import { readFile, refusals } from './read.ts';

const read = (text: string, size?: number) =>
  readFile(text, { name: 'f.ndjson', format: 'ndjson', ...(size !== undefined && { size }) });

describe('NDJSON files', () => {
  it('an NDJSON file has one object a line, with numbers or digits in text, with or without a line end at the end', async () => {
    const text = '{"user_id":"1","xp":5,"username":"böb 🎉"}\r\n\n{"user_id":2,"xp":"9007199254740991","level":null}';
    for (const size of [1, 4, 1000]) {
      expect((await read(text, size)).entries).toEqual([
        { at: 1, row: { userId: '1', xp: 5, username: 'böb 🎉' } },
        { at: 3, row: { userId: '2', xp: 9007199254740991, level: null } },
      ]);
    }
  });

  it.each([
    'id',
    'xp',
    'username',
    'level',
    'daily_streak',
    'last_daily_claim',
    'explicit_level',
    'hidden',
    'hidden_reasons',
    'other',
  ])('a row with the field %s nested 5,000 deep is a bad row, and the rows after it are read', async (field) => {
    const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
    const text = `{"user_id":"1","xp":1,"${field}":${deep}}\n{"user_id":${deep},"xp":1}\n{"user_id":"2","xp":2}`;
    expect((await read(text)).entries).toEqual([
      { at: 1, row: 'it is nested deeper than 100 levels' },
      { at: 2, row: 'it is nested deeper than 100 levels' },
      { at: 3, row: { userId: '2', xp: 2 } },
    ]);
  });

  it('the message on a bad row of an NDJSON file names its line and the reason, and nothing is rounded', async () => {
    const lines = [
      '{"user_id":"1","xp":9007199254740993}',
      '{"user_id":"1","xp":9007199254740991.4}',
      '{"user_id":"1","xp":',
      '[]',
      '{"user_id":"1","xp":true}',
      '{"user_id":"1","xp":1,"username":{}}',
      '{"user_id":"1","xp":1,"last_daily_claim":17}',
      `{"user_id":"1","xp":1,"username":"${'ä'.repeat(513)}"}`,
    ];
    expect(refusals(await read(lines.join('\n')))).toEqual([
      '1: xp "9007199254740993" is not a whole number from 0 to 9007199254740991',
      '2: xp "9007199254740991.4" is not a whole number from 0 to 9007199254740991',
      '3: it is not valid JSON',
      '4: it is not an object',
      '5: xp true is not a whole number from 0 to 9007199254740991',
      '6: username {} is not text',
      '7: last_daily_claim 17 is not a time such as 2026-01-31T18:30:00Z',
      expect.stringMatching(/^8: username "ä+\.\.\. is longer than 512 bytes$/),
    ]);
  });

  it('a row may have whole numbers with decimals, and an inner object with an xp of its own', async () => {
    const { rows } = await read('{"user_id":"1","xp":20.0,"season":{"xp":1.5}}\n{"user_id":"2","xp":700.0}');
    expect(rows).toEqual([
      { userId: '1', xp: 20 },
      { userId: '2', xp: 700 },
    ]);
  });

  it('ids may be numbers when they show that no digit was lost, and are refused when all can be rounded', async () => {
    const exact = '{"user_id":123456789012345678,"xp":1}\n{"user_id":223456789012345679,"xp":2}';
    expect((await read(exact)).rows).toEqual([
      { userId: '123456789012345678', xp: 1 },
      { userId: '223456789012345679', xp: 2 },
    ]);
    const rounded = exact.replace('678,', '680,').replace('2345679', '2345660');
    await expect(read(rounded)).rejects.toThrow('f.ndjson: its ids were rounded, such as 123456789012345680');
  });

  it('an NDJSON file without line ends is refused before it fills the memory', async () => {
    await expect(read(`{"user_id":"1"}\n${' '.repeat(1_200_000)}`, 65_536)).rejects.toThrow(
      'f.ndjson line 2 is longer than 1 MiB',
    );
  });
});
