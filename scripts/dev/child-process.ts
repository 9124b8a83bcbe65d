import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';

/** How a process ended. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** How a child process is started. */
export interface ChildOptions {
  readonly cwd?: string;
  /** The whole environment of the child; by default, the environment of this process. */
  readonly env?: NodeJS.ProcessEnv;
  /** Starts the child in a process group of its own, which Ctrl-C in a terminal does not reach. Signals go to the whole group. */
  readonly detached?: boolean;
  /** Standard input: none by default, or a pipe to write to. */
  readonly stdin?: 'ignore' | 'pipe';
  /** Standard error: collected by default, or the standard error of this process. */
  readonly stderr?: 'pipe' | 'inherit';
  /** Whether the child gets a further pipe as file descriptor 3, whose text is `sideOutput()`. */
  readonly sideChannel?: boolean;
}

/** A child process that never outlives this process, unless SIGKILL ends this process. */
export interface RunningChild {
  readonly child: ChildProcess;
  /** Everything that the child wrote so far: to stdout, to stderr, to stdout and stderr in order of arrival, to file descriptor 3. */
  stdout(): string;
  stderr(): string;
  output(): string;
  sideOutput(): string;
  isRunning(): boolean;
  /**
   * Waits until `find` returns something true. `find` is called now and after each piece of output.
   * @param what names the condition in the error.
   * @throws with the output, when the process ends or `timeoutMs` (30 s) pass before.
   */
  waitForOutput<T>(what: string, find: () => T, timeoutMs?: number): Promise<NonNullable<T>>;
  /** Settles when the process has ended and all its output is read. Has no deadline of its own. */
  readonly ended: Promise<ProcessEnd>;
  /** The same with a deadline. @throws with the output, when `timeoutMs` (30 s) pass before. */
  waitForEnd(timeoutMs?: number): Promise<ProcessEnd>;
  /** Sends a signal, SIGTERM by default; nothing happens once the process has ended. */
  kill(signal?: NodeJS.Signals): void;
  /** Kills the process if it still runs, and waits for its end. */
  stop(): Promise<void>;
}

const TIMEOUT_MS = 30_000;

/** Starts a child process. A program that cannot be started ends with a negative code and says why in `stderr()`. */
export function startChild(program: string, args: readonly string[], options: ChildOptions = {}): RunningChild {
  const { cwd, env = process.env, detached = false, stdin = 'ignore', stderr = 'pipe', sideChannel = false } = options;
  const child = spawn(program, args, {
    ...(cwd === undefined ? {} : { cwd }),
    env,
    detached,
    stdio: [stdin, 'pipe', stderr, ...(sideChannel ? (['pipe'] as const) : [])],
  });
  const texts = { stdout: '', stderr: '', output: '', side: '' };
  let running = true;
  const watchers = new Set<() => void>();
  const notify = () => {
    for (const watcher of watchers) watcher();
  };
  const append = (text: string, ...names: (keyof typeof texts)[]) => {
    for (const name of names) texts[name] += text;
    notify();
  };
  const collect = (stream: unknown, ...names: (keyof typeof texts)[]) =>
    (stream as Readable | null | undefined)?.setEncoding('utf8').on('data', (text: string) => append(text, ...names));
  collect(child.stdout, 'stdout', 'output');
  collect(child.stderr, 'stderr', 'output');
  collect(child.stdio[3], 'side');
  child.on('error', ({ message }) => append(`${message}\n`, 'stderr', 'output'));

  const kill = (signal: NodeJS.Signals = 'SIGTERM') => {
    if (!running || child.pid === undefined) return;
    try {
      if (detached) process.kill(-child.pid, signal);
      else child.kill(signal);
    } catch {
      // The group is gone already.
    }
  };
  const killNow = () => kill('SIGKILL');
  endWithThisProcess.add(killNow);
  // "close" comes after "exit", when all output has been read.
  const ended = new Promise<ProcessEnd>((resolve) => {
    child.once('close', (code, signal) => {
      endWithThisProcess.delete(killNow);
      running = false;
      resolve({ code, signal });
      notify();
    });
  });

  const wait = <T>(what: string, find: () => T, timeoutMs: number): Promise<NonNullable<T>> =>
    new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        watchers.delete(look);
        clearTimeout(timer);
        act();
      };
      const fail = (text: string) => settle(() => reject(new Error(`${text} ${what}:\n${texts.output}`)));
      const look = () => {
        try {
          const found = find();
          if (found) settle(() => resolve(found));
          else if (!running) fail('The process ended before');
        } catch (error) {
          settle(() => reject(error));
        }
      };
      const timer = setTimeout(() => fail(`Waited ${timeoutMs} ms for`), timeoutMs);
      watchers.add(look);
      look();
    });

  return {
    child,
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    output: () => texts.output,
    sideOutput: () => texts.side,
    isRunning: () => running,
    waitForOutput: (what, find, timeoutMs = TIMEOUT_MS) => wait(what, find, timeoutMs),
    ended,
    waitForEnd: async (timeoutMs = TIMEOUT_MS) => {
      await wait('the end of the process', () => !running, timeoutMs);
      return ended;
    },
    kill,
    stop: async () => {
      killNow();
      await wait('the end of the killed process', () => !running, TIMEOUT_MS);
    },
  };
}

/** Kills every child that still runs. */
const endWithThisProcess = new Set<() => void>();

process.once('exit', () => {
  for (const kill of endWithThisProcess) kill();
});
// A signal that nobody handles ends a process without its "exit" event. The test runner ends its workers so.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal]);
  });
}
