import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { COMMAND_ADVICE } from '../../../src/cli/sentences.ts';
import { readDocument } from '../../../src/imports/document.ts';
import { openInput } from '../../../src/imports/inputs.ts';
import { all } from './read.ts';

const reporter = { write: () => {}, advice: COMMAND_ADVICE };
it.each([
  ['csv', 'user_id,xp\n1,5\n'],
  ['ndjson', '{"user_id":"1","xp":5}\n'],
  ['json', '[{"user_id":"1","xp":5}]'],
] as const)('%s is detected and read after a byte order mark', async (format, text) => {
  for (const size of [1, 4096]) {
    const bytes = Buffer.from(`\uFEFF${text}`);
    const pieces: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
    const input = await openInput(Readable.from(pieces), undefined, new AbortController().signal, reporter);
    expect(input.format).toBe(format);
    expect((await all(input.entries(() => {}))).map(({ row }) => row)).toEqual([{ userId: '1', xp: 5 }]);
  }
});

it('a document is read after a byte order mark', async () => {
  expect(await readDocument(Readable.from([Buffer.from('\uFEFF{"a":1}')]))).toEqual({ a: 1 });
});

it.each([
  ['a zip archive', 'PK\x03\x04'],
  ['no export', '<html>'],
  ['no known format', '{}'],
])('a file that is %s is closed when it is refused', async (_what, text) => {
  const stream = Readable.from([Buffer.from(text.padEnd(100_000)), Buffer.from('more')]);
  await expect(openInput(stream, undefined, new AbortController().signal, reporter)).rejects.toThrow('stdin');
  expect(stream.destroyed).toBe(true);
});
