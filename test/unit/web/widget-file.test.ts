import { readFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';
import { expect, it } from 'vitest';

it('the file of the widget is at most 13 kB in brotli', () => {
  const file = readFileSync(new URL('../../../src/web/widget.js', import.meta.url));
  expect(brotliCompressSync(file).length).toBeLessThanOrEqual(13_000);
});
