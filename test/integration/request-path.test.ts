import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { needs } from '../support/needs.ts';
import { repository, runProgram } from '../support/run-command.ts';

describe('a GET', needs('redis-server'), () => {
  it('runs few files and classes, each of them in docs/architecture.md', async () => {
    const { stdout, stderr } = await runProgram(process.execPath, ['--import', 'tsx', 'scripts/dev/request-path.ts']);
    const ran = (title: string) => new RegExp(`^${title} \\d+: (.*)$`, 'm').exec(stdout)?.[1]?.split(' ') ?? [];
    const documented = readFileSync(`${repository}/docs/architecture.md`, 'utf8');
    for (const [kind, most] of Object.entries({
      repeated: { files: 15, classes: 12 },
      first: { files: 25, classes: 16 },
    })) {
      const [files, classes] = [ran(`${kind} files`), ran(`${kind} classes`)];
      expect(files, stderr).toContain('http/api/routes.ts');
      expect(classes).toContain('RequestBatcher');
      expect(files.length, files.join(' ')).toBeLessThanOrEqual(most.files);
      expect(classes.length, classes.join(' ')).toBeLessThanOrEqual(most.classes);
      for (const name of [...files, ...classes]) expect(documented).toContain(`\`${name}\``);
      for (const file of files) {
        const lines = readFileSync(`${repository}/src/${file}`, 'utf8').split('\n').length;
        expect(lines, file).toBeLessThanOrEqual(210);
      }
    }
  });
});
