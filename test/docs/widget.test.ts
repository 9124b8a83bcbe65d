import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { RESERVED_SPACE } from '../../src/service/http/site/widget-file.ts';
import { ATTRIBUTES, attributeOf, PROPERTIES } from '../../src/widget/attributes.ts';

const root = new URL('../../', import.meta.url);
const documents = ['README.md', ...readdirSync(new URL('docs/', root)).map((name) => `docs/${name}`)];
const pages = documents
  .filter((path) => path.endsWith('.md'))
  .flatMap((path) => readFileSync(new URL(path, root), 'utf8').match(/```html\n.*?```/gs) ?? [])
  .filter((block) => block.includes('widget.js'));

it('docs/widget.md has lines to paste that load the widget', () => expect(pages.length).toBeGreaterThan(1));

it.each(pages)('lines that load the widget reserve its space: %s', (block) => {
  expect(block).toContain(RESERVED_SPACE);
});

const guide = readFileSync(new URL('docs/widget.md', root), 'utf8');
const quoted = (text: string) => [...text.matchAll(/`([\w-]+)`/g)].map(([, name]) => name);
/** Returns the names that a sentence of the guide has between two texts. */
const namesBetween = (start: string, end: string) => {
  const [, names = ''] = guide.replaceAll('\n', ' ').split(start);
  return quoted(names.slice(0, names.indexOf(end))).sort();
};
const attributesOf = (tag: string) =>
  PROPERTIES.filter((property) => (ATTRIBUTES[property].elements as readonly string[]).includes(tag)).map(attributeOf);

it('the table of docs/widget.md has each attribute of the widget', () => {
  const [, table = ''] = /\| attribute \|.*\n(?:.*\n)((?:\|.*\n)+)/.exec(guide) ?? [];
  const names = table.split('\n').flatMap((row) => quoted(row.split('|')[1] ?? ''));
  expect(names.sort()).toEqual(attributesOf('guild-leaderboard').sort());
});

it('docs/widget.md names the attributes of the small elements', () => {
  const common = namesBetween('`<guild-stats>` take ', '. ');
  const ofMembers = namesBetween('. `<guild-member>` also takes ', '.');
  expect(common).toEqual(attributesOf('guild-stats').sort());
  expect([...common, ...ofMembers].sort()).toEqual(attributesOf('guild-member').sort());
});

it('docs/widget.md names the attributes that the page for frames does not take', () => {
  const script = readFileSync(new URL('src/widget/embed/embed.js', root), 'utf8');
  const [, list = ''] = /OWN_ATTRIBUTES = \[(.*?)\];/s.exec(script) ?? [];
  const left = [...list.matchAll(/'(.*?)'/g)].map(([, name]) => name);
  expect(namesBetween('all attributes but ', '. Browsers')).toEqual(left.filter((name) => name !== 'lang').sort());
});
