import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { repository, runProgram } from '../support/run-command.ts';

const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
const script = join(repository, 'scripts/dev/release.mjs');
/** The service, and the packages of its workspaces. */
const PACKAGES = ['.', 'src/kit', 'src/widget'];
const PYTHON_KIT = 'python/src/guildrank/__init__.py';
const env = { GITHUB_SERVER_URL: 'https://git.example', GITHUB_REPOSITORY: 'someone/guildrank' };

describe('scripts/dev/release.mjs', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'guildrank-release-'));
    for (const directory of PACKAGES) {
      mkdirSync(join(folder, directory), { recursive: true });
      copyFileSync(join(repository, directory, 'package.json'), join(folder, directory, 'package.json'));
    }
    mkdirSync(join(folder, dirname(PYTHON_KIT)), { recursive: true });
    copyFileSync(join(repository, PYTHON_KIT), join(folder, PYTHON_KIT));
    changelog(
      `## [Unreleased]\n\n## [${version}] - 2026-11-22\n\n### Added\n\n- One thing.\n\n## [0.0.1] - 2026-11-01\n\n- Older.`,
    );
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const changelog = (text: string) => writeFileSync(join(folder, 'CHANGELOG.md'), `# Changelog\n\n${text}\n`);
  const release = (tag: string, variables: Record<string, string> = env) =>
    runProgram(process.execPath, [script, tag], { cwd: folder, env: variables });
  const manifest = () => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

  it('release.mjs prints the notes of the version, and names the repository that releases in each package.json', async () => {
    const before = manifest();
    expect(await release(`v${version}`)).toEqual({ code: 0, stdout: '### Added\n\n- One thing.\n', stderr: '' });
    const url = 'git+https://git.example/someone/guildrank.git';
    expect(manifest()).toEqual({
      ...before,
      repository: { type: 'git', url },
      homepage: 'https://git.example/someone/guildrank#readme',
      bugs: { url: 'https://git.example/someone/guildrank/issues' },
    });
    const kit = JSON.parse(readFileSync(join(folder, 'src/kit/package.json'), 'utf8'));
    expect(kit.repository).toEqual({ type: 'git', url, directory: 'src/kit' });
  });

  it.each([
    ['a tag of another version', 'v9.9.9', undefined, 'The tag v9.9.9 is not "v" and the version of package.json'],
    ['no section', `v${version}`, '## [Unreleased]', `CHANGELOG.md has no section "## [${version}] - DATE"`],
    ['no date', `v${version}`, `## [${version}]\n\n- One.`, 'CHANGELOG.md has no section'],
    ['no text', `v${version}`, `## [${version}] - 2026-11-22\n\n## [0.0.1] - 2026-11-01`, 'in CHANGELOG.md is empty'],
  ])('release.mjs refuses a release with %s, and leaves package.json as it is', async (_, tag, text, message) => {
    if (text) changelog(text);
    const before = manifest();
    const { code, stdout, stderr } = await release(tag);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(message);
    expect(manifest()).toEqual(before);
  });

  it.each([
    ['has another version', '__version__ = "9.9.9"\n', 'has the version 9.9.9'],
    ['says no version', 'version = "1"\n', 'has no line __version__ = "VERSION"'],
  ])(
    'release.mjs refuses a release in which the kit for Python %s, and leaves package.json as it is',
    async (_, text, message) => {
      writeFileSync(join(folder, PYTHON_KIT), text);
      const before = manifest();
      const { code, stdout, stderr } = await release(`v${version}`);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain(`${PYTHON_KIT} ${message}`);
      expect(manifest()).toEqual(before);
    },
  );

  it('release.mjs refuses a release in which a package has another version, and leaves package.json as it is', async () => {
    const file = join(folder, 'src/widget/package.json');
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), version: '9.9.9' }));
    const before = manifest();
    const { code, stderr } = await release(`v${version}`);
    expect(code).toBe(1);
    expect(stderr).toContain('src/widget/package.json has the version 9.9.9');
    expect(manifest()).toEqual(before);
  });

  it('release.mjs refuses to release outside a workflow, where it would not know the repository', async () => {
    const { code, stderr } = await release(`v${version}`, { GITHUB_SERVER_URL: '', GITHUB_REPOSITORY: '' });
    expect(code).toBe(1);
    expect(stderr).toContain('GITHUB_REPOSITORY');
  });
});
