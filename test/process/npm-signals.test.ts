import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type RunningChild, startChild } from '../../scripts/dev/child-process.ts';
import { startEmbeddedRedis } from '../../scripts/dev/embedded-redis.ts';
import { needs } from '../support/needs.ts';
import { LONG_REDIS_TIMEOUT } from '../support/process.ts';
import { repository } from '../support/run-command.ts';
import { PATIENT } from '../support/wait.ts';

/** In a process group of its own, so that a test that fails leaves nothing behind. A signal to `child` alone reaches npm only. */
function npm(args: readonly string[], cwd: string, env: Record<string, string> = {}): RunningChild {
  const child = startChild('npm', args, { cwd, env: { ...process.env, ...env }, detached: true });
  onTestFinished(child.stop);
  return child;
}

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Ends the service of a test that failed. */
const endLater = (pid: number) => onTestFinished(() => void (isAlive(pid) && process.kill(pid, 'SIGKILL')));

describe('SIGTERM to npm', () => {
  it('SIGTERM to npm ends the service that npm start runs, by the signal handler of the service', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'guildrank-npm-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
    mkdirSync(join(folder, 'dist'));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts: { start: scripts.start } }));
    const stopped = join(folder, 'stopped');
    // Stands for the service: only the way from npm to it counts here.
    writeFileSync(
      join(folder, 'dist/guildrank.cjs'),
      `setInterval(() => {}, 1000);
       process.on('SIGTERM', () => { require('fs').writeFileSync(${JSON.stringify(stopped)}, ''); process.exit(0); });
       console.log('pid ' + process.pid);`,
    );
    const child = npm(['start'], folder);
    const pid = Number(await child.waitForOutput('the service', () => /^pid (\d+)$/m.exec(child.stdout())?.[1]));
    endLater(pid);
    child.child.kill('SIGTERM');
    await child.waitForEnd();
    await vi.waitFor(() => expect(isAlive(pid), 'the service still runs').toBe(false), PATIENT);
    expect(readFileSync(stopped, 'utf8')).toBe('');
  });

  it('SIGTERM to npm ends the service that npm run dev watches', needs('redis-server'), async () => {
    const redis = await startEmbeddedRedis();
    onTestFinished(redis.stop);
    const address = { REDIS_URL: redis.url, HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0' };
    const env = { ...LONG_REDIS_TIMEOUT, ...address, NO_COLOR: '1' };
    const child = npm(['run', 'dev'], repository, env);
    const url = await child.waitForOutput('the service', () => /url: "(http:[^"]+)"/.exec(child.stdout())?.[1], 60_000);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    child.child.kill('SIGTERM');
    await child.waitForEnd();
    await vi.waitFor(() => expect(fetch(`${url}/livez`)).rejects.toThrow(), PATIENT);
  });
});
