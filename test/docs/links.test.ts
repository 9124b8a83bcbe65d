import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const below = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
const files = ['README.md', 'CONTRIBUTING.md', ...['docs', 'deploy', 'examples'].flatMap(below)].filter((name) =>
  name.endsWith('.md'),
);

/** As GitHub makes them: lower case, without punctuation, spaces to hyphens. */
const anchorsOf = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

it.each(files)('every link in %s leads to a file, and to a heading of it', (name) => {
  const text = readFileSync(join(root, name), 'utf8').replace(/^```[\s\S]*?^```/gm, '');
  for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^https?:/.test(target)) continue;
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? join(root, name) : join(root, dirname(name), path);
    expect(existsSync(file), target).toBe(true);
    if (anchor !== undefined) expect(anchorsOf(file), target).toContain(anchor);
  }
});
