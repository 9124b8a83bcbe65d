// Prepares the release of a tag, such as v1.2.3: prints its notes from CHANGELOG.md, and writes the address of the repository into
// the package.json of each package, where npm needs it for the provenance. The address comes from the workflow that runs this, so no file has to name it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const fail = (message) => {
  console.error(message);
  process.exit(1);
};
const tag = process.argv[2];
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = process.env;

if (tag !== `v${manifest.version}`)
  fail(`The tag ${tag} is not "v" and the version of package.json, ${manifest.version}`);
if (!server || !repository) fail('GITHUB_SERVER_URL and GITHUB_REPOSITORY must name the repository, as in a workflow');

const sections = readFileSync('CHANGELOG.md', 'utf8').split(/^## /m);
const section = sections.find((each) => each.startsWith(`[${manifest.version}] - `));
const [heading = '', ...lines] = (section ?? '').split('\n');
if (!/ - \d{4}-\d\d-\d\d$/.test(heading)) fail(`CHANGELOG.md has no section "## [${manifest.version}] - DATE"`);
const notes = lines.join('\n').trim();
if (!notes) fail(`The section of ${manifest.version} in CHANGELOG.md is empty`);

const address = `${server}/${repository}`;
for (const directory of ['', ...manifest.workspaces]) {
  const file = join(directory, 'package.json');
  const own = JSON.parse(readFileSync(file, 'utf8'));
  if (own.version !== manifest.version)
    fail(`${file} has the version ${own.version}, and the release is ${manifest.version}`);
  const released = {
    ...own,
    repository: { type: 'git', url: `git+${address}.git`, ...(directory && { directory }) },
    homepage: `${address}#readme`,
    bugs: { url: `${address}/issues` },
  };
  writeFileSync(file, `${JSON.stringify(released, null, 2)}\n`);
}
console.log(notes);
