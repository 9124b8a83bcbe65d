/**
 * Runs mutation tests, one folder of src after another: changes the code in small ways, and counts the changes that no
 * test detects. Fails when a folder's score is below the threshold in stryker.config.json.
 *
 *   npm run mutation                 all folders
 *   npm run mutation -- access       one folder
 */
import { spawnSync } from 'node:child_process';
import { existsSync, renameSync } from 'node:fs';
import { createRequire } from 'node:module';

const FOLDERS = ['leaderboard', 'access', 'reads', 'http'];
const REPORT = 'reports/mutation/mutation.html';
const given = process.argv.slice(2);
const unknown = given.filter((folder) => !FOLDERS.includes(folder));
if (unknown.length > 0) {
  console.error(`There is no folder ${unknown.join(', ')} to mutate: choose from ${FOLDERS.join(', ')}`);
  process.exit(1);
}

const stryker = createRequire(import.meta.url)
  .resolve('@stryker-mutator/core/package.json')
  .replace('package.json', 'bin/stryker.js');
let failed = false;
for (const folder of given.length > 0 ? given : FOLDERS) {
  const excluded = folder === 'http' ? ',!src/http/openapi/*.ts' : '';
  const { status } = spawnSync(process.execPath, [stryker, 'run', '--mutate', `src/${folder}/**/*.ts${excluded}`], {
    stdio: 'inherit',
    env: { ...process.env, MUTATION_FOLDER: folder },
  });
  failed ||= status !== 0;
  // A run that could not start leaves no report.
  if (existsSync(REPORT)) renameSync(REPORT, `reports/mutation/${folder}.html`);
}
process.exit(failed ? 1 : 0);
