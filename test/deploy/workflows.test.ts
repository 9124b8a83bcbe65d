import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { repository, runProgram } from '../support/run-command.ts';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Record<string, unknown>;
}
interface Job {
  readonly uses?: string;
  readonly needs?: string | string[];
  readonly steps?: readonly Step[];
  readonly permissions?: Record<string, string>;
  readonly container?: { readonly image: string } | string;
  readonly strategy?: { readonly matrix: { readonly include: { image: string; program: string }[] } };
  readonly 'timeout-minutes'?: number;
}
interface Workflow {
  readonly on: Record<string, unknown>;
  readonly permissions: Record<string, string>;
  readonly jobs: Record<string, Job>;
}

const read = (path: string) => readFileSync(join(repository, path), 'utf8');
const folder = '.github/workflows';
const texts = Object.fromEntries(
  readdirSync(join(repository, folder)).map((name) => [name, read(`${folder}/${name}`)]),
);
const workflow = (name: string) => parse(texts[name] as string) as Workflow;
const names = Object.keys(texts);
const jobs = names.flatMap((name) =>
  Object.entries(workflow(name).jobs).map(([id, job]) => ({ of: `${id} of ${name}`, ...job })),
);
const steps = jobs.flatMap((job) => job.steps ?? []);

/** Returns what GitHub's parser says against each of the workflow files. */
async function errorsOf(files: readonly string[]): Promise<string[][]> {
  const args = ['--import', 'tsx', 'tools/workflow-errors.ts', ...files];
  const { stdout, stderr } = await runProgram(process.execPath, args);
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

describe('.github/workflows', () => {
  it('the parser of GitHub accepts the workflows', async () => {
    expect(await errorsOf(names.map((name) => `${folder}/${name}`))).toEqual(names.map(() => []));
  });

  it('the parser of GitHub refuses a wrong key, context, permission or need in a workflow', async () => {
    const scratch = mkdtempSync(join(tmpdir(), 'guildrank-workflows-'));
    const mistakes = [
      ['ci.yml', 'timeout-minutes: 60', 'timeout: 60'],
      ['ci.yml', 'github.ref }}', 'githob.ref }}'],
      ['ci.yml', 'contents: read', 'content: read'],
      ['release.yml', 'needs: [check, pack]', 'needs: [checks, pack]'],
    ].map(([name = '', right = '', wrong = ''], index) => {
      expect(texts[name]).toContain(right);
      const file = join(scratch, `${index}.yml`);
      writeFileSync(file, (texts[name] as string).replace(right, wrong));
      return file;
    });
    const errors = await errorsOf(mistakes);
    rmSync(scratch, { recursive: true });
    for (const found of errors) expect(found).not.toEqual([]);
  });

  it('the workflows pin every action by digest, with its version beside it, and one version of each action', () => {
    const uses = Object.values(texts).flatMap((text) => [...text.matchAll(/\buses: (.*)$/gm)].map(([, used]) => used));
    const pins = new Set(uses.filter((used) => !used?.startsWith('./')));
    expect(pins.size).toBeGreaterThan(5);
    for (const pin of pins) expect(pin).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    expect(new Set([...pins].map((pin) => pin?.split('@')[0])).size).toBe(pins.size);
  });

  it('the workflows give each job the permissions that it needs, and no others', () => {
    for (const name of names) expect(workflow(name).permissions).toEqual({});
    const more = jobs.filter(({ permissions }) => JSON.stringify(permissions) !== '{"contents":"read"}');
    expect(Object.fromEntries(more.map(({ of, permissions }) => [of, permissions]))).toEqual({
      'npm of release.yml': { 'id-token': 'write' },
      'image of release.yml': { contents: 'read', packages: 'write', 'id-token': 'write' },
      'release of release.yml': { contents: 'write' },
    });
    for (const step of steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'))) {
      expect(step.with).toEqual({ 'persist-credentials': false });
    }
    for (const name of names) expect(Object.keys(workflow(name).on)).not.toContain('pull_request_target');
  });

  it('the workflows end every job in time, and put no expression into a shell', async () => {
    for (const job of jobs.filter(({ uses }) => !uses)) expect(job['timeout-minutes'], job.of).toBeLessThanOrEqual(60);
    const scripts = steps.flatMap(({ run }) => run ?? []);
    expect(scripts.filter((script) => script.includes('${{'))).toEqual([]);
    const { code, stderr } = await runProgram('bash', ['-n', '-c', scripts.join('\n')]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const called = scripts.flatMap((script) => script.match(/\.ci\/[\w-]+|scripts\/[\w./-]+/g) ?? []);
    expect(called).toEqual(['.ci/run', '.ci/on-server', 'scripts/dev/release.mjs']);
    for (const file of called) expect(existsSync(join(repository, file)), file).toBe(true);
  });

  it('the workflows check Node 20, 22, 24 and 26, and Redis 7 and 8, Valkey 8 and 9', () => {
    const { check, servers } = workflow('ci.yml').jobs;
    const floor = /^>=(\d+)\./.exec(JSON.parse(read('package.json')).engines.node)?.[1];
    expect(read('.nvmrc').trim()).toBe(floor);
    expect(check?.container).toMatchObject({ image: `node:${floor}-bookworm` });
    const lines = /^NODE_LINES=\((.*)\)$/m
      .exec(read('.ci/run'))?.[1]
      ?.split(' ')
      .map((line) => line.split('.')[0]);
    expect([floor, ...(lines ?? [])]).toEqual(['20', '22', '24', '26']);
    expect(servers?.strategy?.matrix.include.map(({ image, program }) => `${image} ${program}`)).toEqual([
      'redis:7 redis-server',
      'redis:8 redis-server',
      'valkey/valkey:8 valkey-server',
      'valkey/valkey:9 valkey-server',
    ]);
  });

  it('the workflows publish from a tag only, after every check, and the release comes last', () => {
    const release = workflow('release.yml');
    expect(release.on).toEqual({ push: { tags: ['v[0-9]+.[0-9]+.[0-9]+'] } });
    expect(release.jobs.check?.uses).toBe('./.github/workflows/ci.yml');
    const needs = (id: string): string[] => [release.jobs[id]?.needs ?? []].flat();
    for (const id of ['npm', 'image']) expect(needs(id), id).toEqual(['check', 'pack']);
    expect(needs('release')).toEqual(expect.arrayContaining(['npm', 'image']));
    const build = release.jobs.image?.steps?.find(({ uses }) => uses?.startsWith('docker/build-push-action@'));
    expect(build?.with).toMatchObject({ platforms: 'linux/amd64,linux/arm64', sbom: true, provenance: 'mode=max' });
    const scripts = (id: string) => release.jobs[id]?.steps?.map(({ run = '' }) => run).join('\n');
    expect(scripts('image')).toMatch(/^cosign sign --yes --recursive "\$IMAGE@\$DIGEST"$/m);
    expect(scripts('npm')).toContain('npm publish "./$file" --provenance');
  });
});
