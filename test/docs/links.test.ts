import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const below = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
const roots = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'];
const files = [...roots, ...['docs', 'deploy', 'examples'].flatMap(below)].filter((name) => name.endsWith('.md'));

/** Returns the anchors that GitHub makes: lower case, without punctuation, hyphens for spaces. */
const anchorsOf = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

it.each(files)('every link in %s leads to a file and to one of its headings', (name) => {
  const text = readFileSync(join(root, name), 'utf8').replace(/^```[\s\S]*?^```/gm, '');
  for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^https?:/.test(target)) continue;
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? join(root, name) : join(root, dirname(name), path);
    expect(existsSync(file), target).toBe(true);
    if (anchor !== undefined) expect(anchorsOf(file), target).toContain(anchor);
  }
});

/** Paths of this repository in inline code, such as `src/service/serving/request-batcher.ts`. A pattern or a placeholder is no path. */
const PATH = /`((?:src|test|scripts|deploy|docs|examples)\/[\w./-]+)`/g;

it.each(files)('every path that %s names exists', (name) => {
  for (const [, path = ''] of readFileSync(join(root, name), 'utf8').matchAll(PATH)) {
    if (/[A-Z]{3}/.test(path)) continue;
    expect(existsSync(join(root, path)), path).toBe(true);
  }
});
