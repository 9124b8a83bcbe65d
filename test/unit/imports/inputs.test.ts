import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it, vi } from 'vitest';
import { readRulesFile } from '../../../src/imports/read-rules-file.ts';
import { readFile } from './read.ts';

it.each([
  ['csv', 'user_id,xp\n1,5\n'],
  ['ndjson', '{"user_id":"1","xp":5}\n'],
  ['json', '[{"user_id":"1","xp":5}]'],
] as const)('a %s file is detected and read after a byte order mark', async (format, text) => {
  for (const size of [1, 4096]) {
    expect(await readFile(`\uFEFF${text}`, { size })).toMatchObject({ format, rows: [{ userId: '1', xp: 5 }] });
  }
});

it('a document is read after a byte order mark', async () => {
  expect(await readRulesFile(Readable.from([Buffer.from('\uFEFF{"a":1}')]))).toEqual({ a: 1 });
});

it.each([
  ['a zip archive', 'PK\x03\x04'],
  ['no export', '<html>'],
  ['no known format', '{}'],
])('a file that is %s is refused, and leaves no temporary file', async (_what, text) => {
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-inputs-'));
  vi.stubEnv('TMPDIR', folder);
  try {
    await expect(readFile(text)).rejects.toThrow(/\bf\b/);
    expect(readdirSync(folder)).toEqual([]);
  } finally {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  }
});
