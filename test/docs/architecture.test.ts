import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const text = readFileSync(new URL('docs/architecture.md', root), 'utf8');

/** Returns the first cells of the table below a head. */
const rowsOf = (head: string): string[] => {
  const [, table = ''] = text.split(`| ${head} |`);
  const [rows = ''] = table.split('\n\n');
  return [...rows.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name = '']) => name).sort();
};

it.each(['src', 'src/core'])('docs/architecture.md has a row for every folder of %s, and for no other', (folder) => {
  const entries = readdirSync(new URL(folder, root), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect(rowsOf(`folder of \`${folder}\``)).toEqual(folders.sort());
});
