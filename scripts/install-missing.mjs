// Runs before `npm run demo` and `npm test`, so that both work on a fresh clone with nothing typed before them.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

// npm writes this file when an installation is complete.
if (!existsSync('node_modules/.package-lock.json')) {
  process.stdout.write('Installing dependencies (once) ...\n');
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) {
    process.stderr.write('error: the dependencies could not be installed; run "npm ci" to see why\n');
    process.exit(1);
  }
}
