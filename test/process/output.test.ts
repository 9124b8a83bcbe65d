import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, cpSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startChild } from '../../scripts/dev/child-process.ts';
import { type EmbeddedRedis, startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { VERSION } from '../../src/observability/build-info.ts';
import { nodeArguments } from '../support/entry.ts';
import { needs } from '../support/needs.ts';
import { repository, runProgram } from '../support/run-command.ts';

const BIN = nodeArguments(['src/cli/main.ts']);

/** Runs a command whose readers have gone away before it writes. @returns its exit code and the rest of its output. */
async function withoutReaders(args: readonly string[], env: Record<string, string> = {}) {
  const child = startChild(process.execPath, args, { cwd: repository, env: { ...process.env, ...env } });
  child.child.stdout?.destroy();
  child.child.stderr?.destroy();
  try {
    return await child.waitForEnd();
  } finally {
    await child.stop();
  }
}

it('npm run of a command in a clone without packages prints one line that says how to install them', async () => {
  const clone = mkdtempSync(join(tmpdir(), 'guildrank-clone-'));
  try {
    for (const name of ['package.json', 'src/cli', 'scripts/dev'])
      cpSync(join(repository, name), join(clone, name), { recursive: true });
    expect(await runProgram('npm', ['run', '-s', 'keys', '--', 'list', '--guild', 'g'], { cwd: clone })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: the packages of this repository are not installed: run "npm ci" first\n',
    });
  } finally {
    rmSync(clone, { recursive: true });
  }
});

describe('the output of a command', () => {
  it('a command whose reader has gone ends as it would with a reader', async () => {
    expect(await withoutReaders([...BIN, 'seed', '--help'])).toEqual({ code: 0, signal: null });
    const { code, stdout, stderr } = await runProgram('sh', [
      '-c',
      `${process.execPath} ${BIN.join(' ')} seed --help | head -1`,
    ]);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: `Usage: guildrank seed [options]\n`,
      stderr: '',
    });
  });

  it('a command whose output cannot be written fails with an error', async () => {
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [...BIN, '--help'], { cwd: repository, stdio: ['ignore', full, 'pipe'] });
    let stderr = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const [code] = await once(child, 'close');
    closeSync(full);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^error: The output could not be written: ENOSPC.*\n$/),
    });
  });

  it('--version prints the version of the package, and serve has a usage', async () => {
    expect(await runProgram(process.execPath, [...BIN, '--version'])).toMatchObject({
      code: 0,
      stdout: `${VERSION}\n`,
    });
    const help = await runProgram(process.execPath, [...BIN, 'serve', '--help']);
    expect(help).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`Usage: guildrank serve [options]\n`),
    });
    const wrong = await runProgram(process.execPath, [...BIN, 'serve', '--prot', '1']);
    expect(wrong).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^error: unknown option '--prot'\n/),
    });
  });
});

describe('an import', needs('redis-server'), () => {
  let server: EmbeddedRedis;
  beforeAll(async () => {
    server = await startEmbeddedRedis();
  });
  afterAll(() => server.stop());

  it('an import goes on to its end when nobody reads its output any more', async () => {
    const rows = Array.from({ length: 20_000 }, (_, n) => `${n},${n % 50 === 0 ? 'x' : n}`).join('\n');
    const seed = startChild(process.execPath, [...BIN, 'seed', '--guild', 'g', '--file', '-'], {
      cwd: repository,
      env: { ...process.env, REDIS_URL: server.url },
      stdin: 'pipe',
    });
    seed.child.stdout?.destroy();
    seed.child.stderr?.destroy();
    seed.child.stdin?.end(`user_id,xp\n${rows}\n`);
    const client = new Redis(server.url);
    try {
      expect((await seed.waitForEnd()).code).toBe(3);
      expect(await client.zcard('gr:{g}:xp')).toBe(19_600);
    } finally {
      client.disconnect();
      await seed.stop();
    }
  });
});
