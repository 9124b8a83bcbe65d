import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { needs } from '../support/needs.ts';
import { runProgram } from '../support/run-command.ts';

it('a checkout on Windows gives every text the line ends that a shell in a container reads', needs('git'), async () => {
  const folder = mkdtempSync(join(tmpdir(), 'guildrank-checkout-'));
  // As Git for Windows is set up.
  const git = 'git -c safe.directory=* -c core.autocrlf=true -c core.eol=crlf';
  const script = `set -o pipefail; ${git} archive HEAD | tar -x -C ${folder}`;
  const { code, stderr } = await runProgram('bash', ['-c', script]);
  expect(code, stderr).toBe(0);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => !/\.(png|ttf)$/.test(name));
  const texts = files.filter((name) => statSync(join(folder, name)).isFile());
  expect(texts).toEqual(expect.arrayContaining(['deploy/redis/restore.sh', '.ci/run', 'Dockerfile']));
  expect(texts.filter((name) => readFileSync(join(folder, name)).includes('\r\n'))).toEqual([]);
  rmSync(folder, { recursive: true });
});
