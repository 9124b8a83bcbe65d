/** Recognises files that are no text by their first bytes, whatever their names are. */

/** A kind of file that is not read. */
interface BinaryKind {
  readonly what: string;
  /** What to do to get a file that can be imported. */
  readonly remedy: string;
}

const SAVE_SHEET = 'save the sheet with the members as CSV';
const UNPACK = 'unpack it, and import the files in it';
/** Bytes that only files of one kind begin with. */
const SIGNATURES: readonly (readonly [bytes: Buffer, kind: BinaryKind])[] = [
  [Buffer.from('d0cf11e0a1b11ae1', 'hex'), { what: 'an Excel workbook', remedy: SAVE_SHEET }],
  [
    Buffer.from('SQLite format 3\0'),
    {
      what: 'an SQLite database',
      remedy:
        'export the table with the members, such as with sqlite3 -header -csv FILE "SELECT * FROM levels" > members.csv',
    },
  ],
  [
    Buffer.from('6de29981', 'hex'),
    {
      what: 'an archive of mongodump',
      remedy: 'export the collection with mongoexport, whose file can be imported',
    },
  ],
  [
    Buffer.from('PGDMP'),
    {
      what: 'a dump of PostgreSQL',
      remedy: `export the table with the members, such as with psql -c "\\copy levels TO 'members.csv' CSV HEADER"`,
    },
  ],
  [
    Buffer.from('REDIS0'),
    { what: 'a dump of Redis', remedy: 'start Redis with it, and write the members as CSV or JSON' },
  ],
  [
    Buffer.from('PAR1'),
    { what: 'a Parquet file', remedy: 'write the members as CSV, such as with to_csv(index=False) of pandas' },
  ],
  [Buffer.from('%PDF-'), { what: 'a PDF document', remedy: 'export the members as CSV or JSON' }],
  [Buffer.from("7z\xbc\xaf'\x1c", 'latin1'), { what: 'a 7z archive', remedy: UNPACK }],
  [Buffer.from('Rar!\x1a\x07', 'latin1'), { what: 'a RAR archive', remedy: UNPACK }],
  [Buffer.from('28b52ffd', 'hex'), { what: 'a Zstandard archive', remedy: UNPACK }],
  [Buffer.from('BZh'), { what: 'a bzip2 archive', remedy: UNPACK }],
  [Buffer.from('fd377a585a00', 'hex'), { what: 'an xz archive', remedy: UNPACK }],
  [Buffer.from('fffe0000', 'hex'), { what: 'text in UTF-32', remedy: 'save it as UTF-8' }],
  [Buffer.from('0000feff', 'hex'), { what: 'text in UTF-32', remedy: 'save it as UTF-8' }],
];
const ZIP = Buffer.from('PK\x03\x04', 'latin1');
const TAR_MARK = Buffer.from('ustar');
const TAR_MARK_AT = 257;
/** Bytes before the name of the first file of a zip archive. */
const ZIP_NAME_AT = 30;
/** Types of the values of BSON, from a double to a 128-bit decimal. */
const MAX_BSON_TYPE = 0x13;

/**
 * Returns the kind of a file that is no text; undefined for a text, gzip, and an unknown kind.
 * @param head first 512 bytes of the file, or the whole file.
 */
export function binaryKindOf(head: Buffer): BinaryKind | undefined {
  const signed = SIGNATURES.find(([bytes]) => head.subarray(0, bytes.length).equals(bytes));
  if (signed) return signed[1];
  if (head.subarray(0, ZIP.length).equals(ZIP)) return zipKindOf(head);
  if (head.subarray(TAR_MARK_AT, TAR_MARK_AT + TAR_MARK.length).equals(TAR_MARK))
    return { what: 'a tar archive', remedy: UNPACK };
  if (isBson(head))
    return {
      what: 'a dump of mongodump, in BSON',
      remedy: 'export the collection with mongoexport, or convert the file with bsondump',
    };
  return undefined;
}

/** Returns the kind of a zip archive. A spreadsheet is a zip archive whose first file has a known name. */
function zipKindOf(head: Buffer): BinaryKind {
  const names = head.toString('latin1', ZIP_NAME_AT);
  if (/^(?:\[Content_Types\]\.xml|_rels\/|docProps\/|xl\/)/.test(names))
    return { what: 'an Excel workbook', remedy: SAVE_SHEET };
  if (names.startsWith('mimetypeapplication/vnd.oasis.opendocument.'))
    return { what: 'a spreadsheet of LibreOffice', remedy: SAVE_SHEET };
  return { what: 'a zip archive', remedy: UNPACK };
}

/** Whether a file begins as a document of BSON: its length, and a first field with a type and a name that ends with 0. */
function isBson(head: Buffer): boolean {
  if (head.length < 8) return false;
  const length = head.readInt32LE(0);
  const type = head.readUInt8(4);
  const end = head.indexOf(0, 5);
  if (length < 8 || length > 16 << 20 || type === 0 || type > MAX_BSON_TYPE || end < 6) return false;
  if (length <= head.length && head[length - 1] !== 0) return false;
  return /^[\w$. -]+$/.test(head.toString('latin1', 5, end));
}
