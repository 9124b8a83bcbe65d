import { writeFile } from 'node:fs/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { GuildImports } from '../../../../src/dashboard/import/guild-imports.ts';
import { storeSuite } from '../../../support/store-suite.ts';
import { mockStore } from '../../../support/stores.ts';

const CSV = 'user_id,xp\na,500\n';
const suite = storeSuite(mockStore);
afterEach(() => void vi.useRealTimers());
const choice = { name: 'members.csv', format: undefined, curve: undefined };

async function upload(imports: GuildImports, guildId: string, content = CSV): Promise<void> {
  await imports.add(guildId, async (pathOf) => {
    const path = pathOf(0);
    await writeFile(path, content);
    return { ...choice, files: [{ name: choice.name, path }] };
  });
}

it('a guild can import a file while the files of thirty other guilds wait', async () => {
  const imports = new GuildImports(suite.store, 1000);
  const guilds = Array.from({ length: 30 }, (_, i) => `waiting${i}`);
  for (const guild of guilds) await upload(imports, guild);
  expect(guilds.filter((guild) => imports.of(guild).checked)).toEqual(guilds);
  for (const guild of guilds) await imports.discard(guild);
});

/** Begins to receive a file that never ends. @returns what became of it. */
function receiveForEver(imports: GuildImports, guildId: string): Promise<unknown> {
  const receive = (_pathOf: unknown, signal: AbortSignal) =>
    new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('cut'))));
  return imports.add(guildId, receive).catch((error: Error) => error.message);
}

it('a guild can import a file while others upload slowly, and the first slow upload loses its place', async () => {
  const imports = new GuildImports(suite.store, 1000, undefined, 0);
  const slow = Array.from({ length: 20 }, (_, i) => receiveForEver(imports, `slow${i}`));
  await upload(imports, 'quick');
  expect(imports.of('quick').checked).toBeDefined();
  expect(await slow[0]).toBe('cut');
  await upload(imports, 'slow0');
  // One place was free by then.
  expect(await Promise.race([slow[1], 'comes still'])).toBe('comes still');
  await Promise.all(['quick', 'slow0'].map((guild) => imports.discard(guild)));
});

it('an upload that has just begun keeps its place', async () => {
  const imports = new GuildImports(suite.store, 1000);
  for (let i = 0; i < 20; i++) void receiveForEver(imports, `new${i}`);
  await expect(upload(imports, 'late')).rejects.toThrow('Too many imports run: try again in some minutes');
});

it('a new file takes the room of the files that have waited longest', async () => {
  const imports = new GuildImports(suite.store, 1000, 3 * CSV.length);
  for (const guild of ['a', 'b', 'c', 'a']) await upload(imports, guild);
  const waiting = () => ['a', 'b', 'c', 'd', 'e'].filter((guild) => imports.of(guild).checked);
  expect(waiting()).toEqual(['a', 'b', 'c']);
  await upload(imports, 'd');
  expect(waiting()).toEqual(['a', 'c', 'd']);
  const id = imports.of('c').checked?.id ?? '';
  await upload(imports, 'e', `${CSV}b,20\n`);
  expect(waiting()).toEqual(['d', 'e']);
  await expect(
    imports.start('b', id, { replace: false, levels: undefined, withRules: false }, async () => {}),
  ).rejects.toThrow('These files are gone: upload them again');
  for (const guild of waiting()) await imports.discard(guild);
});

it('an import takes no more members than the operator allows, in the file or together with the members of the guild', async () => {
  const imports = new GuildImports(suite.store, 2);
  await expect(upload(imports, 'a', 'user_id,xp\na,1\nb,2\nc,3\n')).rejects.toThrow(
    'The file has 3 members, and the dashboard imports up to 2 members: ask the operator for more',
  );
  expect(imports.of('a')).toEqual({});
  const start = async (content: string, replace = false) => {
    await upload(imports, 'a', content);
    const id = imports.of('a').checked?.id ?? '';
    const ended = new Promise((done) => {
      void imports
        .start('a', id, { replace, levels: undefined, withRules: false }, async (summary) => done(summary))
        .catch(done);
    });
    return String(await ended);
  };
  expect(await start('user_id,xp\na,1\nb,2\n')).toContain('imported 2 members');
  expect(await start('user_id,xp\nc,1\nd,2\n')).toContain('imported 2 members');
  const { writer } = suite.store;
  await writer.hide('a', ['a', 'b', 'c']);
  expect(await start('user_id,xp\ne,1\n')).toContain(
    'This server has 4 members, and the dashboard imports up to 2 members: ask the operator for more',
  );
  expect(await start('user_id,xp\ne,1\n', true)).toContain('replaced by 1 member');
});

it('the dashboard keeps a waiting file and the summary of an import for half an hour', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const imports = new GuildImports(suite.store, 1000);
  await upload(imports, 'waits');
  await upload(imports, 'ended');
  const id = imports.of('ended').checked?.id ?? '';
  await imports.start('ended', id, { replace: false, levels: undefined, withRules: false }, async () => {});
  await imports.end();
  await vi.advanceTimersByTimeAsync(29 * 60_000);
  expect([imports.of('waits').checked, imports.of('ended').run]).toMatchObject([{}, { summary: expect.any(String) }]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect([imports.of('waits'), imports.of('ended')]).toEqual([{}, {}]);
});
