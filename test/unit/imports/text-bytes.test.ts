import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { textOf } from '../../../src/imports/text-bytes.ts';

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(bytes: Buffer | string, size = 3): Promise<string> {
  let text = '';
  for await (const piece of textOf(pieces(Buffer.from(bytes), size), 'f')) text += piece;
  return text;
}

const TEXT = 'user_id,username\n1,José\n2,böb 🎉\n3,\uFFFD\n';

it.each([1, 2, 3, 5, 4096])('UTF-8 in pieces of %i bytes is read as it is, packed with gzip or not', async (size) => {
  expect(await read(TEXT, size)).toBe(TEXT);
  expect(await read(gzipSync(TEXT), size)).toBe(TEXT);
  expect(await read('', size)).toBe('');
});

it.each([1, 2, 4096])('the byte order mark at the beginning alone is left out, in pieces of %i bytes', async (size) => {
  for (const bytes of [Buffer.from(`\uFEFF${TEXT}\uFEFF`), gzipSync(`\uFEFF${TEXT}\uFEFF`)])
    expect(await read(bytes, size)).toBe(`${TEXT}\uFEFF`);
  expect(await read('\uFEFF', size)).toBe('');
});

it.each([1, 3, 4096])(
  'a text in another encoding is refused in pieces of %i bytes, and the message shows where',
  async (size) => {
    const latin1 = Buffer.from('user_id,username\n1,José,5\n', 'latin1');
    const message =
      /^f is not UTF-8 text, near ".*\uFFFD.*": convert it, such as with iconv -f WINDOWS-1252 -t UTF-8, or with -f WINDOWS-1251 for Cyrillic$/;
    await expect(read(latin1, size)).rejects.toThrow(message);
    await expect(read(gzipSync(latin1), size)).rejects.toThrow(message);
    await expect(read(Buffer.from('1,Jos\xe9', 'latin1'), size)).rejects.toThrow(message);
  },
);

it.each([
  ['UTF-16', Buffer.from(`\uFEFF${TEXT}`, 'utf16le')],
  ['UTF-16 without a byte order mark', Buffer.from(TEXT, 'utf16le')],
  ['big-endian UTF-16', Buffer.from(`\uFEFF${TEXT}`, 'utf16le').swap16()],
  ['big-endian UTF-16 without a byte order mark', Buffer.from(TEXT, 'utf16le').swap16()],
])('a text in %s is read, cut into pieces of any size, packed with gzip or not', async (_kind, bytes) => {
  for (const size of [1, 3, 4096]) {
    expect(await read(bytes, size)).toBe(TEXT);
    expect(await read(gzipSync(bytes), size)).toBe(TEXT);
  }
});

it('UTF-16 that ends in the middle of a character is refused', async () => {
  await expect(read(Buffer.from(TEXT, 'utf16le').subarray(0, -1))).rejects.toThrow(
    'f begins as UTF-16 text, and goes on as none: save it as UTF-8',
  );
});

it.each([
  ['a zip archive', Buffer.from('PK\x03\x04\x14'), 'f is a zip archive: unpack it'],
  [
    'a picture',
    Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'),
    'f is no text: save the members as CSV, NDJSON or JSON',
  ],
])('%s is refused, and the message names what it is', async (_kind, bytes, message) => {
  await expect(read(bytes, 4096)).rejects.toThrow(message);
});

it.each([
  ['cut off', 'Z_BUF_ERROR', gzipSync(TEXT.repeat(100)).subarray(0, -20)],
  ['damaged', 'Z_DATA_ERROR', Buffer.concat([gzipSync(TEXT).subarray(0, -8), Buffer.alloc(8)])],
])('the import reports an archive that is %s', async (_how, code, bytes) => {
  await expect(read(bytes, 16)).rejects.toMatchObject({ code });
});

it('the import refuses an archive that unpacks to far more than any list of members', async () => {
  const bomb = gzipSync(Buffer.alloc(24 << 20, '\n'));
  await expect(read(bomb, 4096)).rejects.toThrow('f unpacks to more than 100 times its size: it is no list of members');
});
