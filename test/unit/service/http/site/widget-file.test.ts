import { readFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';
import { expect, it } from 'vitest';

it('the file of the widget is at most 24 kB in brotli', () => {
  const file = readFileSync(new URL('../../../../../src/widget/dist/widget.js', import.meta.url));
  expect(brotliCompressSync(file).length).toBeLessThanOrEqual(24_000);
});

it('the page for frames takes all attributes but those that docs/widget.md excludes', async () => {
  // Without types, because the tests do not have those of a browser.
  const { attributeOf, PROPERTIES } = await import(
    new URL('../../../../../src/widget/attributes.ts', import.meta.url).href
  );
  const script = readFileSync(new URL('../../../../../src/widget/embed/embed.js', import.meta.url), 'utf8');
  const [, list = ''] = /ATTRIBUTES = \[(.*?)\];/s.exec(script) ?? [];
  const taken = [...list.matchAll(/'(.*?)'/g)].map(([, name]) => name);
  const excluded = ['base-url', 'member-href', 'selectable'];
  expect([...taken, ...excluded].sort()).toEqual(PROPERTIES.map(attributeOf).sort());
});
