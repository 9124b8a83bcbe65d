import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { DEBIAN_PACKAGES } from '../support/needs.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const { version, engines, devDependencies, dependencies } = JSON.parse(read('package.json'));

it('CHANGELOG.md has the sections of Keep a Changelog, the newest version first', () => {
  const text = read('CHANGELOG.md');
  const versions = [...text.matchAll(/^## (.*)$/gm)].map(([, title = '']) => title);
  expect(versions[0]).toBe('[Unreleased]');
  for (const title of versions.slice(1)) expect(title).toMatch(/^\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d$/);
  // A version without a section is one that was not released.
  if (versions.length > 1) expect(versions[1]).toMatch(new RegExp(`^\\[${version.replaceAll('.', '\\.')}\\]`));
  else expect(text).toContain(`The packages of this repository have version ${version}, which is not released.`);
  for (const [, kind] of text.matchAll(/^### (.*)$/gm)) {
    expect(['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security']).toContain(kind);
  }
});

it('the documents and renovate.json name the oldest Node that package.json allows', () => {
  const [, oldest] = /^>=(\d+\.\d+)$/.exec(engines.node) as RegExpExecArray;
  for (const name of ['README.md', 'CONTRIBUTING.md'])
    expect(read(name), name).toContain(`You need Node ${oldest} or later`);
  expect(JSON.parse(read('renovate.json')).constraints.node).toBe(engines.node);
  expect(JSON.parse(read('src/kit/package.json')).engines.node).toBe(engines.node);
});

it('renovate.json holds back only packages that exist, at versions that it allows', () => {
  const { packageRules } = JSON.parse(read('renovate.json')) as {
    packageRules: { matchPackageNames?: string[]; matchDepNames?: string[]; allowedVersions: string }[];
  };
  for (const { matchPackageNames = [], matchDepNames = [], allowedVersions } of packageRules) {
    for (const name of [...matchPackageNames, ...matchDepNames]) {
      const range = { ...dependencies, ...devDependencies }[name].replace(/^npm:.*@/, '');
      const major = Number.parseInt(range, 10);
      expect(major, name).toBeLessThan(Number(/^<(\d+)$/.exec(allowedVersions)?.[1]));
    }
  }
});

it('.ci/run installs each package of Debian that a test needs', () => {
  const installed = read('.ci/run').match(/(?<=:)[a-z][a-z0-9-]+/g);
  // The image of Node has the first three packages, and the last comes with redis-server.
  const others = ['bsdutils', 'git', 'python3', 'redis-tools'];
  expect(DEBIAN_PACKAGES.length).toBeGreaterThan(20);
  expect(DEBIAN_PACKAGES.filter((name) => !others.includes(name) && !installed?.includes(name))).toEqual([]);
});

it('no helper of tests but stores.ts opens a store that can be on another host, so that its name stands in each such suite', () => {
  const helpers = readdirSync(new URL('../support', import.meta.url)).filter((name) => name.endsWith('.ts'));
  const naming = helpers.filter((name) => /\b(describeStores|realStore)\b/.test(read(`test/support/${name}`)));
  expect(naming).toEqual(['stores.ts']);
});

it('the issue forms have the fields that GitHub needs', () => {
  const folder = new URL('../../.github/ISSUE_TEMPLATE', import.meta.url);
  const forms = readdirSync(folder).filter((name) => name !== 'config.yml');
  expect(forms.sort()).toEqual(['bug.yml', 'wish.yml']);
  for (const name of forms) {
    const { description, body, ...form } = parse(read(`.github/ISSUE_TEMPLATE/${name}`));
    expect({ ...form, name: typeof form.name }).toEqual({ name: 'string', labels: [expect.any(String)] });
    expect(description.length, name).toBeGreaterThan(10);
    const ids = body.map(({ id }: { id: string }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { type, attributes } of body) {
      expect(['textarea', 'input']).toContain(type);
      expect(attributes.label.length).toBeGreaterThan(10);
    }
  }
  expect(parse(read('.github/ISSUE_TEMPLATE/config.yml'))).toEqual({ blank_issues_enabled: false });
});
