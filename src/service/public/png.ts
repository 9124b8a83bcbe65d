import { promisify } from 'node:util';
import { crc32, deflate } from 'node:zlib';

/** An image with its pixels, as the drawing library returns it. */
export interface Image {
  readonly width: number;
  readonly height: number;
  /** Four bytes a pixel, row by row: red, green, blue and opacity. */
  readonly pixels: Uint8Array;
}

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
/** 8 bits a channel, four channels, and the only methods that PNG has. */
const FORMAT = [8, 6, 0, 0, 0];

const deflated = promisify(deflate);

/** Encodes an image as PNG, and compresses it in the thread pool. The encoder of resvg takes four times as long, and blocks the thread that serves. */
export async function encodePng({ width, height, pixels }: Image): Promise<Buffer> {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, ...FORMAT]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const rowBytes = 4 * width;
  // Each row begins with its filter: 0 = none.
  const rows = Buffer.alloc((1 + rowBytes) * height);
  for (let y = 0; y < height; y++) rows.set(pixels.subarray(y * rowBytes, (y + 1) * rowBytes), y * (1 + rowBytes) + 1);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', await deflated(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Returns a chunk of a PNG: its length, its type, its data, and the checksum of type and data. */
function chunk(type: string, data: Buffer): Buffer {
  const whole = Buffer.alloc(12 + data.length);
  whole.writeUInt32BE(data.length, 0);
  whole.write(type, 4);
  data.copy(whole, 8);
  whole.writeUInt32BE(crc32(whole.subarray(4, 8 + data.length)), 8 + data.length);
  return whole;
}

/** The chunks of a PNG that describe its pixels. Other chunks can hold texts, profiles and films, compressed to a thousandth of their size. */
const NEEDED = ['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND'];

/**
 * Returns a PNG with only the chunks that describe its pixels. O(bytes).
 * @returns undefined if the bytes are not a complete PNG, or if a side is longer than `maxSide`.
 * @param maxSide the longest side, in pixels.
 */
export function plainPng(bytes: Buffer, maxSide: number): Buffer | undefined {
  if (!bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return undefined;
  const kept: Buffer[] = [];
  let type = '';
  for (let at = SIGNATURE.length; at < bytes.length && type !== 'IEND'; ) {
    // A chunk has twelve bytes beside its data.
    if (bytes.length - at < 12) return undefined;
    const length = bytes.readUInt32BE(at);
    const whole = bytes.subarray(at, at + 12 + length);
    if (whole.length < 12 + length || crc32(whole.subarray(4, -4)) !== whole.readUInt32BE(8 + length)) return undefined;
    type = whole.toString('latin1', 4, 8);
    if (NEEDED.includes(type)) kept.push(whole);
    at += whole.length;
  }
  const [header] = kept;
  if (type !== 'IEND' || header?.toString('latin1', 4, 8) !== 'IHDR' || header.length !== 25) return undefined;
  const sides = [header.readUInt32BE(8), header.readUInt32BE(12)];
  return sides.every((side) => side > 0 && side <= maxSide) ? Buffer.concat([SIGNATURE, ...kept]) : undefined;
}
