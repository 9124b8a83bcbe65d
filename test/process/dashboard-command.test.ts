import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedRedis, freePort, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { runCommand } from '../support/command.ts';
import { Visitor } from '../support/dashboard.ts';
import { nodeArguments } from '../support/entry.ts';
import { needs } from '../support/needs.ts';
import { LONG_REDIS_TIMEOUT, runScript } from '../support/process.ts';
import { repository, runProgram } from '../support/run-command.ts';

describe('the command dashboard', needs('redis-server'), () => {
  let redis: EmbeddedRedis;
  let env: Record<string, string>;
  beforeAll(async () => {
    redis = await startEmbeddedRedis();
    env = { ...LONG_REDIS_TIMEOUT, REDIS_URL: redis.url, DASHBOARD_PORT: String(await freePort()) };
  });
  afterAll(() => redis.stop());
  const run = ([name, ...args]: [string, ...string[]], more = {}) => runCommand(name, args, { ...env, ...more });
  const start = () => runScript(['src/cli/main.ts', 'dashboard'], env);

  it('the command dashboard serves until a signal, and signs in people by the links of the commands', async () => {
    const dashboard = start();
    const { url } = (await dashboard.line((line) => typeof line.url === 'string')) as { url: string };
    const { text } = await new Visitor({ url, localUrl: url }).get('/operator');
    expect(text).toContain('<code>guildrank dashboard --operator-link</code>');
    expect(text).toContain('<code>guildrank guild invite --guild GUILD_ID</code>');
    const people = [
      ['/guilds/g', await run(['guild', 'invite', '--guild', 'g', '--user', 'u1', '--json'])],
      ['/operator', await run(['dashboard', '--operator-link', '--json'])],
    ] as const;
    for (const [home, { stdout, stderr, code }] of people) {
      expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
      const link = JSON.parse(stdout) as { url: string; expires_in_s: number };
      expect(link).toEqual({ url: expect.stringMatching(`^${url}/sign-in/[\\w-]{43}$`), expires_in_s: 900 });
      const visitor = new Visitor({ url, localUrl: url });
      expect((await visitor.signIn(link.url)).headers.get('location')).toBe(home);
      expect((await visitor.get(home)).status).toBe(200);
    }

    const second = await runProgram(process.execPath, nodeArguments(['src/cli/main.ts', 'dashboard']), { env });
    expect([second.code, second.stderr]).toEqual([
      1,
      expect.stringMatching(/Cannot listen on .*Choose another DASHBOARD_PORT/),
    ]);
    dashboard.kill('SIGTERM');
    expect(await dashboard.waitForEnd()).toEqual({ code: 0, signal: null });
  });

  it('the command dashboard names a wrong setting, and a Redis that is not there', async () => {
    const at = (more: Record<string, string>) => run(['dashboard'], more);
    const wrong = await at({ DASHBOARD_URL: 'http://dash.example.com' });
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringMatching(/DASHBOARD_URL must be an address such as https/),
    ]);
    const refused = await at({ REDIS_URL: `${redis.url}/99`, DASHBOARD_PORT: '0' });
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/Correct the database in REDIS_URL/)]);
  });
});

it('the dashboard can be deleted with the entry of its command, and with its part of another command', async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'guildrank-without-dashboard-'));
  try {
    const left = (file: string) => !/src\/(dashboard|cli\/dashboard\.ts)$/.test(file);
    cpSync(join(repository, 'src'), join(scratch, 'src'), { recursive: true, filter: left });
    for (const name of ['package.json', 'tsconfig.json', 'scripts/dev/bundle.mjs']) {
      cpSync(join(repository, name), join(scratch, name));
    }
    symlinkSync(join(repository, 'node_modules'), join(scratch, 'node_modules'));
    const commands = join(scratch, 'src/cli/guildrank.ts');
    const listed = readFileSync(commands, 'utf8');
    const rest = listed
      .replace(/ {2}\{\n {4}name: 'dashboard',.*?\n {2}\},\n/s, '')
      .replace(/.*defineDashboardAccess.*\n/, '');
    expect(listed.split('\n').length - rest.split('\n').length).toBe(6);
    writeFileSync(commands, rest);
    await build({ entryPoints: [join(scratch, 'src/kit/writer.ts')], bundle: true, platform: 'node', write: false });
    const bundled = await runProgram(process.execPath, ['scripts/dev/bundle.mjs'], { cwd: scratch });
    expect(bundled.code, bundled.stderr).toBe(0);
    const { stdout, ...ended } = await runProgram(process.execPath, ['dist/guildrank.cjs', '--help'], { cwd: scratch });
    expect(ended).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Usage: guildrank ');
    expect(stdout).not.toContain('dashboard');
  } finally {
    rmSync(scratch, { recursive: true });
  }
});
