import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { until } from './until.ts';

/** How a process ended. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A child process of a test. It is ended with the test process, whatever ends that. */
export interface TestProcess {
  readonly child: ChildProcess;
  /** Everything it wrote so far to stdout and stderr. */
  output(): string;
  /** The log lines so far, parsed; what is no JSON line is left out. */
  lines(): readonly LogLine[];
  /** Waits for a log line. @throws with the output when the process ends, or 30 s pass, before one fits. */
  line(fits: (line: LogLine) => boolean): Promise<LogLine>;
  readonly ended: Promise<Ending>;
  /** Memory that the process holds, in bytes (Linux). */
  rss(): number;
  kill(signal?: NodeJS.Signals): void;
  /** Kills it, if it still runs, and waits for its end. */
  stop(): Promise<void>;
}

export type LogLine = Record<string, unknown>;

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Runs a TypeScript file of the project (or `-e` and code) in a process of its own, with only this environment. */
export function runScript(args: readonly string[], env: Record<string, string> = {}): TestProcess {
  const child = spawn(process.execPath, ['--import', 'tsx', ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return follow(child);
}

/** The service as it runs in production: src/main.ts (after `preload`, node options), on free loopback ports unless the environment says otherwise. */
export function spawnService(env: Record<string, string>, preload: readonly string[] = []): TestProcess {
  return runScript([...preload, 'src/main.ts'], {
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_PORT: '0',
    ...env,
  });
}

export interface ServiceProcess extends TestProcess {
  readonly url: string;
  readonly adminUrl: string | undefined;
}

/** Starts the service and waits until it serves. */
export async function startServiceProcess(env: Record<string, string>): Promise<ServiceProcess> {
  const service = spawnService(env, ['--import', './test/support/lag-probe.ts']);
  const { url, admin_url } = await service.line((line) => typeof line.url === 'string');
  return { ...service, url: url as string, adminUrl: admin_url as string | undefined };
}

/** Follows a child process. */
export function follow(child: ChildProcess): TestProcess {
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  let text = '';
  let rest = '';
  const lines: LogLine[] = [];
  const take = (chunk: string) => {
    text += chunk;
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) if (part.startsWith('{')) lines.push(JSON.parse(part) as LogLine);
  };
  child.stdout?.setEncoding('utf8').on('data', take);
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  let running = true;
  // "close" comes after "exit", when all output has been read.
  const ended = once(child, 'close').then(([code, signal]) => {
    process.off('exit', kill);
    running = false;
    return { code, signal } as Ending;
  });
  return {
    child,
    output: () => text,
    lines: () => lines,
    line: (fits) =>
      until(
        () => {
          const found = lines.find(fits);
          if (!found && !running) throw new Error(`The process ended without that line:\n${text}`);
          return found;
        },
        { what: () => `that log line in:\n${text}` },
      ),
    ended,
    rss: () => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) * 1024,
    kill: (signal = 'SIGTERM') => void child.kill(signal),
    stop: async () => {
      if (running) child.kill('SIGKILL');
      await ended;
    },
  };
}
