import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

it('the table of settings in docs/reference.md has every variable of .env.example, with its default', () => {
  const settings = [...read('.env.example').matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value]);
  const rows = [...read('docs/reference.md').matchAll(/^\| `([A-Z_]+)` +\| (?:`([^`]*)`)? *\| (.+?) *\|$/gm)];
  expect(rows.map(([, name, value = '']) => [name, value])).toEqual(settings);
  for (const [, name, , meaning = ''] of rows) expect(meaning.length, name).toBeGreaterThan(10);
});
