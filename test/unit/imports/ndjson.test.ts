import { describe, expect, it } from 'vitest';
import { readNdjson } from '../../../src/imports/ndjson.ts';
import { all, pieces, refusals } from './read.ts';

const read = (text: string, size?: number) => all(readNdjson(pieces(text, size), 'f.ndjson'));

describe('reading ndjson', () => {
  it('reads one object a line, with numbers or digits in text, with or without a line end at the end', async () => {
    const text = '{"user_id":"1","xp":5,"username":"böb 🎉"}\r\n\n{"user_id":2,"xp":"9007199254740991","level":null}';
    for (const size of [1, 4, 1000]) {
      expect(await read(text, size)).toEqual([
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
    expect(await read(text)).toEqual([
      { at: 1, row: 'it is nested deeper than 100 levels' },
      { at: 2, row: 'it is nested deeper than 100 levels' },
      { at: 3, row: { userId: '2', xp: 2 } },
    ]);
  });

  it('reports line and reason of every bad row, and never rounds', async () => {
    const lines = [
      '{"user_id":"1","xp":9007199254740993}',
      '{"user_id":"1","xp":9007199254740991.4}',
      '{"user_id":123456789012345678,"xp":1}',
      '{"user_id":"1","xp":',
      '[]',
      '{"user_id":"1","xp":true}',
      '{"user_id":"1","xp":1,"username":{}}',
      '{"user_id":"1","xp":1,"last_daily_claim":1700000000000}',
      `{"user_id":"1","xp":1,"username":"${'ä'.repeat(513)}"}`,
    ];
    expect(refusals(await read(lines.join('\n')))).toEqual([
      '1: xp 9007199254740992 is not a whole number from 0 to 9007199254740991',
      '2: xp is not written as a whole number',
      '3: user_id is a number that JSON readers round; write it in quotes',
      '4: it is not valid JSON',
      '5: it is not an object',
      '6: xp true is not a whole number from 0 to 9007199254740991',
      '7: username {} is not text',
      '8: last_daily_claim 1700000000000 is not a time such as 2026-01-31T18:30:00Z',
      expect.stringMatching(/^9: username "ä+\.\.\. is longer than 512 bytes$/),
    ]);
  });

  it('refuses a file without line ends before it fills the memory', async () => {
    await expect(read(' '.repeat(1_200_000), 65_536)).rejects.toThrow('f.ndjson line 1 is longer than 1 MiB');
  });
});
