import { describe, expect, it } from 'vitest';
import { readCsv } from '../../../src/imports/csv.ts';
import { all, pieces, refusals } from './read.ts';

const read = (text: string, size?: number, warnings: string[] = []) =>
  all(readCsv(pieces(text, size), 'f.csv', (line) => warnings.push(line)));

describe('reading csv', () => {
  it('reads columns in any order, CRLF, quotes, and line ends inside quotes', async () => {
    const text =
      'xp,username,user_id,daily_streak,last_daily_claim\r\n' +
      '12,"a, ""b""\r\nc",1,3,2026-01-31T18:30:00+02:00\r\n\r\n' +
      '9007199254740991,,2,,\r\n';
    for (const size of [1, 5, 1000]) {
      expect(await read(text, size)).toEqual([
        {
          at: 2,
          row: {
            userId: '1',
            xp: 12,
            username: 'a, "b"\r\nc',
            dailyStreak: 3,
            lastDailyClaim: '2026-01-31T16:30:00.000Z',
          },
        },
        {
          at: 5,
          row: { userId: '2', xp: 9007199254740991, username: null, dailyStreak: null, lastDailyClaim: null },
        },
      ]);
    }
  });

  it('names line ends of CR alone', async () => {
    const message = 'f.csv: its lines end with CR alone, as on old Macs: save it with LF or CRLF';
    await expect(read('user_id,xp\r1,5\r')).rejects.toThrow(message);
    await expect(read('user_id;xp\r1;5\r2;6')).rejects.toThrow(message);
  });

  it('keeps the name of a column that is not used in one piece, whatever direction it is written in', async () => {
    const warnings: string[] = [];
    await read('user_id,xp,نقاط 2 (xp),Note,\n1,5,a,b,c\n', 5, warnings);
    expect(warnings).toEqual(['f.csv: not used: \u2068نقاط 2 (xp)\u2069, note, (no name)']);
  });

  it('reports line and reason of every bad row, and reads the others', async () => {
    const entries = await read(
      [
        'user_id,xp,level,daily_streak,last_daily_claim',
        '1,9007199254740993,,,',
        'a b,1,,,',
        ',1,,,',
        '1,,,,',
        '1,-1,,,',
        '1,1.0,,,',
        '1,1e3,,,',
        '1,1,x,,',
        '1,1,,-3,',
        '1,1,,,yesterday',
        '1,1,,,2026-02-30',
        '1,1,,',
        '7,1,,,2026-02-28 10:00',
      ].join('\n'),
    );
    expect(refusals(entries)).toEqual([
      '2: xp "9007199254740993" is not a whole number from 0 to 9007199254740991',
      '3: user_id "a b" is not 1 to 64 of A-Z a-z 0-9 _ - .',
      '4: user_id is missing',
      '5: xp is missing',
      '6: xp "-1" is not a whole number from 0 to 9007199254740991',
      '7: xp "1.0" is not a whole number from 0 to 9007199254740991',
      '8: xp "1e3" is not a whole number from 0 to 9007199254740991',
      '9: level "x" is not a whole number from 0 to 9007199254740991',
      '10: daily_streak "-3" is not a whole number from 0 to 9007199254740991',
      '11: last_daily_claim "yesterday" is not a time such as 2026-01-31T18:30:00Z',
      '12: last_daily_claim "2026-02-30" is not a time such as 2026-01-31T18:30:00Z',
      '13: it has 4 columns where the first line names 5',
    ]);
    expect(entries.at(-1)).toEqual({
      at: 14,
      row: { userId: '7', xp: 1, level: null, dailyStreak: null, lastDailyClaim: '2026-02-28T10:00:00.000Z' },
    });
  });

  it('reports once which columns it does not use', async () => {
    const warnings: string[] = [];
    await read('user_id,xp,rank,avatar\n1,2,3,4\n2,3,4,5\n', 9, warnings);
    expect(warnings).toEqual(['f.csv: not used: rank, avatar']);
  });

  it('refuses a first line that does not name the required columns, or names one twice', async () => {
    await expect(read('1,ada,5\n')).rejects.toThrow(
      /^f\.csv: the first line must name the columns, and lacks user_id and xp/,
    );
    await expect(read('user_id,xp,xp\n')).rejects.toThrow('f.csv: the first line names the column xp twice');
    await expect(read('')).rejects.toThrow('f.csv is empty');
  });

  it.each([';', '\t', '|'])('names the separator when it is %j', async (separator) => {
    await expect(read(`user_id${separator}xp\n1${separator}5\n`)).rejects.toThrow(
      `f.csv: its columns are separated by ${JSON.stringify(separator)}: save it with commas between them`,
    );
  });

  it('reports a record above 1 MiB as too long', async () => {
    const text = `user_id,xp\n1,5\n2,${'9'.repeat(1.5 * 2 ** 20)}\n`;
    await expect(read(text, 1 << 16)).rejects.toThrow(
      /^f\.csv line 3: it is longer than 1 MiB: is a quote opened here/,
    );
  });

  it('reports the line of an open quote', async () => {
    await expect(read('user_id,xp\n1,2\n2,"3\n4,5\n')).rejects.toThrow('f.csv line 3: a quote is opened here');
    expect(refusals(await read('user_id,xp,username\n1,2,"a\n2,3,"b"\n4,5,c\n'))).toEqual([]);
    expect(refusals(await read('user_id,xp\n"1,2\n2",3,4\n5,6\n'))).toEqual([
      '2: it has 3 columns where the first line names 2, and reaches to line 3: is a quote left open?',
    ]);
  });
});
