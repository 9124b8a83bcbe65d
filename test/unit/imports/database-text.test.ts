import { describe, expect, it } from 'vitest';
import { readFile } from './read.ts';

const namesIn = async (text: string) => {
  const { rows, lines: all } = await readFile(text, { name: 'f.csv' });
  const lines = all.filter((line) => !line.includes('not used'));
  return { names: (rows as readonly { username?: string | null }[]).map(({ username }) => username), lines };
};
const noName = (word: string, rows = '1 row') =>
  `f.csv: username is ${JSON.stringify(word)} in ${rows}, which is read as no name, because databases write it for a missing value`;

describe('names that a database writes for a missing value', () => {
  it.each([
    ['NULL of mysql --batch', 'user_id\txp\tusername\n1\t5\tann\n2\t6\tNULL\n', 'NULL'],
    [
      'NULL in a table that mysql has drawn',
      '| user_id | xp | username |\n| 1 | 5 | ann |\n| 2 | 6 | NULL |\n',
      'NULL',
    ],
    ['\\N of COPY', 'user_id\txp\tusername\n1\t5\tann\n2\t6\t\\N\n', '\\N'],
    ['\\N between commas', 'user_id,xp,username\n1,5,ann\n2,6,\\N\n', '\\N'],
    ['NULL that another column has too', 'user_id,xp,username,daily_streak\n1,5,ann,NULL\n2,6,NULL,3\n', 'NULL'],
    ['None that another column has too', 'user_id,xp,username,daily_streak\n1,5,ann,None\n2,6,None,3\n', 'None'],
  ])('%s is read as no name, and a message says so', async (_what, text, word) => {
    expect(await namesIn(text)).toEqual({ names: ['ann', null], lines: [noName(word)] });
  });

  it('the message about names that are no names counts all rows', async () => {
    const text = `user_id\txp\tusername\n${Array.from({ length: 1200 }, (_, id) => `${id}\t5\tNULL\n`).join('')}`;
    const { names, lines } = await namesIn(text);
    expect([names.every((name) => name === null), lines]).toEqual([true, [noName('NULL', '1,200 rows')]]);
  });

  it.each(['NULL', 'None', 'null'])(
    'the name %s stays a name if nothing shows a database, and a message says so',
    async (name) => {
      expect(await namesIn(`user_id,xp,username\n1,5,ann\n2,6,${name}\n`)).toEqual({
        names: ['ann', name],
        lines: [`f.csv: username is "${name}" in 1 row, which is imported as a name`],
      });
    },
  );

  it('the name NULL stays a name in JSON, which has null for a missing value', async () => {
    const { rows, lines } = await readFile(
      '[{"user_id":"1","xp":5,"username":"NULL"},{"user_id":"2","xp":6,"username":null}]',
    );
    expect([rows, lines]).toMatchObject([[{ username: 'NULL' }, { username: null }], []]);
  });
});

describe('backslashes in names', () => {
  const shrug = '\u00AF\\_(\u30C4)_/\u00AF';

  it('a backslash is read as the escape that mysql and psql write, and a message says so', async () => {
    const doubled = shrug.replace('\\', '\\\\');
    expect(await namesIn(`user_id\txp\tusername\n1\t5\t${doubled}\n2\t6\ta\\tb\n`)).toEqual({
      names: [shrug, 'a\tb'],
      lines: ['f.csv: a backslash in username begins an escape, as mysql and psql write it'],
    });
  });

  it.each([
    ['between tabs, where it escapes nothing', `user_id\txp\tusername\n1\t5\t${shrug}\n2\t6\ta\\\\b\n`],
    ['between commas', `user_id,xp,username\n1,5,${shrug}\n2,6,a\\\\b\n`],
  ])('a backslash %s stays as it is', async (_where, text) => {
    expect(await namesIn(text)).toEqual({ names: [shrug, 'a\\\\b'], lines: [] });
  });
});

describe('names that a program has damaged', () => {
  it.each([
    ['J\u00C3\u00BCrgen', 'was written in UTF-8 and read in another encoding'],
    ['Ann\u00E2\u20AC\u2122s', 'was written in UTF-8 and read in another encoding'],
    ['\u00F0\u0178\u02DC\u20AC', 'was written in UTF-8 and read in another encoding'],
    ['Tom &amp; Jerry', 'has signs of HTML in place of characters'],
    ['O&#39;Neil', 'has signs of HTML in place of characters'],
  ])('the damaged name %s is imported as it is, and a message shows it', async (name, what) => {
    expect(await namesIn(`user_id,xp,username\n1,5,ann\n2,6,${name}\n`)).toEqual({
      names: ['ann', name],
      lines: [
        `f.csv: username is damaged in 1 row, such as ${JSON.stringify(name)}, which ${what}: export the names again`,
      ],
    });
  });

  it.each(['J\u00FCrgen', 'A & B;', 'S\u00C3O', '\u{1F600}', '\u0418\u0432\u0430\u043D'])(
    'the name %s is not taken for a damaged name',
    async (name) => {
      expect(await namesIn(`user_id,xp,username\n1,5,${name}\n`)).toEqual({ names: [name], lines: [] });
    },
  );
});
