// Installs a version of Node into node_modules/.cache, unless it is there, and prints the folder of its binary.
//   node .ci/node-line.mjs 22.23.3
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

const version = process.argv[2];
const name = `node-${process.platform}-${process.arch}`;
const folder = resolve(`node_modules/.cache/node-${version}`);
const bin = `${folder}/node_modules/${name}/bin`;

if (!existsSync(`${bin}/node`)) {
  mkdirSync(folder, { recursive: true });
  // The folder gets a project of its own, because npm would otherwise install into the project around it.
  writeFileSync(`${folder}/package.json`, '{ "private": true }\n');
  const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--no-package-lock', `${name}@${version}`];
  const { status } = spawnSync('npm', args, { stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(1);
}
const { stdout } = spawnSync(`${bin}/node`, ['--version'], { encoding: 'utf8' });
if (stdout?.trim() !== `v${version}`) {
  console.error(`${bin}/node is not Node ${version}: ${stdout?.trim() || 'it does not start'}`);
  process.exit(1);
}
console.log(bin);
