// Runs before scripts of package.json, so that they work on a fresh clone without a further step. With the argument "tools" it also
// installs the packages of tools/. It may import Node's own modules only, because it runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const { engines } = JSON.parse(readFileSync('package.json', 'utf8'));
const oldest = engines.node.replace('>=', '');
const [oldestMajor, oldestMinor] = oldest.split('.').map(Number);
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
  fail(`Guildrank needs Node ${oldest} or newer, and this is ${process.version}: see https://nodejs.org`);
}

installMissing('.', 'dependencies', 'npm install');
if (process.argv[2] === 'tools') installMissing('tools', 'packages of tools', 'npm install --prefix tools');

/** Installs the packages of a folder that are missing there. */
function installMissing(folder, what, command) {
  if (isInstalled(folder)) return;
  process.stdout.write(`Installing ${what} (once) ...\n`);
  // Installs only missing packages. Without --include=dev, NODE_ENV=production would leave out the packages of the demo and the tests.
  const { status } = spawnSync('npm', ['install', '--no-save', '--include=dev', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) fail(`The ${what} could not be installed; run "${command}" to see why`);
}

/** Whether node_modules has all packages that package-lock.json needs on every platform, by npm's own list there. */
function isInstalled(folder) {
  try {
    const wanted = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')).packages;
    const present = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8')).packages;
    return Object.keys(wanted).every(
      (path) => path === '' || wanted[path].optional || wanted[path].version === present[path]?.version,
    );
  } catch {
    return false; // npm writes this list at the end of an installation.
  }
}

function fail(message) {
  process.stderr.write(`error: ${message}\n`);
  process.exit(1);
}
