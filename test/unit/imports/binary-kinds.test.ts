import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { readFile } from './read.ts';

/** A zip archive whose first file has a name and a content. */
function zip(name: string, content = ''): Buffer {
  const head = Buffer.alloc(30);
  head.write('PK\x03\x04', 'latin1');
  head.writeUInt16LE(name.length, 26);
  return Buffer.concat([head, Buffer.from(name + content)]);
}

/** A document of BSON with one text. */
function bson(name: string, value: string): Buffer {
  const text = Buffer.from(`${value}\0`);
  const size = Buffer.alloc(4);
  size.writeInt32LE(text.length);
  const body = Buffer.concat([Buffer.from([2]), Buffer.from(`${name}\0`), size, text, Buffer.from([0])]);
  const length = Buffer.alloc(4);
  length.writeInt32LE(body.length + 4);
  return Buffer.concat([length, body]);
}

const tar = Buffer.alloc(512);
tar.write('members.csv');
tar.write('ustar', 257);

it.each([
  ['xlsx', zip('[Content_Types].xml'), 'an Excel workbook: save the sheet with the members as CSV'],
  ['UTF-32', Buffer.from('fffe00007500000073000000', 'hex'), 'text in UTF-32: save it as UTF-8'],
  ['big-endian UTF-32', Buffer.from('0000feff0000007500000073', 'hex'), 'text in UTF-32: save it as UTF-8'],
  ['xls', Buffer.from('d0cf11e0a1b11ae10000', 'hex'), 'an Excel workbook: save the sheet with the members as CSV'],
  [
    'ods',
    zip('mimetype', 'application/vnd.oasis.opendocument.spreadsheet'),
    'a spreadsheet of LibreOffice: save the sheet with the members as CSV',
  ],
  ['zip', zip('members.csv', 'user_id,xp'), 'a zip archive: unpack it, and import the files in it'],
  ['tar', tar, 'a tar archive: unpack it, and import the files in it'],
  ['SQLite', Buffer.from('SQLite format 3\0\x10\0\x01\x01'), 'an SQLite database: export the table with the members'],
  [
    'BSON',
    bson('userID', '204255221017214977'),
    'a dump of mongodump, in BSON: export the collection with mongoexport',
  ],
  ['an archive of mongodump', Buffer.from('6de2998181000000', 'hex'), 'an archive of mongodump: export the collection'],
  ['Redis', Buffer.from('REDIS0011\xfa', 'latin1'), 'a dump of Redis: start Redis with it'],
  ['PostgreSQL', Buffer.from('PGDMP\x01\x0f\0'), 'a dump of PostgreSQL: export the table with the members'],
])(
  'a file of the kind "%s" is refused as what it is, whatever its name, packed with gzip or not',
  async (_kind, bytes, message) => {
    for (const content of [bytes, gzipSync(bytes)])
      await expect(readFile(content, { name: 'members.csv' })).rejects.toThrow(`members.csv is ${message}`);
  },
);

it('a text in UTF-16 is not taken for BSON', async () => {
  for (const text of ['user_id,xp\n204255221017214977,5\n', '[{"user_id":"204255221017214977","xp":5}]'])
    expect((await readFile(Buffer.from(text, 'utf16le'))).rows).toHaveLength(1);
});
