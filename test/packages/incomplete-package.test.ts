import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { repository, runProgram } from '../support/run-command.ts';

it.each([
  ['guildrank-kit', 'src/kit', 'writer.js'],
  ['guildrank-widget', 'src/widget', 'index.d.cts'],
])(
  'npm does not pack %s before the build, and packs it with all files that its manifest names',
  async (name, path, first) => {
    const folder = mkdtempSync(join(tmpdir(), 'guildrank-incomplete-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const file of [`${path}/package.json`, 'scripts/dev/require-package.mjs'])
      cpSync(join(repository, file), join(folder, file));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, workspaces: [path] }));
    const pack = () => runProgram('npm', ['pack', '-w', name], { cwd: folder });

    const refused = await pack();
    expect(refused.code).not.toBe(0);
    const message = (file: string) =>
      `error: ${name} lacks ./dist/${file}: run "npm run build" in the root of the repository first\n`;
    expect(refused.stderr).toContain(message(first));

    const manifest = readFileSync(join(folder, path, 'package.json'), 'utf8');
    const named = [...new Set(manifest.match(/dist\/[\w-]+(?:\.[\w-]+)+/g))];
    expect(named.length).toBeGreaterThan(5);
    for (const file of named) cpSync(join(repository, path, file), join(folder, path, file));
    expect(await pack()).toMatchObject({ code: 0 });
    const last = named.at(-1) as string;
    rmSync(join(folder, path, last));
    expect((await pack()).stderr).toContain(message(last.slice('dist/'.length)));
  },
);
