import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startChild } from '../../scripts/dev/child-process.ts';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { needs } from '../support/needs.ts';
import { repository } from '../support/run-command.ts';

describe('a folder with an .env file', needs('redis-server'), () => {
  let redis: EmbeddedRedis;
  let folder: string;
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, HOST: '127.0.0.1' };

  beforeAll(async () => {
    redis = await startEmbeddedRedis();
    folder = mkdtempSync(join(tmpdir(), 'guildrank-env-'));
    const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
    const { prestart, start } = scripts;
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ version: '1.0.0', scripts: { prestart, start } }));
    mkdirSync(join(folder, 'scripts/dev'), { recursive: true });
    cpSync(join(repository, 'scripts/dev/require-build.mjs'), join(folder, 'scripts/dev/require-build.mjs'));
    writeFileSync(join(folder, '.env'), `REDIS_URL=${redis.url}\nPORT=0\nADMIN_PORT=0\nHOST=10.255.0.1\n`);
  });
  afterAll(async () => {
    await redis?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('npm start says in a folder that is not built what to run', async () => {
    const start = startChild('npm', ['start'], { cwd: folder, env });
    expect((await start.waitForEnd()).code).toBe(1);
    expect(start.stderr()).toContain('error: there is no build of the service yet: run "npm run build" first\n');
    expect(start.output()).not.toContain('at Module');
  });

  it('the file .env gives npm start its settings, the log says so, and the environment wins', async () => {
    cpSync(join(repository, 'dist'), join(folder, 'dist'), { recursive: true });
    const start = startChild('npm', ['start'], { cwd: folder, env, detached: true });
    try {
      await start.waitForOutput('the service', () => /"msg":"serving from/.test(start.stdout()));
      const settings = `settings from ${folder}/.env: ADMIN_PORT, PORT, REDIS_URL; the environment has its own HOST`;
      expect(start.stdout().split(settings)).toHaveLength(2);
    } finally {
      await start.stop();
    }
  });

  it('the file .env gives the commands their settings, and standard error says so', async () => {
    const made = startChild(process.execPath, ['dist/guildrank.cjs', 'keys', 'create', '--guild', 'g', '--json'], {
      cwd: folder,
      env,
    });
    expect((await made.waitForEnd()).code, made.output()).toBe(0);
    expect(JSON.parse(made.stdout())).toMatchObject({ guild: 'g' });
    expect(made.stderr()).toMatch(
      /^settings from .*: ADMIN_PORT, PORT, REDIS_URL; the environment has its own HOST\n$/,
    );
  });

  it('the service and the commands warn of a misspelt name in the file .env', async () => {
    const other = mkdtempSync(join(tmpdir(), 'guildrank-env-'));
    onTestFinished(() => rmSync(other, { recursive: true, force: true }));
    writeFileSync(join(other, '.env'), `REDIS_URL=${redis.url}\nPORT=0\nADMIN_PORT=0\nREDIS_URI=redis://u:secret@h\n`);
    const warning = '.env has names that Guildrank does not read: REDIS_URI (REDIS_URL?). Correct';
    const program = join(repository, 'dist/guildrank.cjs');
    const made = startChild(process.execPath, [program, 'guild', 'list'], { cwd: other, env });
    expect((await made.waitForEnd()).code, made.output()).toBe(0);
    expect(made.stderr()).toContain(`\nwarning: ${warning}`);
    const service = startChild(process.execPath, [program, 'serve'], { cwd: other, env: { ...env, WORKERS: '2' } });
    try {
      await service.waitForOutput('both workers', () => service.stdout().match(/"msg":"serving from/g)?.length === 2);
      expect(service.stdout().split(warning)).toHaveLength(2);
      expect(made.output() + service.output()).not.toContain('secret');
    } finally {
      service.kill();
      await service.waitForEnd();
    }
  });

  it('the file .env serves workers too, and the log says the settings once', async () => {
    const start = startChild(process.execPath, ['dist/guildrank.cjs', 'serve'], {
      cwd: folder,
      env: { ...env, WORKERS: '2' },
    });
    try {
      await start.waitForOutput('both workers', () => start.stdout().match(/"msg":"serving from/g)?.length === 2);
      expect(start.stdout().match(/settings from/g)).toHaveLength(1);
    } finally {
      start.kill();
      await start.waitForEnd();
    }
  });

  it('a start warns when a process may open too few files for MAX_CONNECTIONS', async () => {
    const service = startChild('sh', ['-c', 'ulimit -n 512; exec node dist/guildrank.cjs serve'], { cwd: folder, env });
    try {
      await service.waitForOutput('the warning', () =>
        /"level":40,.*may open 512 files, and MAX_CONNECTIONS=5000 needs 5200/.test(service.stdout()),
      );
    } finally {
      service.kill();
      await service.waitForEnd();
    }
  });
});
