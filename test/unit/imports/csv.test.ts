import { describe, expect, it } from 'vitest';
import { readFile, refusals } from './read.ts';

const read = (text: string, size?: number) => readFile(text, { name: 'f.csv', ...(size !== undefined && { size }) });

describe('CSV files', () => {
  it('a CSV file may have its columns in any order, CRLF, quotes, and line ends inside quotes', async () => {
    const text =
      'xp,username,user_id,daily_streak,last_daily_claim\r\n' +
      '12,"a, ""b""\r\nc",1,3,2026-01-31T18:30:00+02:00\r\n\r\n' +
      '9007199254740991,,2,,\r\n';
    for (const size of [1, 5, 1000]) {
      expect((await read(text, size)).entries).toEqual([
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

  it.each([
    ['line ends of CR alone', 'user_id,xp\r1,5\r2,6\r'],
    ['semicolons', 'user_id;xp\n1;5\n2;6\n'],
    ['tabs', 'user_id\txp\n1\t5\n2\t6\n'],
    ['bars', 'user_id|xp\n1|5\n2|6\n'],
    ['a line that names the separator', 'sep=;\r\nuser_id;xp\r\n1;5\r\n2;6\r\n'],
    ['empty lines, lines of separators and lines of spaces', '\n,,\nuser_id,xp,\n1,5,\n,,\n   \n2,6,\n\n'],
    ['spaces around values and names', ' user_id , xp \n 1 , 5 \n 2 , 6 \n'],
    ['quotes around everything', '"user_id","xp"\n"1","5"\n"2","6"\n'],
    ['ids as formulas, as text of a spreadsheet and as mentions', 'user_id,xp\n"=""1""",5\n\'2,6\n'],
  ])('a CSV file with %s gives the same rows as a plain file', async (_what, text) => {
    for (const size of [1, 1000]) {
      expect((await read(text, size)).rows).toEqual([
        { userId: '1', xp: 5 },
        { userId: '2', xp: 6 },
      ]);
    }
  });

  it('a CSV file without names of columns is refused, and the message proposes columns by number', async () => {
    const text = '100000000000000001,ann,5\n100000000000000002,bob,6\n';
    await expect(read(text)).rejects.toThrow(
      'f.csv has the fields of no format that is known. It has 2 rows with 1 "100000000000000001", 2 "ann", 3 "5". None of these is called XP, so this is a guess: say which field is which, such as --map id=1,xp=3',
    );
    expect((await readFile(text, { map: { id: '1', xp: '3', name: '2' } })).entries).toEqual([
      { at: 1, row: { userId: '100000000000000001', xp: 5, username: 'ann' } },
      { at: 2, row: { userId: '100000000000000002', xp: 6, username: 'bob' } },
    ]);
  });

  it('the notice about unused columns keeps the name of each in one piece, whatever its direction of writing', async () => {
    const { lines } = await read('user_id,xp,نقاط 2 (xp),Note,\n1,5,a,b,c\n', 5);
    expect(lines).toEqual(['f.csv: not used: \u2068نقاط 2 (xp)\u2069, Note, a column without a name']);
  });

  it('the message on a bad row of a CSV file names its line and the reason, and the other rows are read', async () => {
    const file = await read(
      [
        'user_id,xp,level,daily_streak,last_daily_claim',
        '1,9007199254740993,,,',
        'a b,1,,,',
        ',1,,,',
        '1,,,,',
        '1,-1,,,',
        '1,1.5,,,',
        '1,1e3,,,',
        '1,1,x,,',
        '1,1,,-3,',
        '1,1,,,yesterday',
        '1,1,,,2026-02-30',
        '1,1,,',
        '7,1,,,2026-02-28 10:00',
      ].join('\n'),
    );
    expect(refusals(file)).toEqual([
      '2: xp "9007199254740993" is not a whole number from 0 to 9007199254740991',
      '3: user_id "a b" is not 1 to 64 of A-Z a-z 0-9 _ - .',
      '4: user_id is missing',
      '5: xp is missing',
      '6: xp "-1" is not a whole number from 0 to 9007199254740991',
      '7: xp "1.5" is not a whole number from 0 to 9007199254740991',
      '8: xp "1e3" is not a whole number from 0 to 9007199254740991',
      '9: level "x" is not a whole number from 0 to 9007199254740991',
      '10: daily_streak "-3" is not a whole number from 0 to 9007199254740991',
      '11: last_daily_claim "yesterday" is not a time such as 2026-01-31T18:30:00Z',
      '12: last_daily_claim "2026-02-30" is not a time such as 2026-01-31T18:30:00Z',
      '13: it has 4 values where the first line names 5 columns',
    ]);
    expect(file.entries.at(-1)).toEqual({
      at: 14,
      row: { userId: '7', xp: 1, level: null, dailyStreak: null, lastDailyClaim: '2026-02-28T10:00:00.000Z' },
    });
  });

  it('a notice names the columns of a CSV file that are not used', async () => {
    expect((await read('user_id,xp,rank,avatar\n1,2,3,4\n2,3,4,5\n', 9)).lines).toEqual(['f.csv: not used: rank']);
  });

  it.each(['csv', 'ndjson', 'json'])(
    'a %s file with several fields of XP is refused until a person chooses one of them',
    async (format) => {
      const rows = [
        { user_id: '1', xp: 2, total_xp: 5 },
        { user_id: '2', xp: 3, total_xp: 6 },
      ];
      const files: Readonly<Record<string, string>> = {
        csv: `user_id,xp,total_xp\n${rows.map((row) => `${Object.values(row)}\n`).join('')}`,
        ndjson: rows.map((row) => JSON.stringify(row)).join('\n'),
        json: JSON.stringify(rows),
      };
      const text = files[format] as string;
      await expect(readFile(text)).rejects.toThrow(
        'f has several fields that can be XP. It has 2 rows with user_id "1", xp "2", total_xp "5". None of these has ids of Discord, so this is a guess: say which field is which, such as --map id=user_id,xp=total_xp, or --map id=user_id,xp=xp',
      );
      const { rows: chosen, lines } = await readFile(text, { map: { id: 'user_id', xp: 'total_xp' } });
      expect(chosen).toMatchObject([{ xp: 5 }, { xp: 6 }]);
      expect(lines[1]).toBe(
        'f: xp can be XP too, and total_xp is what counts: add --map id=user_id,xp=xp to read it instead',
      );
    },
  );

  it('the message proposes the field with the largest numbers first, and no field that numbers the rows', async () => {
    await expect(
      read('Rang;Nutzer;Siege;Ruhm\n1;100000000000000001;10;4.700\n2;100000000000000002;2;254\n'),
    ).rejects.toThrow(/such as --map id=Nutzer,xp=Ruhm, or --map id=Nutzer,xp=Siege$/);
  });

  it('a CSV file of another bot is refused with the way to read it, and can be imported when a person reads it that way', async () => {
    const text = 'id,username,discriminator,xp,level,messages\n1,ann,0,4700,10,3\n';
    await expect(read(text)).rejects.toThrow(
      'f.csv has the fields of no format that is known. It has 1 row with id "1", username "ann", discriminator "0", xp "4700", level "10", messages "3". None of these has ids of Discord, so this is a guess: say which field is which, such as --map id=id,xp=xp,name=username,level=level',
    );
    const map = { id: 'id', xp: 'xp', name: 'username', level: 'level' };
    expect((await readFile(text, { map })).rows).toEqual([{ userId: '1', xp: 4700, username: 'ann', level: 10 }]);
  });

  it('a person may give the names of the columns in capitals or not', async () => {
    const text = 'User ID,XP,Name\n1,5,ann\n';
    expect((await readFile(text, { map: { id: 'user id', xp: 'XP', name: 'NAME' } })).rows).toEqual([
      { userId: '1', xp: 5, username: 'ann' },
    ]);
  });

  it.each(['Leaderboard of ours,,\nuser_id,xp,username\n1,5,ann\n', '# exported\nuser_id,xp\n1,5\n'])(
    'a CSV file with a title above the names of its columns is refused: %j',
    async (text) => {
      await expect(read(text)).rejects.toThrow(
        /: line 2 has the names of the columns, and the first line does not: remove the lines above it$/,
      );
    },
  );

  it('a CSV file that names a column twice is refused', async () => {
    await expect(read('user_id,xp,xp\n1,2,3\n')).rejects.toThrow('f.csv: its first line names the column xp twice');
  });

  it('an empty CSV file is refused', async () => {
    await expect(read('')).rejects.toThrow('f.csv is empty');
  });

  it('a CSV file with a record above 1 MiB is refused', async () => {
    const text = `user_id,xp\n1,5\n2,${'9'.repeat(1.5 * 2 ** 20)}\n`;
    await expect(read(text, 1 << 16)).rejects.toThrow(
      /^f\.csv line 3: it is longer than 1 MiB: is a quote opened here/,
    );
  });

  it('a CSV file with an open quote is refused at the line where the quote opens', async () => {
    await expect(read('user_id,xp\n1,2\n2,"3\n4,5\n')).rejects.toThrow('f.csv line 3: a quote is opened here');
    expect(refusals(await read('user_id,xp\n"1,2\n2",3,4\n5,6\n'))).toEqual([
      '2: it has 3 values where the first line names 2 columns, and reaches to line 3: is a quote left open?',
    ]);
  });

  it.each([
    ['psql', ' user_id | xp \n---------+----\n 1 | 5 \n 2 | 6 \n'],
    ['mysql', '+---------+----+\n| user_id | xp |\n+---------+----+\n| 1 | 5 |\n| 2 | 6 |\n+---------+----+\n'],
    ['Markdown', '| user_id | xp |\n| :--- | ---: |\n| 1 | 5 |\n| 2 | 6 |\n'],
  ])('a table as %s draws it is read like a CSV file', async (_program, text) => {
    const { entries } = await readFile(text);
    expect(entries.map(({ row }) => row)).toEqual([
      { userId: '1', xp: 5 },
      { userId: '2', xp: 6 },
    ]);
  });
});

describe('numbers in CSV files', () => {
  const xp = (...values: string[]) => read(`user_id;xp\n${values.map((value, at) => `u${at};${value}\n`).join('')}`);
  const read_ = async (...values: string[]) => (await xp(...values)).rows.map((row) => (row as { xp: number }).xp);

  it.each([
    [
      ['20.0', '700.00', '5'],
      [20, 700, 5],
    ],
    [
      ['20,0', '700,00', '5'],
      [20, 700, 5],
    ],
    [
      ['1,234,567', '5,000', '12'],
      [1_234_567, 5000, 12],
    ],
    [
      ['1.234.567', '5.000', '12'],
      [1_234_567, 5000, 12],
    ],
    [
      ['1.234,00', '5.000', '12'],
      [1234, 5000, 12],
    ],
    [
      ['1 234 567', '5\u202F000', '5\u00A0001', "6'000"],
      [1_234_567, 5000, 5001, 6000],
    ],
    // Every number from 1,000 on has a separator, and none below.
    [
      ['5,000', '12,345', '999'],
      [5000, 12_345, 999],
    ],
    // A dot with one digit shows that dots are decimals.
    [
      ['5.000', '12.0', '999'],
      [5, 12, 999],
    ],
  ])('a column with %j holds the numbers %j', async (values, numbers) => {
    expect(await read_(...values)).toEqual(numbers);
  });

  it('rows whose number can mean two values are bad rows', async () => {
    expect(refusals(await xp('5.000', '12.500', '4700'))).toEqual([
      '2: xp "5.000" can be 5 or 5000: write it without a separator',
      '3: xp "12.500" can be 12 or 12500: write it without a separator',
    ]);
  });
});

describe('truth values and times in CSV files', () => {
  it.each([
    ['TRUE', 'FALSE'],
    ['True', 'False'],
    ['true', 'false'],
    ['WAHR', 'FALSCH'],
    ['VRAI', 'FAUX'],
    ['1', '0'],
  ])('"%s" means true and "%s" means false', async (yes, no) => {
    const { rows } = await read(`user_id,xp,hidden\n1,5,${yes}\n2,6,${no}\n`);
    expect(rows).toEqual([
      { userId: '1', xp: 5, hidden: true },
      { userId: '2', xp: 6, hidden: false },
    ]);
  });

  it.each([
    ['Gnumeric', '2026/01/31 18:30:00.123', '2026-01-31T18:30:00.123Z'],
    ['pandas', '2026-01-31 18:30:00.123000+00:00', '2026-01-31T18:30:00.123Z'],
    ['pandas with another zone', '2026-01-31 18:30:00+0200', '2026-01-31T16:30:00.000Z'],
    ['Google Sheets of the US', '1/31/2026 18:30:00', '2026-01-31T18:30:00.000Z'],
    ['LibreOffice of the US', '01/31/26 06:30 PM', '2026-01-31T18:30:00.000Z'],
    ['Excel of Germany', '31.01.2026 18:30', '2026-01-31T18:30:00.000Z'],
    ['Excel of France', '31/01/2026 18:30', '2026-01-31T18:30:00.000Z'],
    ['Excel as a number', '46053.7708333333', '2026-01-31T18:30:00.000Z'],
    ['a date alone', '2026-01-31', '2026-01-31T00:00:00.000Z'],
  ])('the import reads a time from %s: %s', async (_program, text, time) => {
    const { rows } = await read(`user_id,xp,last_daily_claim\n1,5,${text}\n`);
    expect(rows).toEqual([{ userId: '1', xp: 5, lastDailyClaim: time }]);
  });

  it('times that show the order of day and month decide for the times that do not', async () => {
    const { rows, lines } = await read('user_id,xp,last_daily_claim\n1,5,02/03/2026\n2,5,13/01/2026\n');
    expect(rows).toEqual([
      { userId: '1', xp: 5, lastDailyClaim: '2026-03-02T00:00:00.000Z' },
      { userId: '2', xp: 5, lastDailyClaim: '2026-01-13T00:00:00.000Z' },
    ]);
    expect(lines).toEqual(['f.csv: last_daily_claim without a time zone is read as UTC']);
  });

  it('decimals of a program are not taken for thousands, and a notice tells which sign separates thousands', async () => {
    const column = (...values: string[]) =>
      read(`user_id,xp\n${values.map((value, id) => `${id},"${value}"\n`).join('')}`);
    expect(refusals(await column('103.375', '98.125', '7'))).toHaveLength(2);
    for (const [sign, values] of Object.entries({ ',': ['4,700', '12,000', '1,254'], '.': ['4.700', '1.254', '12'] })) {
      const { rows, lines } = await column(...values);
      expect(rows[0]).toMatchObject({ xp: 4700 });
      expect(lines).toEqual([`f.csv: "${sign}" in xp separates thousands: ${values[0]} is 4700`]);
    }
    expect(refusals(await column('4,000', '5,000'))).toHaveLength(2);
  });

  it('a row whose time can mean two days is a bad row', async () => {
    expect(refusals(await read('user_id,xp,last_daily_claim\n1,5,02/03/2026\n'))).toEqual([
      '2: last_daily_claim "02/03/2026" can be two days: write it as 2026-01-31T18:30:00Z',
    ]);
  });
});

describe('second tables in a CSV file', () => {
  const ANN = '204255221017214977';
  const BOB = '159998587045832321';
  const ROLE = '81384788765712384';
  const members = `user_id,xp,username\n${ANN},4700,ann\n${BOB},254,bob\n`;
  const own = (line: number) =>
    `it is in another table, which begins in line ${line}: save that table as a file of its own`;

  it.each([
    ['below an empty line', `${members}\nrole_id,level,name\n${ROLE},10,Gold\n`, 5],
    ['below a line of commas', `${members},,\nchannel,multiplier,topic\n${ROLE},2,general\n`, 5],
    ['without an empty line, with a column of levels', `${members}role_id,level,name\n${ROLE},10,Gold\n`, 4],
    ['of the same columns, below an empty line', `${members}\nuser_id,xp,username\n${ROLE},10,old\n`, 5],
    ['of fewer columns', `${members}\nrole,level\n${ROLE},10\n`, 5],
  ])(
    'the rows of a second table %s are bad rows, and each message names the first line of the table',
    async (_where, text, line) => {
      for (const size of [1, 1000]) {
        const file = await read(text, size);
        expect(file.rows).toMatchObject([{ userId: ANN }, { userId: BOB }]);
        expect(refusals(file)).toEqual([`${line}: ${own(line)}`, `${line + 1}: ${own(line)}`]);
      }
    },
  );

  it('a second table below a title of its own is found', async () => {
    const file = await read(`${members}\nTop roles,,\nrole,level,name\n${ROLE},10,Gold\n`);
    expect(refusals(file)).toEqual([
      '5: user_id "Top roles" is not 1 to 64 of A-Z a-z 0-9 _ - .',
      `6: ${own(6)}`,
      `7: ${own(6)}`,
    ]);
  });

  it('a second table in the output of psql is found, and counts of rows are no rows', async () => {
    const text = ` user_id | xp | username\n---------+----+----\n ${ANN} | 4700 | ann \n(1 row)\n\n role_id | level | name\n---------+----+----\n ${ROLE} | 10 | Gold\n(1 row)\n`;
    const file = await read(text);
    expect(file.rows).toEqual([{ userId: ANN, xp: 4700, username: 'ann' }]);
    expect(refusals(file)).toEqual([`6: ${own(6)}`, `8: ${own(6)}`]);
  });

  it.each([
    ['repeats the names, as joined files do', `${members}USER_ID,xp,username\n${ROLE},5,eve\n`],
    ['has members after an empty line', `${members}\n${ROLE},5,eve\n`],
    ['has empty lines between all rows', `${members.replaceAll('\n', '\n\n')}${ROLE},5,eve\n`],
  ])('a table that %s has no second table', async (_what, text) => {
    const file = await read(text);
    expect(refusals(file)).toEqual([]);
    expect(file.rows).toHaveLength(3);
  });

  it('a member without XP below an empty line begins no second table', async () => {
    const file = await read('user_id,xp,username\nann,5,a\n\nbob,,b\ncarl,7,c\n');
    expect(refusals(file)).toEqual(['4: xp is missing']);
    expect(file.rows).toHaveLength(2);
  });

  it('a row of totals below an empty line and a member who is called like a column begin no second table', async () => {
    const file = await read(`user_id,xp,username\n1,5,level\n\nlevel,6,name\nTotal,11,\n`);
    expect(file.rows).toHaveLength(3);
  });
});

it('names in a table that mysql has drawn are read without the spaces around them', async () => {
  const rule = '+---------+------+----------+\n';
  const text = `${rule}| user_id | xp   | username |\n${rule}| 1       | 4700 | ann      |\n${rule}1 row in set (0.00 sec)\n`;
  expect((await read(text)).entries).toEqual([{ at: 4, row: { userId: '1', xp: 4700, username: 'ann' } }]);
});

describe('what programs write around the values of a CSV file', () => {
  const ANN = '204255221017214977';
  const BOB = '159998587045832321';

  it.each([
    ['spaces behind the separators', `user_id, xp, username\n${ANN}, 5, ann\n${BOB}, 6, "bob"\n`],
    ['empty values behind the last column', `user_id,xp,username\n${ANN},5,ann,\n${BOB},6,bob,,\n`],
    ['quotes behind spaces', `"user_id", "xp", "username"\n"${ANN}", "5", "ann"\n"${BOB}", "6", "bob"\n`],
  ])('values are read without %s', async (_what, text) => {
    expect((await read(text)).rows).toEqual([
      { userId: ANN, xp: 5, username: 'ann' },
      { userId: BOB, xp: 6, username: 'bob' },
    ]);
  });

  it.each([
    ["'user_id','xp'\n'1','5'\n", "'user_id'"],
    ['\u201Cuser_id\u201D,\u201Cxp\u201D\n\u201C1\u201D,\u201C5\u201D\n', '\u201Cuser_id\u201D'],
  ])(
    'a file with quotes of another kind is refused, and the message shows one of its texts: %s',
    async (text, quoted) => {
      await expect(read(text)).rejects.toThrow(
        `its texts stand in quotes of another kind, such as ${quoted}: write "…"`,
      );
    },
  );

  it.each([`user_id xp\n${ANN} 5\n`, `${ANN}:5\n`, `${ANN}=5\n`, `user_id = ${ANN}\n xp = 5\n`])(
    'a file without a known separator is refused, and the message names the separators that can be read: %s',
    async (text) => {
      await expect(read(text)).rejects.toThrow(
        'If anything but a comma, a semicolon, a tab or a bar stands between the values, save them with commas',
      );
    },
  );

  it('numbers with commas as in India are read, and a rounded number is refused with its reason', async () => {
    const file = await read('user_id,xp\n1,"12,34,567"\n2,4.7k\n3,1.5E+06\n4,2 M\n5,254\n');
    expect(file.rows).toEqual([
      { userId: '1', xp: 1234567 },
      { userId: '5', xp: 254 },
    ]);
    expect(refusals(file)).toEqual([
      '3: xp "4.7k" is rounded: write it with all of its digits',
      '4: xp "1.5E+06" is rounded: write it with all of its digits',
      '5: xp "2 M" is rounded: write it with all of its digits',
    ]);
  });
});

it('a line of types below the names is a bad row, and begins no table', async () => {
  const file = await read('user_id,xp\nid,points\n204255221017214977,5\n159998587045832321,6\n');
  expect(refusals(file)).toEqual(['2: user_id "id" is no id of Discord, as the others are']);
  expect(file.rows).toHaveLength(2);
});

it.each([
  ['in the names of the first row', '204255221017214977,5,a;b;c;d\n159998587045832321,6,bob\n', 2],
  ['in a name of a column', 'user_id,xp,"name;tag;nick;x"\n204255221017214977,5,ann\n', 1],
])(
  'ids and names of columns tell the separator, however often other separators stand %s',
  async (_where, text, rows) => {
    const map = text.startsWith('2') ? { id: '1', xp: '2', name: '3' } : undefined;
    const file = await readFile(text, { map });
    expect([file.rows.length, file.rows[0]]).toMatchObject([rows, { userId: '204255221017214977', xp: 5 }]);
  },
);

it('an id may be the address of a profile', async () => {
  const file = await read('user_id,xp\nhttps://discord.com/users/204255221017214977,5\n');
  expect(file.rows).toEqual([{ userId: '204255221017214977', xp: 5 }]);
});

it('a file of separators alone is refused', async () => {
  await expect(read(',\n,\n')).rejects.toThrow('f.csv: its first line has separators alone, and no names of columns');
});
