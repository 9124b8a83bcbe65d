import { isUtf8 } from 'node:buffer';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { InvalidInputError } from '../core/errors.ts';
import { binaryKindOf } from './binary-kinds.ts';

/** Characters shown before and after a byte that is no text. */
const SHOWN = 12;
/** Bytes at the start that tell the kind of a file. */
const HEAD = 512;
/** Most bytes of text for each byte of an archive. Members give about 10, and a text of one repeated byte gives about 1000. */
const MAX_RATIO = 100;
/** Bytes of text from which on the ratio is checked. */
const SMALL = 4 << 20;

/**
 * Returns the text of a file in pieces of whole characters, without a byte order mark. Unpacks gzip, and reads UTF-8 and UTF-16.
 * @throws InvalidInputError during the reading for another encoding, for another kind of archive, and for an archive that unpacks to more than 100
 *   times its size. A damaged archive throws the error of node:zlib.
 */
export async function* textOf(chunks: AsyncGenerator<Buffer>, name: string): AsyncGenerator<string> {
  const head = await readHead(chunks);
  refuseOtherKinds(head, name);
  const all = startWith(head, chunks);
  // The iteration of the last stream throws the error of any of the streams.
  const bytes = isGzip(head) ? unpacked(all, name) : all;
  const first = await readHead(bytes);
  if (isGzip(head)) refuseOtherKinds(first, name);
  const encoding = utf16Of(first);
  const whole = startWith(first, bytes);
  if (encoding) yield* utf16(whole, encoding, name);
  else yield* utf8(whole, name);
}

const isGzip = (head: Buffer): boolean => head[0] === 0x1f && head[1] === 0x8b;

/** Unpacks gzip, within a bound. @throws InvalidInputError for a broken archive, and for an archive that unpacks to too much. */
async function* unpacked(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  let size = 0;
  for await (const chunk of pipeline(Readable.from(chunks), gunzip, () => {})) {
    size += chunk.length;
    if (size > Math.max(SMALL, gunzip.bytesWritten * MAX_RATIO)) {
      throw new InvalidInputError(`${name} unpacks to more than ${MAX_RATIO} times its size: it is no list of members`);
    }
    yield chunk;
  }
}

/** Reads the first bytes of a file, which tell its kind. A pipe can deliver them one by one. */
async function readHead(chunks: AsyncIterator<Buffer>): Promise<Buffer> {
  let head: Buffer = Buffer.alloc(0);
  while (head.length < HEAD) {
    const { value, done } = await chunks.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  return head;
}

/** Yields a piece that was read before, unless it is empty, and then the rest. */
export async function* startWith<Piece extends Buffer | string>(
  first: Piece,
  rest: AsyncIterable<Piece>,
): AsyncGenerator<Piece> {
  if (first.length > 0) yield first;
  yield* rest;
}

/** Whether a byte is a control character that no text has. */
const isControl = (byte: number): boolean => byte < 9 || (byte > 13 && byte < 32);

/** The two encodings of UTF-16. In the text of an ASCII character, the second byte is zero (le), or the first byte (be). */
type Utf16 = 'utf-16le' | 'utf-16be';

/** Returns the kind of UTF-16 of a text: it begins with a byte order mark, or with an ASCII character, which has one zero byte. */
function utf16Of(head: Buffer): Utf16 | undefined {
  const [first, second] = head;
  if (second === undefined || (first === 0) === (second === 0)) {
    if (first === 0xff && second === 0xfe) return 'utf-16le';
    return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
  }
  return first === 0 ? 'utf-16be' : 'utf-16le';
}

/** Decodes UTF-16. @throws InvalidInputError for bytes that are no UTF-16. */
async function* utf16(chunks: AsyncIterable<Buffer>, encoding: Utf16, name: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  try {
    for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new InvalidInputError(`${name} begins as UTF-16 text, and goes on as none: save it as UTF-8`);
  }
}

/** @throws InvalidInputError for a file that is no text, with what to do about it. */
function refuseOtherKinds(head: Buffer, name: string): void {
  const kind = binaryKindOf(head);
  if (kind) throw new InvalidInputError(`${name} is ${kind.what}: ${kind.remedy}`);
  if (isGzip(head) || utf16Of(head) || isUtf8(head.subarray(0, head.length - openBytes(head)))) return;
  if (head.some(isControl)) throw new InvalidInputError(`${name} is no text: save the members as CSV, NDJSON or JSON`);
}

/** Decodes UTF-8. @throws InvalidInputError for bytes that are no UTF-8. */
async function* utf8(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    const end = bytes.length - openBytes(bytes);
    const whole = bytes.subarray(0, end);
    if (!isUtf8(whole)) throw notUtf8(whole, name);
    rest = bytes.subarray(end);
    yield decoder.decode(whole, { stream: true });
  }
  if (rest.length > 0) throw notUtf8(rest, name);
}

/** Returns how many bytes at the end begin a character that the next chunk ends. */
function openBytes(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes.readUInt8(bytes.length - back);
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < sizeOfCharacter(byte) ? back : 0;
  }
  return 0;
}

/** Returns how many bytes a character has, from its first byte of 0xc0 or more. */
function sizeOfCharacter(firstByte: number): number {
  if (firstByte >= 0xf0) return 4;
  return firstByte >= 0xe0 ? 3 : 2;
}

/** Returns the error for bytes that are not UTF-8, with the text near the first wrong byte. */
function notUtf8(bytes: Buffer, name: string): InvalidInputError {
  const text = bytes.toString('utf8');
  const at = text.indexOf('\uFFFD');
  const near = text.slice(Math.max(0, at - SHOWN), at + SHOWN);
  return new InvalidInputError(
    `${name} is not UTF-8 text, near ${JSON.stringify(near)}: convert it, such as with iconv -f WINDOWS-1252 -t UTF-8, or with -f WINDOWS-1251 for Cyrillic`,
  );
}
