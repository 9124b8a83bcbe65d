import { describe, expect, it } from 'vitest';
import { readFile } from './read.ts';

describe('detection of formats', () => {
  it.each([
    ['user_id,username,xp\r\n1,a,2', 'stdin', 'csv'],
    ['\uFEFF"xp","USER_ID"\n1,2', 'stdin', 'csv'],
    ['user_id;xp\n1;2', 'stdin', 'csv'],
    ['{"user_id":"1","xp":5}\n{"user_id":"2","xp":5}\n', 'x.json', 'ndjson'],
    ['{"username":"a","xp":5,"user_id":"1"}', 'x', 'ndjson'],
    ['{\n"user_id":"1",\n"xp":5\n}\n{"user_id":"2","xp":5}', 'x', 'json'],
    ['[{"user_id":"1","xp":5}]', 'x', 'json'],
    ['{"data":[{"rank":1,"user_id":"7","username":"x","level":2,"xp":255}],"total":1,"page":1}', 'page.json', 'json'],
    ['{"123456789012345678":5,"223456789012345678":{"xp":6}}', 'x', 'json'],
    ['{"xp":{"1":5}}', 'x', 'json'],
    ['[{"userId":"1","xp":5,"messageCount":3}]', 'x', 'lurkr'],
    ['{"levels":[{"userId":"1","xp":5,"tag":"ann#0001"}]}', 'x', 'lurkr'],
    ['{"levels":[{"id":"1","xp":5,"level":0}]}', 'x', 'arcane'],
    ['[{"id":"1","exp":"5","weeklyExp":0}]', 'x', 'amari'],
    ['{"members":[{"id":"1","exp":5,"level":0}]}', 'x', 'amari'],
    ['[{"id":"1","xp":5,"detailed_xp":[1,2,5]}]', 'x', 'mee6'],
    ['{"players":[{"id":"1","xp":5,"level":0}]}', 'x', 'mee6'],
    ['{"rankings":[{"user_id":"1","score":5,"rank":1}]}', 'x', 'tatsu'],
    ['{"settings":{},"users":{"1":{"xp":5}}}', 'x', 'polaris'],
    ['{"users":{"1":{"xp":5}}}', 'x', 'json'],
    ['{"users":{"1":{"xp":5,"cooldown":0}}}', 'x', 'polaris'],
    ['{"1":{"xp":5,"cooldown":1700000000000}}', 'x', 'polaris'],
    ['{"users":{"1":{"xp":5.0,"messages":2,"last_active":"2026-01-01T00:00:00"}}}', 'x', 'levelup'],
    ['[{"userID":"1","guildID":"2","xp":400,"level":2}]', 'x', 'discord-xp'],
    ['{"1":{"xp":5,"level":0,"lastAwardedAt":0,"messages":1,"xpMessages":1}}', 'x', 'robojs-xp'],
  ])('the text %j in the file %s has the format %s', async (text, name, format) => {
    expect((await readFile(text, { name })).format).toBe(format);
  });

  it.each([
    '[]',
    '{"data":[]}',
    '{"players":[]}',
    '{"players":[]}\n{"players":[]}',
    '[{"players":[]}]',
    '{"users":{}}',
  ])('the import of a page without members stores nobody, and its format stays open: %s', async (text) => {
    expect(await readFile(text)).toMatchObject({ entries: [], lines: [] });
  });

  it.each(['{}', '{"players":{}}'])(
    'a file without members is refused when nothing tells that it is a page: %j',
    async (text) => {
      await expect(readFile(text, { name: 'x.json' })).rejects.toThrow('x.json has no members: ');
    },
  );

  it('a file with another text is refused, and the message quotes its beginning', async () => {
    await expect(readFile('error code: 1015', { name: 'x.json' })).rejects.toThrow(
      'x.json is neither CSV nor JSON, and begins with "error code: 1015": export it again as CSV or JSON',
    );
  });
});

describe('files that can be read in several ways', () => {
  const ranked =
    '{"100000000000000001":{"name":"ann","level":10,"xp":25,"total_xp":4700},"100000000000000002":{"name":"bob","level":1,"xp":154,"total_xp":254}}';

  it('a file with two totals is refused with its fields and the ways to read it, the larger total first', async () => {
    await expect(readFile(ranked)).rejects.toThrow(
      'f has the fields of no format that is known. It has 2 rows with name "ann", level "10", xp "25", total_xp "4700": say which field is which, such as --map xp=total_xp,name=name,level=level, or --map xp=xp,name=name,level=level',
    );
  });

  it('a file is read as a person says, and notices name the fields that are left', async () => {
    const { rows, lines } = await readFile(ranked, { map: { xp: 'total_xp', name: 'name' } });
    expect(rows).toEqual([
      { userId: '100000000000000001', xp: 4700, username: 'ann' },
      { userId: '100000000000000002', xp: 254, username: 'bob' },
    ]);
    expect(lines).toEqual([
      'f: not used: level, xp',
      'f: xp can be XP too, and total_xp is what counts: add --map xp=xp,name=name to read it instead',
    ]);
  });

  it('a file about money is refused, because no field is called XP', async () => {
    const page =
      '{"users":[{"rank":"1","user_id":"100000000000000001","cash":5,"bank":10,"total":15}],"total_pages":1}';
    await expect(readFile(page)).rejects.toThrow(/: say which field is which, such as --map id=user_id,xp=total$/);
  });

  it('a file without a field that can be XP is refused, and the message lists its fields', async () => {
    await expect(readFile('[{"user_id":"100000000000000001","name":"ann"}]')).rejects.toThrow(
      'f has the fields of no format that is known. It has 1 row with user_id "100000000000000001", name "ann", and none of these can be XP',
    );
  });

  it('a file is refused when it lacks the fields that a person names', async () => {
    await expect(readFile(ranked, { map: { xp: 'points' } })).rejects.toThrow(
      'f has no field points in its largest list, which has: name, level, xp, total_xp',
    );
    await expect(readFile('[{"a":"1","b":"2","xp":5}]', { map: { xp: 'xp' } })).rejects.toThrow(
      "f has several fields that can be the user's id, or none: name it too, as id=user_id",
    );
  });
});

describe('files of a home-made bot with a field that LevelUp has too', () => {
  const ann = '204255221017214977';
  const bob = '159998587045832321';

  it.each([
    ['CSV', `member,xp,voice\n${ann},5,3\n${bob},6,1\n`, 'member'],
    ['NDJSON', `{"userId":"${ann}","xp":5,"stars":3}\n{"userId":"${bob}","xp":6,"stars":0}\n`, 'userId'],
  ])(
    'a home-made %s file is not taken for a file of LevelUp, where the ids are names',
    async (_syntax, content, id) => {
      await expect(readFile(content)).rejects.toThrow(`such as --map id=${id},xp=xp`);
    },
  );

  it("a home-made file with the field names of this service's own format can be imported", async () => {
    const { format, rows, lines } = await readFile(`user_id,xp,voice\n${ann},5,3\n`);
    expect([format, rows, lines]).toEqual(['csv', [{ userId: ann, xp: 5 }], ['f: not used: voice']]);
  });
});

describe('files of a known bot whose fields a person names', () => {
  const amari = '{"data":[{"id":"1","exp":5,"level":0,"nick":"ann","username":"a"}]}';

  it('a file of a known bot keeps its format when a person names its fields', async () => {
    const { format, rows } = await readFile(amari, { map: { id: 'id', xp: 'exp', name: 'nick' } });
    expect([format, rows]).toEqual(['amari', [{ userId: '1', xp: 5, username: 'ann' }]]);
  });

  it('a file has the format that a person names beside its fields', async () => {
    const file = await readFile(amari, { format: 'json', map: { id: 'id', xp: 'exp' } });
    expect(file.format).toBe('json');
  });

  it('the import of a page without members stores nobody when a person names its fields', async () => {
    const map = { id: 'id', xp: 'xp' };
    expect(await readFile('{"page":1,"players":[]}', { map })).toMatchObject({ format: 'mee6', entries: [] });
  });
});

describe('pairs of an id and a member, as a Map of JavaScript has them', () => {
  const ids = ['204255221017214977', '159998587045832321'];
  const pairs = ids.map((id, n) => [id, { xp: 100 + n, level: n, username: `name${n}`, last: { message: 5 } }]);

  it.each([
    ['a list', pairs],
    ['a list in an object', { dataType: 'Map', value: pairs }],
  ])('pairs in %s are refused with the command that reads them', async (_where, content) => {
    await expect(readFile(JSON.stringify(content))).rejects.toThrow(
      /It has 2 rows with 1 "204255221017214977", 2\.xp "100", 2\.level "0", 2\.username "name0".*such as --map id=1,xp=2\.xp,name=2\.username,level=2\.level$/,
    );
    const map = { id: '1', xp: '2.xp', name: '2.username', level: '2.level' };
    const { rows, lines } = await readFile(JSON.stringify(content), { map });
    expect(rows).toEqual(ids.map((userId, n) => ({ userId, xp: 100 + n, username: `name${n}`, level: n })));
    expect(lines).toEqual(['f: not used: 2.last.message']);
  });

  it('pairs whose members name several guilds are refused, and the message counts the members of each guild', async () => {
    const content = JSON.stringify(ids.map((id, n) => [id, { xp: 1, guildId: `${n}` }]));
    const map = { id: '1', xp: '2.xp', guild: '2.guildId' };
    await expect(readFile(content, { map })).rejects.toThrow('f has members of 2 guilds: 0 (1), 1 (1)');
  });
});

describe('databases with a document for each guild or member', () => {
  const ann = '204255221017214977';
  const bob = '159998587045832321';
  const here = '111111111111111111';
  const there = '222222222222222222';
  const several = `f has members of 2 guilds: ${here} (1), ${there} (1): choose the guild with --source-guild`;

  it.each([
    [
      'the value of its document',
      [
        { key: `${here}-${ann}`, value: { user: ann, guild: here, points: 5, name: 'ann' } },
        { key: `${there}-${bob}`, value: { user: bob, guild: there, points: 6, name: 'bob' } },
      ],
      { id: 'value.user', xp: 'value.points' },
    ],
    [
      'the id of its document',
      [
        { _id: { guild: here, user: ann }, xp: 5 },
        { _id: { guild: there, user: bob }, xp: 6 },
      ],
      { id: '_id.user', xp: 'xp' },
    ],
  ])('members of several guilds are told apart by the guild in %s', async (_where, content, map) => {
    await expect(readFile(JSON.stringify(content), { map })).rejects.toThrow(several);
    const { rows } = await readFile(JSON.stringify(content), { map, sourceGuild: there });
    expect(rows).toEqual([{ userId: bob, xp: 6 }]);
  });

  it.each([
    ['an object', { [ann]: { xp: 5 } }, { [bob]: { xp: 6 } }, { xp: 'xp' }],
    ['an array', [{ user: ann, xp: 5 }], [{ user: bob, xp: 6 }], { id: 'user', xp: 'xp' }],
  ])(
    'members of several guilds are told apart by the id of each document, with the members in %s',
    async (_where, one, two, map) => {
      const content = JSON.stringify([
        { _id: here, members: one },
        { _id: there, members: two },
      ]);
      await expect(readFile(content, { map })).rejects.toThrow('f has pages of 2 guilds');
    },
  );

  it('a database whose members hold guilds is read by its members', async () => {
    const content = [
      { user_id: ann, username: 'ann', total_exp: 9, servers: { [here]: { level: 1, current_exp: 5 }, [there]: {} } },
      { user_id: bob, username: 'bob', total_exp: 6, servers: { [there]: { level: 1, current_exp: 6 } } },
    ];
    await expect(readFile(JSON.stringify(content))).rejects.toThrow(/--map id=user_id,xp=total_exp,name=username$/);
  });
});

describe('files with members of several guilds', () => {
  const dump = [
    '{"_id":{"$oid":"5f"},"userID":"1","guildID":"7","xp":{"$numberLong":"400"},"level":2}',
    '{"_id":{"$oid":"60"},"userID":"2","guildID":"8","xp":100,"level":1}',
    '{"_id":{"$oid":"61"},"userID":"3","guildID":"7","xp":0,"level":0}',
  ].join('\n');

  it('a file of two guilds is refused, and the message counts the members of each', async () => {
    await expect(readFile(dump)).rejects.toThrow(
      'f has members of 2 guilds: 7 (2), 8 (1): choose the guild with --source-guild',
    );
  });

  it('a file of two guilds gives the members of the chosen guild, and a notice counts the others', async () => {
    const { rows, lines } = await readFile(dump, { sourceGuild: '7' });
    expect(rows).toEqual([
      { userId: '1', xp: 400, level: 2 },
      { userId: '3', xp: 0, level: 0 },
    ]);
    expect(lines).toEqual(['f: left out: 1 row of other guilds', 'f: not used: _id']);
  });

  it('a file with guilds inside each member is refused with the command that takes one guild out of it', async () => {
    const ann = '204255221017214977';
    const bob = '159998587045832321';
    const guild = '111111111111111111';
    const content = JSON.stringify({ [ann]: { [guild]: { xp: 5 } }, [bob]: { [guild]: { xp: 6 } } });
    await expect(readFile(content, { map: { xp: 'xp' } })).rejects.toThrow(
      `f has members of 2 guilds: ${ann} (1), ${bob} (1): choose the guild with --source-guild. If these are ids of members, with the ids of guilds inside, write the XP of one guild alone, such as with jq 'map_values(.["GUILD"] // empty)' FILE > members.json`,
    );
  });

  it('a file is refused when it does not have the chosen guild', async () => {
    await expect(readFile(dump, { sourceGuild: '9' })).rejects.toThrow(
      'f has no members of guild 9: it has 7 (2), 8 (1)',
    );
  });

  it('a backup of LevelUp names its guilds, and each guild has its own levels', async () => {
    const backup = JSON.stringify({
      configs: {
        7: { algorithm: { base: 50, exp: 2 }, users: { 1: { xp: 57.5, voice: 3.5, level: 1 } } },
        8: { users: { 2: { xp: 100.0, voice: 1.0, level: 1 } } },
      },
    });
    await expect(readFile(backup)).rejects.toThrow('f has members of 2 guilds: 7 (1), 8 (1)');
    expect(await readFile(backup, { sourceGuild: '7' })).toMatchObject({
      curve: 'custom=0,50,0,0,1,1',
      rows: [{ userId: '1', xp: 57, level: 1 }],
    });
    expect(await readFile(backup, { sourceGuild: '8' })).toMatchObject({ rows: [{ userId: '2', xp: 100, level: 1 }] });
  });
});
