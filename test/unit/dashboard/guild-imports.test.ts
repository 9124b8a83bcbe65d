import { writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { GuildImports } from '../../../src/dashboard/guild-imports.ts';
import { storeSuite } from '../../support/store-suite.ts';
import { mockStore } from '../../support/stores.ts';

const CSV = 'user_id,xp\na,500\n';
const suite = storeSuite(mockStore);
const choice = { name: 'members.csv', format: undefined, curve: undefined };

async function upload(imports: GuildImports, guildId: string, content = CSV): Promise<void> {
  await imports.add(guildId, async (path) => {
    await writeFile(path, content);
    return choice;
  });
}

it('files that wait keep no other guild from an import', async () => {
  const imports = new GuildImports(suite.store);
  const guilds = Array.from({ length: 30 }, (_, i) => `waiting${i}`);
  for (const guild of guilds) await upload(imports, guild);
  expect(guilds.filter((guild) => imports.of(guild).checked)).toEqual(guilds);
  for (const guild of guilds) await imports.discard(guild);
});

it('files that wait go, the oldest first, when another one has no room', async () => {
  const imports = new GuildImports(suite.store, 3 * CSV.length);
  for (const guild of ['a', 'b', 'c', 'a']) await upload(imports, guild);
  const waiting = () => ['a', 'b', 'c', 'd', 'e'].filter((guild) => imports.of(guild).checked);
  expect(waiting()).toEqual(['a', 'b', 'c']);
  await upload(imports, 'd');
  expect(waiting()).toEqual(['a', 'c', 'd']);
  await upload(imports, 'e', `${CSV}b,20\n`);
  expect(waiting()).toEqual(['d', 'e']);
  expect(() => imports.start('b', { replace: false, levels: undefined }, async () => {})).toThrow(
    'There is no file: upload it again.',
  );
  for (const guild of waiting()) await imports.discard(guild);
});
