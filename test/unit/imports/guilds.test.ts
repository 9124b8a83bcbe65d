import { describe, expect, it } from 'vitest';
import { readFile } from './read.ts';

describe('files of two guilds', () => {
  const refused = 'f has members of 2 guilds: 7 (2), 8 (1): choose one with --source-guild';
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

  it('a file whose lists are named after two guilds is refused until a person chooses a guild', async () => {
    const text = '{"7":[{"user_id":"1","xp":5},{"user_id":"3","xp":5}],"8":[{"user_id":"2","xp":5}]}';
    const map = { id: 'user_id', xp: 'xp' };
    await expect(readFile(text, { map })).rejects.toThrow(refused);
    expect((await readFile(text, { map, sourceGuild: '7' })).rows).toMatchObject([{ userId: '1' }, { userId: '3' }]);
  });

  it('a file is refused when its pages alone tell that it has two guilds', async () => {
    const page = (guild: string) => ({ guild_id: guild, data: [{ user_id: guild, xp: 5 }] });
    await expect(readFile(JSON.stringify([page('7'), page('8')]))).rejects.toThrow(
      'f has pages of 2 guilds: 7 (1), 8 (1): load a file with the pages of one guild alone',
    );
    const one = JSON.stringify(page('7'));
    expect((await readFile(one, { sourceGuild: '7' })).rows).toHaveLength(1);
    await expect(readFile(one, { sourceGuild: '8' })).rejects.toThrow('f has no members of guild 8: it has 7 (1)');
  });
});
