import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMPILER_DEPENDENCIES, COMPILERS, checkTypes } from '../support/compilers.ts';
import { needs } from '../support/needs.ts';
import { broughtBy, pack } from '../support/packed.ts';
import { repository, runProgram } from '../support/run-command.ts';
import { INSTALLING_MS } from '../support/wait.ts';

const read = (path: string) => readFileSync(join(repository, path), 'utf8');
const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name).sort();
const unique = (list: readonly string[]) => [...new Set(list)].sort();

const TYPED_PAGE = `
import { GuildLeaderboard, type GuildrankEvents } from 'guildrank-widget';

const board: GuildLeaderboard = new GuildLeaderboard();
board.pageSize = 5;
export const told = (event: GuildrankEvents['guildrank-error']): string => event.detail.message;
// @ts-expect-error a number
board.pageSize = 'five';
`;

describe('the packed tarball of the widget, installed in an empty folder', needs('npm registry'), () => {
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-widget-'));
  const widget = join(folder, 'node_modules/guildrank-widget');
  let files: readonly string[];
  let elements: Record<'attributes' | 'events' | 'cssParts' | 'cssProperties' | 'members', { name: string }[]>[];

  beforeAll(async () => {
    const packed = await pack('./src/widget', folder);
    files = packed.files;
    const dependencies = { 'guildrank-widget': `file:${packed.tarball}`, ...COMPILER_DEPENDENCIES };
    const manifest = { private: true, type: 'module', dependencies };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    const installed = await runProgram('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund'], {
      cwd: folder,
    });
    expect(installed.code, installed.stderr).toBe(0);
    elements = JSON.parse(readFileSync(join(widget, 'dist/custom-elements.json'), 'utf8')).modules[0].declarations;
  }, INSTALLING_MS);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('the package of the widget has no dependencies, and holds what its manifest names', () => {
    const manifest = JSON.parse(readFileSync(join(widget, 'package.json'), 'utf8'));
    expect(broughtBy(widget)).toEqual([]);
    expect([manifest.dependencies, manifest.peerDependencies]).toEqual([undefined, undefined]);
    const named = JSON.stringify(manifest.exports).match(/dist\/[\w.-]+/g) ?? [];
    expect(named.length).toBeGreaterThan(5);
    expect(files).toEqual(expect.arrayContaining([...named, 'dist/LICENSE', 'README.md']));
  });

  it('the package of the widget is an ES module that a server can import, and that defines nothing there', async () => {
    const entries = ['guildrank-widget', 'guildrank-widget/react', 'guildrank-widget/vue', 'guildrank-widget/svelte'];
    const program = `for (const name of ${JSON.stringify(entries)}) console.log(...Object.keys(await import(name)), typeof customElements)`;
    const result = await runProgram(process.execPath, ['--input-type=module', '-e', program], { cwd: folder });
    const stdout = 'GuildLeaderboard GuildMember GuildStats undefined\n'.repeat(entries.length);
    expect(result).toEqual({ code: 0, stdout, stderr: '' });
  });

  it('CommonJS loads the package of the widget with require', async () => {
    const program = "console.log(...Object.keys(require('guildrank-widget')))";
    const result = await runProgram(process.execPath, ['--input-type=commonjs', '-e', program], { cwd: folder });
    expect(result).toMatchObject({ code: 0, stdout: 'GuildLeaderboard GuildMember GuildStats\n' });
  });

  it('the README of the widget runs as printed on a server', async () => {
    const page = readFileSync(join(widget, 'README.md'), 'utf8');
    const [, snippet = ''] = /^```js\n([\s\S]*?)```/m.exec(page) ?? [];
    expect(snippet).toContain("import 'guildrank-widget'");
    writeFileSync(join(folder, 'readme.mjs'), snippet);
    const result = await runProgram(process.execPath, ['readme.mjs'], { cwd: folder });
    expect(result).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  describe.each(Object.entries(COMPILERS))('TypeScript %s', (version, resolutions) => {
    it.each(resolutions)(
      `TypeScript ${version} finds the types of the widget with the module resolution "%s"`,
      async (resolution) => {
        const result = await checkTypes(folder, version, resolution, TYPED_PAGE);
        expect(result).toEqual({ code: 0, stdout: '', stderr: '' });
      },
    );
  });

  describe('custom-elements.json', () => {
    it('custom-elements.json names the attributes that the elements observe, and the members that they have', async () => {
      const program = `
        import { readFileSync } from 'node:fs';
        import * as elements from 'guildrank-widget';
        const { modules } = JSON.parse(readFileSync('node_modules/guildrank-widget/dist/custom-elements.json', 'utf8'));
        const untrue = [];
        for (const { name, members, attributes } of modules[0].declarations) {
          for (const member of members) if (!(member.name in elements[name].prototype)) untrue.push(member.name);
          const observed = elements[name].observedAttributes;
          for (const each of attributes) if (!observed.includes(each.name)) untrue.push(each.name);
          console.log(name, members.length > 5, attributes.length > 4);
        }
        console.log(untrue);`;
      const result = await runProgram(process.execPath, ['--input-type=module', '-e', program], { cwd: folder });
      const stdout = 'GuildLeaderboard true true\nGuildMember true true\nGuildStats true true\n[]\n';
      expect(result).toEqual({ code: 0, stdout, stderr: '' });
      const { GuildLeaderboard } = await import(join(widget, 'dist/index.js'));
      const observed = GuildLeaderboard.observedAttributes.filter((name: string) => name !== 'lang');
      expect(names(elements[0]?.attributes ?? [])).toEqual(observed.sort());
    });

    it('custom-elements.json names the properties for colours and sizes that the style sheet reads', () => {
      const used = read('src/widget/styles.css').match(/--guildrank-[\w-]+/g) ?? [];
      for (const { cssProperties } of elements) expect(names(cssProperties)).toEqual(unique(used));
    });

    it('custom-elements.json names the parts that docs/widget.md names', () => {
      const [, list = ''] = /`::part\(\)`.*?```\n(.*?)```/s.exec(read('docs/widget.md')) ?? [];
      expect(unique(elements.flatMap(({ cssParts }) => names(cssParts)))).toEqual(unique(list.trim().split(/\s+/)));
    });

    it('custom-elements.json names the events, and the events of members only where there are members', () => {
      const all = ['guildrank-error', 'guildrank-load', 'guildrank-select'];
      expect(elements.map(({ events }) => names(events))).toEqual([all, all, all.slice(0, 2)]);
    });
  });
});
