import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const below = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
const files = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...['docs', 'deploy', 'examples'].flatMap(below)].filter(
  (name) => /\.(md|ya?ml|service)$/.test(name),
);

/** The names of the packages, where they are not the word for the project. */
const PACKAGE = /\bguildrank-kit\b|\bguildrank\/(writer|widget)\b/;
/** Takes a name from the public registry. */
const FROM_REGISTRY = /\b(npx|npm (exec|i|install|add)|yarn add|pnpm add|bunx?)( -\S+)* (@\S+\/)?guildrank\b/;
const FROM_HERE = /\btarball\b|\bthis repository\b/;

// Nothing is published, so anyone can take these names on a public registry. Change this test with the first release only.
it.each(files)('%s tells nobody to install a name from a registry', (name) => {
  const text = readFileSync(join(root, name), 'utf8');
  // A list or a table tells one thing in each line.
  const blocks = text.split(/\n\s*\n|\n(?=[|-])/);
  const unsaid = blocks.filter((block) => FROM_REGISTRY.test(block) && !FROM_HERE.test(block));
  expect(unsaid).toEqual([]);
  const first = blocks.find((block) => PACKAGE.test(block) && !/^ {2}writer\.ts /m.test(block));
  if (first) expect(first, 'the first mention says where the package comes from').toMatch(FROM_HERE);
});

it('the search for registries notices each way to ask a registry', () => {
  for (const line of [
    'npx guildrank serve',
    'npm i guildrank-kit/writer',
    'npm install -g guildrank',
    'npx --yes guildrank',
  ]) {
    expect(line).toMatch(FROM_REGISTRY);
  }
  expect('npm install ./guildrank-1.0.0.tgz').not.toMatch(FROM_REGISTRY);
});
