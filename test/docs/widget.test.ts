import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { RESERVED_SPACE } from '../../src/service/http/site/widget-file.ts';

const root = new URL('../../', import.meta.url);
const documents = ['README.md', ...readdirSync(new URL('docs/', root)).map((name) => `docs/${name}`)];
const pages = documents
  .filter((path) => path.endsWith('.md'))
  .flatMap((path) => readFileSync(new URL(path, root), 'utf8').match(/```html\n.*?```/gs) ?? [])
  .filter((block) => block.includes('widget.js'));

it('there are lines to paste that load the widget', () => expect(pages.length).toBeGreaterThan(1));

it.each(pages)('lines that load the widget reserve its space: %s', (block) => {
  expect(block).toContain(RESERVED_SPACE);
});
