import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** Clock ticks a second in /proc, which Linux fixes at 100 for programs. */
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
  /** File descriptor for its standard output; left out = none. */
  readonly stdout?: number;
}

/**
 * Starts a server and waits until its port takes connections. Whatever ends this process ends it too.
 * @throws when it ends instead, or does not listen within 20 s.
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
  while (!(await takesConnections(port))) {
    if (hasEnded(child) || performance.now() > deadline) {
      await stop();
      throw new Error(`${command.join(' ')} did not start listening on port ${port}`);
    }
    await delay(50);
  }
  return { pid: child.pid as number, port, stop };
}

/** Processor seconds that a process has used, all its threads together; NaN where there is no /proc. */
export function cpuSeconds(pid: number): number {
  // The command name, in parentheses, may contain spaces; utime and stime are fields 14 and 15.
  const fields = readProc(pid, 'stat')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S;
}

/** Processor seconds that a hypervisor has kept from these cores (all without a list) while they had work; NaN where there is no /proc. */
export function stolenSeconds(cores?: readonly number[]): number {
  const lines = readProcFile('/proc/stat').split('\n');
  const wanted = cores ? cores.map((core) => `cpu${core}`) : ['cpu'];
  const stolen = lines.map((line) => line.split(/ +/)).filter(([name]) => wanted.includes(name as string));
  return stolen.length === 0 ? Number.NaN : stolen.reduce((sum, fields) => sum + Number(fields[8]), 0) / TICKS_PER_S;
}

/** Resident memory of a process in bytes; NaN where there is no /proc. */
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

async function takesConnections(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
