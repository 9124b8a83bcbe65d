import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningChild, startChild } from '../../scripts/dev/child-process.ts';
import { needs } from '../support/needs.ts';
import { broughtBy, pack } from '../support/packed.ts';
import { LONG_REDIS_TIMEOUT } from '../support/process.ts';
import { repository, runProgram } from '../support/run-command.ts';
import { realStore, type TestStore } from '../support/stores.ts';
import { INSTALLING_MS } from '../support/wait.ts';

const COMMANDS = [
  'serve',
  'doctor',
  'keys',
  'guild',
  'member',
  'season',
  'seed',
  'export',
  'stats',
  'widget',
  'dashboard',
];

describe.each(['package-lock.json', 'tools/package-lock.json'])('%s', (lock) => {
  it(`${lock} has the optional packages of every platform, because npm ci needs them on each platform`, () => {
    const { packages } = JSON.parse(readFileSync(join(repository, lock), 'utf8'));
    const entries = Object.values<{ optionalDependencies?: Record<string, string> }>(packages);
    const optional = entries.flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}));
    const present = new Set(Object.keys(packages).map((path) => path.replace(/^.*node_modules\//, '')));
    expect(optional.filter((name) => !present.has(name))).toEqual([]);
  });

  it(`${lock} says where each package is and what its hash is, so that an installation asks for nothing else`, () => {
    const { packages } = JSON.parse(readFileSync(join(repository, lock), 'utf8'));
    const { '': _, ...installed } = packages as Record<string, { resolved?: string; integrity?: string }>;
    const { workspaces = [] } = JSON.parse(readFileSync(join(repository, lock, '../package.json'), 'utf8'));
    const isOwn = (path: string, resolved: string) => workspaces.includes(path) || workspaces.includes(resolved);
    const complete = (path: string, { resolved = '', integrity }: { resolved?: string; integrity?: string }) =>
      isOwn(path, resolved) || (resolved.startsWith('https://registry.npmjs.org/') && integrity?.startsWith('sha512-'));
    expect(Object.keys(installed).length).toBeGreaterThan(200);
    expect(Object.entries(installed).flatMap(([path, entry]) => (complete(path, entry) ? [] : path))).toEqual([]);
  });
});

describe(
  'the packed tarball of the service, installed in an empty folder',
  needs('npm registry', 'redis-server'),
  () => {
    let testStore: TestStore | undefined;
    const folder = mkdtempSync(join(tmpdir(), 'guildrank-install-'));
    let files: readonly string[];
    const env = () => ({ REDIS_URL: testStore?.url ?? '' });

    beforeAll(async () => {
      const packed = await pack('.', folder);
      files = packed.files;
      const manifest = {
        private: true,
        type: 'module',
        dependencies: { guildrank: `file:${packed.tarball}` },
      };
      writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
      // The command of docs/operations.md that installs the SDK of OpenTelemetry installs the package too.
      const document = readFileSync(join(repository, 'docs/operations.md'), 'utf8');
      const [command = ''] = /^npm install .*@opentelemetry[\s\S]*?(?=\n```)/m.exec(document) ?? [];
      const npm = { npm_config_prefer_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' };
      const installed = await runProgram('sh', ['-c', command], { cwd: folder, env: npm });
      expect(installed.code, installed.stderr).toBe(0);
      testStore = await realStore.start();
    }, INSTALLING_MS);
    afterAll(async () => {
      await testStore?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    it('the package contains only compiled code, deployment files, the readme and the documents', () => {
      expect(files).toEqual(
        expect.arrayContaining(['LICENSE', 'dist/guildrank.cjs', 'dist/THIRD-PARTY.txt', 'dist/lua/record.lua']),
      );
      const expected =
        /^(dist|deploy)\/|^docs\/[\w-]+\.md$|^(package\.json|(README|CHANGELOG|SECURITY)\.md|LICENSE|\.env\.example)$/;
      expect(files.filter((file) => !expected.test(file) || /demo|bench/.test(file))).toEqual([]);
    });

    it('the package is a command after the line of docs/operations.md that installs it', {
      timeout: INSTALLING_MS,
    }, async () => {
      const document = readFileSync(join(repository, 'docs/operations.md'), 'utf8');
      const [command = ''] = /(?<=`)npm install --global [^`]+/.exec(document) ?? [];
      const prefix = join(folder, 'global');
      const npm = { npm_config_prefix: prefix, npm_config_prefer_offline: 'true', npm_config_audit: 'false' };
      const installed = await runProgram('sh', ['-c', command], { cwd: folder, env: npm });
      expect(installed.code, installed.stderr).toBe(0);
      const listed = await runProgram(join(prefix, 'bin/guildrank'), ['guild', 'list'], { env: env() });
      expect(listed.code, listed.stderr).toBe(0);
    });

    it('the package is built whenever npm packs it', () => {
      const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
      expect(scripts.prepack).toBe('npm run build');
    });

    it('the package brings no SDK of OpenTelemetry, and the command of docs/operations.md installs it', () => {
      const SDK = '@opentelemetry/sdk-trace-base';
      expect(existsSync(join(folder, 'node_modules', SDK))).toBe(true);
      const installed = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8'));
      const needing = Object.entries<{ dependencies?: object }>(installed.packages).filter(
        ([path, { dependencies = {} }]) => SDK in dependencies && !path.startsWith('node_modules/@opentelemetry/'),
      );
      expect(needing).toEqual([]);
      const brought = broughtBy(join(folder, 'node_modules/guildrank'));
      expect(brought.length).toBeGreaterThan(10);
      expect(brought.filter((name) => name.startsWith('@opentelemetry/'))).toEqual([]);
    });

    describe('the installed service, with an endpoint for traces', () => {
      let service: RunningChild;
      let url: string;
      beforeAll(async () => {
        const settings = { HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0', PUBLIC_PAGES: '1' };
        service = startChild(join(folder, 'node_modules/.bin/guildrank'), ['serve'], {
          cwd: folder,
          env: {
            PATH: process.env.PATH,
            ...env(),
            ...settings,
            ...LONG_REDIS_TIMEOUT,
            OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
          },
        });
        await service.waitForOutput('the service', () => service.stdout().includes('serving from'), 60_000);
        url = /"url":"(?<url>[^"]+)"/.exec(service.stdout())?.groups?.url as string;
      });
      afterAll(() => service?.stop());

      it('the installed service draws pictures of public pages with the package and the fonts that come with it', async () => {
        await testStore?.client.hset('gr:{pictured}:config', 'public_page', 'on');
        const answer = await fetch(`${url}/g/pictured/top.png`);
        expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
        const png = Buffer.from(await answer.arrayBuffer());
        // The header of a PNG has its size at these places.
        expect([png.toString('latin1', 1, 4), png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual(['PNG', 1200, 630]);
      });

      it('the installed service serves over HTTP the key that npx guildrank keys create made, and ends on SIGTERM', async () => {
        const args = ['--no-install', 'guildrank', 'keys', 'create', '--guild', 'g', '--json'];
        const created = await runProgram('npx', args, { cwd: folder, env: env() });
        expect(created.code, created.stderr).toBe(0);
        const { key } = JSON.parse(created.stdout);
        const answer = await fetch(`${url}/api/v1/servers/g/stats`, { headers: { 'x-api-key': key } });
        expect(answer.status).toBe(200);
        service.kill('SIGTERM');
        expect((await service.waitForEnd()).code).toBe(0);
      });
    });

    it('the package lists its commands, and refuses other commands with exit code 2', async () => {
      const bin = join(folder, 'node_modules/.bin/guildrank');
      const help = await runProgram(bin, ['--help']);
      expect(help.code).toBe(0);
      for (const name of COMMANDS) expect(help.stdout).toContain(`\n  ${name} `);
      const { stdout } = await runProgram(bin, ['seed', '--help']);
      expect(stdout).toContain('Usage: guildrank seed');
      expect(stdout).toContain('\n  guildrank seed --guild 123456789012345678 --file members.csv\n');
      expect(stdout).not.toContain('npm run');
      const [document = ''] = /docs\/\S+\.md/.exec(stdout) ?? [];
      expect(existsSync(join(folder, 'node_modules/guildrank', document)), document).toBe(true);
      expect(await runProgram(bin, ['sed'])).toMatchObject({
        code: 2,
        stderr: "error: unknown command 'sed'\n(Did you mean seed?)\n(--help lists the commands)\n",
      });
    });
  },
);
