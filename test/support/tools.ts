import { spawnSync } from 'node:child_process';
import { repository } from './run-command.ts';

/** Installs the packages of tools/ before a run of the second tier, if they are missing: Vitest calls it. */
export function setup(): void {
  const { status } = spawnSync(process.execPath, ['scripts/dev/install-missing.mjs', 'tools'], {
    cwd: repository,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('The second tier needs the packages of tools/: run "npm ci --prefix tools"');
}
