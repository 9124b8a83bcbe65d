import { promisify } from 'node:util';
import { crc32, deflate } from 'node:zlib';

/** An image as a painter leaves it. */
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

/** Encodes an image as PNG. It compresses in the thread pool: the encoder of resvg takes four times as long, and of the thread that serves. */
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

/** Returns a chunk of a PNG: its length, type and data, and the checksum of both. */
function chunk(type: string, data: Buffer): Buffer {
  const whole = Buffer.alloc(12 + data.length);
  whole.writeUInt32BE(data.length, 0);
  whole.write(type, 4);
  data.copy(whole, 8);
  whole.writeUInt32BE(crc32(whole.subarray(4, 8 + data.length)), 8 + data.length);
  return whole;
}
