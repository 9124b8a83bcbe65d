import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { BOUNDS } from '../../src/core/text-bounds.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

it('the table of settings in docs/reference.md has every variable of .env.example, with its default', () => {
  const settings = [...read('.env.example').matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]);
  const rows = [...read('docs/reference.md').matchAll(/^\| `([A-Z_]+)` +\| (?:`([^`]*)`)? *\| (.+?) *\|$/gm)];
  expect(rows.map(([, name, value = '']) => [name, value])).toEqual(settings);
  for (const [, name, , meaning = ''] of rows) expect(meaning.length, name).toBeGreaterThan(10);
});

it('the table of bounds in docs/reference.md has every stored text that somebody can give, with its most bytes', () => {
  const [, section = ''] = read('docs/reference.md').split('## Bounds of stored texts');
  const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| (?!Text)([^-|][^|]*) \| ([^|]+) \| ([\d,]+) \|$/gm)];
  const bounds = Object.values(BOUNDS).map(({ what, where, bytes }) => [what, where, bytes.toLocaleString('en-US')]);
  expect(rows.map(([, ...cells]) => cells)).toEqual(bounds);
});

it('every cache that evicts the least recently used entry has a bound in bytes', () => {
  const root = new URL('../../src/', import.meta.url);
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const caches = files.flatMap((name) => {
    const source = readFileSync(new URL(name, root), 'utf8');
    return [...source.matchAll(/new LRUCache[^;]*/g)].map(([cache]) => ({ name, cache }));
  });
  expect(caches.length).toBeGreaterThan(5);
  for (const { name, cache } of caches) expect(cache, name).toContain('sizeCalculation');
});
