import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Clock ticks a second in /proc, which is always 100 for programs on Linux. */
const TICKS_PER_S = 100;
const START_TIMEOUT_MS = 20_000;

/** A server process under test. */
export interface ServerProcess {
  readonly pid: number;
  readonly port: number;
  stop(): Promise<void>;
}

export interface ProcessPlan {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly port: number;
  /** File descriptor for its standard output; without it the output is dropped. */
  readonly stdout?: number;
}

/**
 * Starts a server and waits until it is ready. The server ends with this process at the latest.
 * @throws if it ends, or is not ready within 20 s.
 */
export async function startProcess({ command, env, port, stdout }: ProcessPlan): Promise<ServerProcess> {
  const [program, ...args] = command as [string, ...string[]];
  const child = spawn(program, args, {
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...env, PORT: String(port), HOST: '127.0.0.1' },
    stdio: ['ignore', stdout ?? 'ignore', 'inherit'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const stop = async (): Promise<void> => {
    process.off('exit', kill);
    if (hasEnded(child)) return;
    child.kill('SIGTERM');
    const timer = setTimeout(kill, 3000);
    await once(child, 'exit');
    clearTimeout(timer);
  };
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (!(await isReady(port))) {
    if (hasEnded(child) || performance.now() > deadline) {
      await stop();
      throw new Error(`${command.join(' ')} was not ready on port ${port}`);
    }
    await delay(50);
  }
  return { pid: child.pid as number, port, stop };
}

/** Returns the CPU seconds of a process, all its threads together; NaN without /proc. */
export function cpuSeconds(pid: number): number {
  // The command name, in parentheses, may contain spaces; utime and stime are fields 14 and 15.
  const fields = readProc(pid, 'stat')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S;
}

/** Returns the CPU seconds that a hypervisor took from these cores (all without a list) while they had work; NaN without /proc. */
export function stolenSeconds(cores?: readonly number[]): number {
  const lines = readProcFile('/proc/stat').split('\n');
  const wanted = cores ? cores.map((core) => `cpu${core}`) : ['cpu'];
  const stolen = lines.map((line) => line.split(/ +/)).filter(([name]) => wanted.includes(name as string));
  return stolen.length === 0 ? Number.NaN : stolen.reduce((sum, fields) => sum + Number(fields[8]), 0) / TICKS_PER_S;
}

/** Returns the resident memory of a process in bytes; NaN without /proc. */
export function residentBytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readProc(pid, 'status'))?.[1]) * 1024;
}

function readProc(pid: number, file: string): string {
  return readProcFile(`/proc/${pid}/${file}`);
}

function readProcFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** The service can listen before it has reached Redis, and then says 503. The other servers answer whatever they are asked. */
async function isReady(port: number): Promise<boolean> {
  try {
    const { status } = await fetch(`http://127.0.0.1:${port}/readyz`, { headers: { connection: 'close' } });
    return status !== 503;
  } catch {
    return false;
  }
}
