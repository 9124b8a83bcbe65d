// Prepares the release of a tag, such as v1.2.3: compares the versions of all packages with the tag, prints the notes from CHANGELOG.md, and writes
// the address of the repository into the package.json of each package, where npm needs the address for the provenance. The workflow that runs this
// knows the address, so no file has to name it.
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

const PYTHON_KIT = 'python/src/guildrank/__init__.py';
const pythonVersion = /^__version__ = "(.*)"$/m.exec(readFileSync(PYTHON_KIT, 'utf8'))?.[1];
if (!pythonVersion) fail(`${PYTHON_KIT} has no line __version__ = "VERSION"`);
const packages = ['', ...manifest.workspaces].map((directory) => {
  const file = join(directory, 'package.json');
  return { directory, file, own: JSON.parse(readFileSync(file, 'utf8')) };
});
// All versions are compared before the first file is written.
for (const [file, version] of [[PYTHON_KIT, pythonVersion], ...packages.map(({ file, own }) => [file, own.version])]) {
  if (version !== manifest.version) fail(`${file} has the version ${version}, and the release is ${manifest.version}`);
}

const address = `${server}/${repository}`;
for (const { directory, file, own } of packages) {
  const released = {
    ...own,
    repository: { type: 'git', url: `git+${address}.git`, ...(directory && { directory }) },
    homepage: `${address}#readme`,
    bugs: { url: `${address}/issues` },
  };
  writeFileSync(file, `${JSON.stringify(released, null, 2)}\n`);
}
console.log(notes);
