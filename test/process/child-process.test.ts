import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type RunningChild, startChild } from '../../scripts/dev/child-process.ts';
import { jsonLines } from '../support/process.ts';
import { PATIENT } from '../support/wait.ts';

const folder = mkdtempSync(join(tmpdir(), 'guildrank-child-'));
beforeAll(async () => {
  const entryPoints = [new URL('../../scripts/dev/child-process.ts', import.meta.url).pathname];
  await build({ entryPoints, outfile: join(folder, 'child-process.mjs'), platform: 'node' });
});
afterAll(() => rmSync(folder, { recursive: true }));

let child: RunningChild | undefined;
afterEach(() => child?.stop());

const run = (code: string, options = {}): RunningChild => {
  child = startChild(process.execPath, ['--input-type=module', '-e', code], { cwd: folder, ...options });
  return child;
};
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('a child process', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'a child process ends with its parent when %s ends the parent',
    async (signal) => {
      const parent = run(`
      import { startChild } from './child-process.mjs';
      const { child } = startChild('sleep', ['300']);
      console.log('child', child.pid);
    `);
      const pid = await parent.waitForOutput('the pid', () => /child (\d+)\n/.exec(parent.stdout())?.[1]);
      expect(isAlive(Number(pid))).toBe(true);
      parent.kill(signal);
      expect((await parent.waitForEnd()).code).toBeGreaterThan(128);
      await vi.waitFor(() => expect(isAlive(Number(pid))).toBe(false), PATIENT);
    },
  );

  it('a child process keeps its streams apart, and keeps what it writes to file descriptor 3 out of both', async () => {
    const { stdout, stderr, sideOutput, waitForEnd } = run(
      "fs.writeSync(1, 'one'); fs.writeSync(2, 'two'); fs.writeSync(3, 'three'); process.exitCode = 7",
      { sideChannel: true },
    );
    expect(await waitForEnd()).toEqual({ code: 7, signal: null });
    expect([stdout(), stderr(), sideOutput()]).toEqual(['one', 'two', 'three']);
  });

  it('a child process that ends too early, or takes too long, fails a wait with its output', async () => {
    const ended = run("fs.writeSync(1, 'bye')");
    await expect(ended.waitForOutput('a greeting', () => false)).rejects.toThrow('ended before a greeting:\nbye');
    const slow = run("fs.writeSync(1, 'hm'); setInterval(() => {}, 1000)");
    await slow.waitForOutput('anything', () => slow.stdout() === 'hm');
    await expect(slow.waitForOutput('a greeting', () => false, 50)).rejects.toThrow('Waited 50 ms for a greeting:\nhm');
    await expect(slow.waitForEnd(50)).rejects.toThrow('Waited 50 ms for the end of the process:\nhm');
  });

  it('a child process that cannot be started says so', async () => {
    const missing = startChild('/no/such/program', []);
    await expect(missing.waitForOutput('a greeting', () => false)).rejects.toThrow(/ENOENT/);
    expect((await missing.waitForEnd()).code).toBeLessThan(0);
    await missing.stop();
  });
});

it('the reader of log lines skips mixed lines and waits for the rest of a line', () => {
  let text = '{"a":1}\n{"b":{"lag_ms":9}\n2}\nplain\n{"c":';
  const lines = jsonLines(() => text);
  expect(lines()).toEqual([{ a: 1 }]);
  text += '3}\n';
  expect(lines()).toEqual([{ a: 1 }, { c: 3 }]);
  expect(lines()).toHaveLength(2);
});
