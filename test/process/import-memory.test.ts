import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect, it, onTestFinished } from 'vitest';
import { repository, runProgram } from '../support/run-command.ts';

const PAGES = 1000;
const MEMBERS = 500;
/** Megabytes that the command may keep, which is less than half of the file. */
const HEAP_MB = 40;

/** Pages of a guild, as MEE6 gives them. */
function* pagesOfGuild(): Generator<string> {
  for (let page = 0; page < PAGES; page++) {
    const players = Array.from({ length: MEMBERS }, (_, n) => {
      const member = page * MEMBERS + n;
      return { id: `4000000000${10_000_000 + member}`, username: `member ${member}`, xp: 5_000_000 - member, level: 0 };
    });
    yield `${page === 0 ? '[' : ','}${JSON.stringify({ guild: { id: '159962941502783488' }, page, players })}`;
  }
  yield ']';
}

it('a file of many pages is read without keeping its pieces in memory', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-import-memory-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'pages.json');
  await pipeline(Readable.from(pagesOfGuild()), createWriteStream(file));
  const command = [
    join(repository, 'dist/guildrank.cjs'),
    'seed',
    '--guild',
    'g',
    '--file',
    file,
    '--levels',
    'curve',
    '--dry-run',
    '--json',
  ];
  const limit = [`--max-old-space-size=${HEAP_MB}`, '--max-semi-space-size=2'];
  const { code, stdout, stderr } = await runProgram(process.execPath, [...limit, ...command]);
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ members: PAGES * MEMBERS });
});
