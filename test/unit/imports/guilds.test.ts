import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { COMMAND_ADVICE } from '../../../src/cli/sentences.ts';
import { checkInputs } from '../../../src/imports/check-inputs.ts';
import { openInput } from '../../../src/imports/inputs.ts';
import { readFile, refusals } from './read.ts';

describe('guilds inside other objects', () => {
  const ANN = '204255221017214977';
  const BOB = '159998587045832321';
  const GUILD = '123456789012345678';
  const OTHER = '987654321098765432';

  it.each([undefined, { xp: 'xp' }])(
    'a file that has the XP of each member by the ids of guilds is refused with the map %j',
    async (map) => {
      const content = {
        [ANN]: { guilds: { [GUILD]: { xp: 5 }, [OTHER]: { xp: 6 } } },
        [BOB]: { guilds: { [GUILD]: { xp: 7 } } },
      };
      await expect(readFile(JSON.stringify(content), { map })).rejects.toThrow(
        `f has the XP of each member by the ids of guilds, in (id).guilds: write the XP of one guild alone, such as with jq 'map_values(.guilds["GUILD"] // empty)' FILE > members.json`,
      );
    },
  );

  it.each([
    ['an id', 'id', [{ id: ANN, xp: 5 }], [{ id: BOB, xp: 6 }]],
    ['a guild_id', 'guild_id', { [ANN]: { xp: 5 } }, { [BOB]: { xp: 6 } }],
  ])(
    'members inside several objects of guilds with %s are refused, and members inside a single object are imported',
    async (_what, id, one, other) => {
      const content = {
        servers: [
          { [id]: GUILD, members: one },
          { [id]: OTHER, members: other },
        ],
      };
      const map = Array.isArray(one) ? { id: 'id', xp: 'xp' } : { xp: 'xp' };
      await expect(readFile(JSON.stringify(content), { map })).rejects.toThrow(
        `f has its members inside 2 objects of servers, such as ${id} "${GUILD}": write the members of one object alone, such as with jq '.servers[] | select(.${id} == "GUILD") | .members' FILE > members.json`,
      );
      const single = { servers: [{ [id]: GUILD, members: one }] };
      expect((await readFile(JSON.stringify(single), { map })).rows).toEqual([{ userId: ANN, xp: 5 }]);
    },
  );
});

describe('files of two guilds', () => {
  const refused = 'f has members of 2 guilds: 7 (2), 8 (1): choose the guild with --source-guild';
  const rows = [
    [1, 7],
    [2, 8],
    [3, 7],
  ];
  const lines = (name: string) => rows.map(([id, guild]) => JSON.stringify({ user_id: `${id}`, xp: 5, [name]: guild }));
  const nested = rows.map(([id, guild]) => JSON.stringify({ user_id: `${id}`, xp: 5, guild: { id: `${guild}` } }));
  const files: Readonly<Record<string, string>> = {
    ...Object.fromEntries(
      ['guild_id', 'server', 'server_id', 'Server ID', 'guildName'].map((name) => [
        `a column ${name}`,
        `user_id,xp,${name}\n${rows.map(([id, guild]) => `${id},5,${guild}\n`).join('')}`,
      ]),
    ),
    'NDJSON with guildId': lines('guildId').join('\n'),
    'JSON with guildId': `[${lines('guildId').join(',')}]`,
    'NDJSON with an object': nested.join('\n'),
    'JSON with an object': `[${nested.join(',')}]`,
  };

  it.each(Object.keys(files))(
    'a file of two guilds in %s is refused, and gives the members of the chosen guild',
    async (name) => {
      const text = files[name] as string;
      await expect(readFile(text)).rejects.toThrow(refused);
      const chosen = await readFile(text, { sourceGuild: '7' });
      expect(chosen.rows).toMatchObject([{ userId: '1' }, { userId: '3' }]);
      expect(chosen.lines).toEqual(['f: left out: 1 row of other guilds']);
    },
  );

  it('a file of two guilds is refused by the field that a person names as the guild, whatever its name', async () => {
    const text = lines('place').join('\n');
    const map = { id: 'user_id', xp: 'xp', guild: 'place' };
    await expect(readFile(text, { map })).rejects.toThrow(refused);
    expect((await readFile(text, { map, sourceGuild: '8' })).rows).toHaveLength(1);
    for (const each of [nested.join('\n'), `[${nested.join(',')}]`])
      await expect(readFile(each, { map: { ...map, guild: 'guild.id' } })).rejects.toThrow(refused);
  });

  it('a file whose objects of XP by user id are named after two guilds is refused until a person chooses a guild', async () => {
    const text = '{"7":{"1":5,"3":6},"8":{"2":7}}';
    const map = { xp: '#' };
    await expect(readFile(text, { map })).rejects.toThrow(refused);
    expect((await readFile(text, { map, sourceGuild: '7' })).rows).toEqual([
      { userId: '1', xp: 5 },
      { userId: '3', xp: 6 },
    ]);
  });

  it.each([
    ['one after the other', '\n'],
    ['in an array', ','],
  ])(
    'documents of two guilds with their members by id, %s, are refused until a person chooses a guild',
    async (_what, comma) => {
      const guild = '123456789012345678';
      const other = '987654321098765432';
      const documents = [
        { _id: guild, members: { '204255221017214977': { xp: 5 } } },
        { _id: other, members: { '159998587045832321': { xp: 6 } } },
      ].map((document) => JSON.stringify(document));
      const text = comma === ',' ? `[${documents.join(comma)}]` : documents.join(comma);
      const map = { xp: 'xp' };
      await expect(readFile(text, { map })).rejects.toThrow(`f has pages of 2 guilds: ${guild} (1), ${other} (1)`);
      expect((await readFile(text, { map, sourceGuild: other })).rows).toEqual([
        { userId: '159998587045832321', xp: 6 },
      ]);
    },
  );

  it('a file whose lists are named after two guilds is refused until a person chooses a guild', async () => {
    const text = '{"7":[{"user_id":"1","xp":5},{"user_id":"3","xp":5}],"8":[{"user_id":"2","xp":5}]}';
    const map = { id: 'user_id', xp: 'xp' };
    await expect(readFile(text, { map })).rejects.toThrow(refused);
    expect((await readFile(text, { map, sourceGuild: '7' })).rows).toMatchObject([{ userId: '1' }, { userId: '3' }]);
  });

  it.each([
    ['in an array, before the members', (pages: readonly string[]) => `[${pages.join(',')}]`, ['guild', 'players']],
    ['in an array, behind the members', (pages: readonly string[]) => `[${pages.join(',')}]`, ['players', 'guild']],
    ['one after the other', (pages: readonly string[]) => pages.join('\n'), ['players', 'guild']],
  ])(
    'a file is refused when its pages alone tell that it has two guilds, until a person chooses a guild: %s',
    async (_what, join, order) => {
      const page = (guild: string, number: number, ids: readonly string[]) => {
        const all = { guild: { id: guild }, page: number, players: ids.map((id) => ({ id, xp: 5, level: 0 })) };
        return JSON.stringify(all, [...order, 'page', 'id', 'xp', 'level']);
      };
      const text = join([page('7', 0, ['1', '2']), page('8', 0, ['3']), page('7', 1, ['4']), page('7', 2, [])]);
      await expect(readFile(text)).rejects.toThrow(
        'f has pages of 2 guilds: 7 (3), 8 (1): choose the guild with --source-guild',
      );
      for (const size of [1, 1000]) {
        const chosen = await readFile(text, { sourceGuild: '7', size });
        expect(chosen.rows).toMatchObject([{ userId: '1' }, { userId: '2' }, { userId: '4' }]);
        expect(chosen.lines).toEqual(['f: left out: 1 page of other guilds']);
      }
      expect((await readFile(text, { sourceGuild: '8' })).rows).toMatchObject([{ userId: '3' }]);
    },
  );

  it('only the pages of the chosen guild are checked for missing pages', async () => {
    const page = (guild: string, number: number) =>
      JSON.stringify({
        guild: { id: guild },
        page: number,
        players: [{ id: guild, guild_id: guild, xp: 5, level: 0 }],
      });
    const input = async (sourceGuild: string, text: string) => {
      const reporter = { write: () => {}, advice: COMMAND_ADVICE };
      return openInput(Readable.from([Buffer.from(text)]), { sourceGuild }, new AbortController().signal, reporter);
    };
    const text = `${page('7', 0)}${page('8', 0)}${page('8', 1)}`;
    const seven = await input('7', text);
    const eight = await input('8', `${text}${page('8', 3)}`);
    expect(checkInputs([seven])).toEqual({ doubts: [], notices: [] });
    expect(checkInputs([eight])).toEqual({ doubts: ['a page is missing between the others: 2'], notices: [] });
    await Promise.all([seven.close(), eight.close()]);
  });

  it('rows without a guild are not imported with the rows of the chosen guild, and a message counts them', async () => {
    const { rows, lines } = await readFile('user_id,xp,guild_id\n1,5,7\n2,5,\n3,5,8\n', { sourceGuild: '7' });
    expect(rows).toHaveLength(1);
    expect(lines).toEqual([
      'f: left out: 1 row without a guild, because other rows have a guild',
      'f: left out: 1 row of other guilds',
    ]);
    const page = (guild: object, id: string) => JSON.stringify({ ...guild, players: [{ id, xp: 5, level: 0 }] });
    const pages = `${page({ guild_id: '7' }, '1')}${page({}, '2')}${page({ guild_id: '8' }, '3')}`;
    expect(refusals(await readFile(pages, { sourceGuild: '7' }))).toEqual([
      '2: its page does not say its guild, and other pages do',
    ]);
  });

  it('settings in pages of two guilds are not used, because another guild has set some of them', async () => {
    const page = (guild: string) =>
      JSON.stringify({ guild: { id: guild }, role_rewards: [], players: [{ id: guild, xp: 5, level: 0 }] });
    expect((await readFile(`${page('7')}${page('8')}`, { sourceGuild: '7' })).lines).toContain(
      'f: the settings in pages of several guilds are not used',
    );
  });

  it('a file whose pages alone tell its guild is imported for that guild, and is refused for another guild', async () => {
    const page = (guild: string) => ({ guild_id: guild, data: [{ user_id: guild, xp: 5 }] });
    const one = JSON.stringify(page('7'));
    expect((await readFile(one, { sourceGuild: '7' })).rows).toHaveLength(1);
    await expect(readFile(one, { sourceGuild: '8' })).rejects.toThrow('f has no members of guild 8: it has 7 (1)');
  });
});
