import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startChild } from '../dev/child-process.ts';

/** Clock ticks a second in /proc, which is always 100 for programs on Linux. */
const TICKS_PER_S = 100;
const START_TIMEOUT_MS = 20_000;

/** A server process under test. */
export interface ServerProcess {
  readonly pid: number;
  readonly port: number;
  stop(): Promise<void>;
}

/** How a server is started. */
export interface ProcessPlan {
  readonly command: readonly string[];
  /** Its working folder; by default the working folder of this process. */
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly port: number;
}

/**
 * Starts a server and waits until it is ready. The server ends with this process at the latest.
 * @throws if it ends, or is not ready within 20 s.
 */
export async function startProcess({ command, cwd = '.', env, port }: ProcessPlan): Promise<ServerProcess> {
  const [program, ...args] = command as [string, ...string[]];
  // The servers run on the Node of this process, whichever is first on PATH.
  const path = `${dirname(process.execPath)}:${process.env.PATH}`;
  const { child, isRunning, stop } = startChild(program, args, {
    cwd,
    env: { PATH: path, NODE_ENV: 'production', ...env, PORT: String(port), HOST: '127.0.0.1' },
    stderr: 'inherit',
  });
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (!(await isReady(port))) {
    if (!isRunning() || performance.now() > deadline) {
      await stop();
      throw new Error(`${command.join(' ')} was not ready on port ${port}`);
    }
    await delay(50);
  }
  return { pid: child.pid as number, port, stop };
}

/** The service can listen before it has reached Redis, and then says 503. The other servers answer every request. */
async function isReady(port: number): Promise<boolean> {
  try {
    const { status } = await fetch(`http://127.0.0.1:${port}/readyz`, { headers: { connection: 'close' } });
    return status !== 503;
  } catch {
    return false;
  }
}

/** Returns the CPU seconds of a process, all its threads together; NaN without /proc. */
export function cpuSeconds(pid: number): number {
  try {
    // The command name, in parentheses, may contain spaces; utime and stime are fields 14 and 15.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S;
  } catch {
    return Number.NaN;
  }
}
