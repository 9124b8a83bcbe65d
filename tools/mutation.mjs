/**
 * Runs mutation tests, one folder of src after another: changes the code in small ways, and counts the changes that no
 * test detects. Fails when a folder's score is below the threshold in stryker.config.json.
 *
 *   npm run mutation                                   all folders
 *   npm run mutation -- core/access                    one folder
 *   npm run mutation -- core/ranking/curves.ts         one file
 */
import { spawnSync } from 'node:child_process';
import { existsSync, renameSync } from 'node:fs';

/** A folder within another one comes before it, and is no part of it here: other tests hold its promises. */
const FOLDERS = [
  'core/access',
  'core/counters',
  'core/members',
  'core/ranking',
  'core/reads',
  'core/replace',
  'service/http',
  'service/public',
  'service/serving',
];
const REPORT = 'reports/mutation/mutation.html';
const given = process.argv.slice(2);
const folderOf = (path) => FOLDERS.find((folder) => path === folder || path.startsWith(`${folder}/`));
const unknown = given.filter((path) => !folderOf(path) || !existsSync(`src/${path}`));
if (unknown.length > 0) {
  console.error(
    `There is no ${unknown.join(', ')} to mutate: choose from ${FOLDERS.join(', ')}, or a file in one of them`,
  );
  process.exit(1);
}

const stryker = 'tools/node_modules/@stryker-mutator/core/bin/stryker.js';
let failed = false;
for (const path of given.length > 0 ? given : FOLDERS) {
  const within = FOLDERS.filter((folder) => folder.startsWith(`${path}/`)).map((folder) => `!src/${folder}/**/*.ts`);
  const files = path.endsWith('.ts') ? `src/${path}` : [`src/${path}/**/*.ts`, ...within].join(',');
  const { status } = spawnSync(process.execPath, [stryker, 'run', '--mutate', files], {
    stdio: 'inherit',
    env: { ...process.env, MUTATION_FOLDER: folderOf(path) },
  });
  failed ||= status !== 0;
  // A run that could not start leaves no report.
  if (existsSync(REPORT)) renameSync(REPORT, `reports/mutation/${path.replaceAll('/', '-')}.html`);
}
process.exit(failed ? 1 : 0);
