import { readFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';
import { expect, it } from 'vitest';

it('the file of the widget is at most 24 kB in brotli', () => {
  const file = readFileSync(new URL('../../../../../src/widget/dist/widget.js', import.meta.url));
  expect(brotliCompressSync(file).length).toBeLessThanOrEqual(24_000);
});
