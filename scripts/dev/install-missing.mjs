// Runs before `npm run demo` and `npm test`, so that both work on a fresh clone with nothing typed before them.
// It runs before anything is installed: nothing but Node's own modules.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 15)) {
  fail(`Guildrank needs Node 20.15 or newer, and this is ${process.version}: see https://nodejs.org`);
}

if (!isInstalled()) {
  process.stdout.write('Installing dependencies (once) ...\n');
  // The versions of package-lock.json, but only what is missing. With NODE_ENV=production npm would leave out what demo
  // and tests run on.
  const { status } = spawnSync('npm', ['install', '--no-save', '--include=dev', '--no-audit', '--no-fund'], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) fail('The dependencies could not be installed; run "npm install" to see why');
}

/** Whether all that package-lock.json asks of every platform is in node_modules, as npm's own account there says. */
function isInstalled() {
  try {
    const wanted = JSON.parse(readFileSync('package-lock.json', 'utf8')).packages;
    const present = JSON.parse(readFileSync('node_modules/.package-lock.json', 'utf8')).packages;
    return Object.keys(wanted).every(
      (path) => path === '' || wanted[path].optional || wanted[path].version === present[path]?.version,
    );
  } catch {
    return false; // npm writes its account when an installation is complete.
  }
}

function fail(message) {
  process.stderr.write(`error: ${message}\n`);
  process.exit(1);
}
