import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { needs } from '../support/needs.ts';
import { repository, runProgram } from '../support/run-command.ts';
import { INSTALLING_MS } from '../support/wait.ts';

describe('what a document installs beside the service', needs('npm registry'), () => {
  let clone: string;
  const read = (folder: string, name: string) => readFileSync(join(folder, name), 'utf8');
  const ofClone = Object.keys(JSON.parse(read(repository, 'node_modules/.package-lock.json')).packages as object);

  beforeAll(() => {
    clone = mkdtempSync(join(tmpdir(), 'guildrank-clone-'));
    const manifests = ['src/kit/package.json', 'src/widget/package.json'];
    for (const name of ['package.json', 'package-lock.json', '.npmrc', 'node_modules', ...manifests]) {
      const filter = (file: string) => !relative(repository, file).startsWith('node_modules/.cache');
      cpSync(join(repository, name), join(clone, name), { recursive: true, verbatimSymlinks: true, filter });
    }
  });
  afterAll(() => rmSync(clone, { recursive: true, force: true }));

  it(
    'the command of docs/operations.md installs the SDK of OpenTelemetry, and removes nothing from the clone',
    async () => {
      const document = 'docs/operations.md';
      const name = '@opentelemetry/sdk-trace-base';
      const [command = ''] = /^npm install --no-save[\s\S]*?(?=\n```)/m.exec(read(repository, document)) ?? [];
      const { code, stderr } = await runProgram('sh', ['-c', command], { cwd: clone });
      expect(code, stderr).toBe(0);
      expect(existsSync(join(clone, 'node_modules', name))).toBe(true);
      expect(ofClone.filter((path) => !existsSync(join(clone, path)))).toEqual([]);
      for (const file of ['package.json', 'package-lock.json']) expect(read(clone, file)).toBe(read(repository, file));
    },
    INSTALLING_MS,
  );
});
