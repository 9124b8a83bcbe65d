import { crc32, inflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { encodePng } from '../../../../src/service/public/png.ts';

/** Returns the chunks of a PNG by their types. */
function chunksOf(png: Buffer): Map<string, Buffer> {
  expect(png.subarray(0, 8)).toEqual(Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]));
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < png.length; ) {
    const end = at + 8 + png.readUInt32BE(at);
    expect(png.readUInt32BE(end)).toBe(crc32(png.subarray(at + 4, end)));
    chunks.set(png.toString('latin1', at + 4, at + 8), png.subarray(at + 8, end));
    at = end + 4;
  }
  return chunks;
}

it('a PNG holds each pixel of the image', async () => {
  const width = 3;
  const height = 2;
  const pixels = Buffer.from(Array.from({ length: 4 * width * height }, (_, at) => 7 * at));
  const chunks = chunksOf(await encodePng({ width, height, pixels }));
  expect([...chunks.keys()]).toEqual(['IHDR', 'IDAT', 'IEND']);
  expect([...(chunks.get('IHDR') ?? [])]).toEqual([0, 0, 0, width, 0, 0, 0, height, 8, 6, 0, 0, 0]);
  const rows = inflateSync(chunks.get('IDAT') ?? '');
  expect(rows).toEqual(
    Buffer.concat([[0], pixels.subarray(0, 12), [0], pixels.subarray(12)].map((part) => Buffer.from(part))),
  );
});
