import { PassThrough, Writable } from 'node:stream';
import { expect, vi } from 'vitest';
import type { CommandContext } from '../../src/cli/context.ts';
import { runGuildrank } from '../../src/cli/guildrank.ts';
import type { CommandResult } from './run-command.ts';
import { PATIENT } from './wait.ts';

/** A stream that keeps what is written to it as text, and emits `written` with each piece. */
class Collector extends Writable {
  text = '';
  #reader: Writable | undefined;

  constructor(readonly isTTY: boolean) {
    super({
      decodeStrings: false,
      write: (chunk: string | Buffer, _encoding, done) => {
        this.text += chunk.toString();
        this.emit('written', chunk.toString());
        // A full pipe holds up its writer.
        if (!this.#reader || this.#reader.write(chunk)) done();
        else this.#reader.once('drain', done);
      },
    });
  }

  /** Gives all that is written on to the input of another command, as a pipe does. */
  forward(reader: Writable): void {
    this.#reader = reader;
  }
}

export interface ContextOptions {
  /** Whether the standard streams are a terminal. */
  readonly isTTY?: boolean;
  /** Added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds to wait for a Redis: those that never accept a connection need not be waited for. */
  readonly connectTimeoutMs?: number;
  /** Standard input, which then ends; without it, the test writes it. */
  readonly input?: string;
}

/** The context of a command that runs in the process of a test. */
export interface TestContext extends CommandContext {
  readonly stdin: PassThrough & { isTTY?: boolean };
  readonly stdout: Collector;
  readonly stderr: Collector;
  /** Asks the command to stop, as a signal does. */
  stop(signal?: string): void;
  /** Exit code with which the command ended its process at once. */
  exited: number | undefined;
}

export function testContext({
  isTTY = false,
  env = {},
  connectTimeoutMs = 30_000,
  input,
}: ContextOptions = {}): TestContext {
  const listeners = new Set<(signal: string) => void>();
  const stdin = Object.assign(new PassThrough(), { isTTY });
  if (input !== undefined) stdin.end(input);
  const stdout = new Collector(isTTY);
  const context: TestContext = {
    env: { ...process.env, ...env },
    stdin,
    stdout,
    stderr: new Collector(isTTY),
    onStop: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop: (signal = 'SIGINT') => {
      for (const listener of listeners) listener(signal);
    },
    connectTimeoutMs,
    exited: undefined,
    exit: (code) => {
      context.exited = code;
    },
    logLines: async () => ({
      write: (line) => void stdout.write(line),
      dropped: () => 0,
      onRecovered: () => {},
      flushSync: () => {},
    }),
  };
  return context;
}

/** A command that runs in the process of the test. */
export interface RunningCommand extends TestContext {
  readonly ended: Promise<CommandResult>;
  /** Waits until the command has written something that `pattern` matches. */
  waitForOutput(pattern: RegExp): Promise<unknown>;
}

/** Starts `guildrank NAME ARGS` in this process. */
export function startCommand(name: string, args: readonly string[], options: ContextOptions = {}): RunningCommand {
  const context = testContext(options);
  const serve = () => Promise.reject(new Error('a test starts the service by startService'));
  const ended = runGuildrank(context, [name, ...args], serve).then((code) => ({
    code,
    stdout: context.stdout.text,
    stderr: context.stderr.text,
  }));
  const output = () => context.stdout.text + context.stderr.text;
  return Object.assign(context, {
    ended,
    waitForOutput: (pattern: RegExp) => vi.waitFor(() => expect(output()).toMatch(pattern), PATIENT),
  });
}

/** Runs `guildrank NAME ARGS` in this process to its end, with an empty standard input. `env` is added to the environment. */
export function runCommand(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  options: ContextOptions = {},
): Promise<CommandResult> {
  return startCommand(name, args, { env, input: '', ...options }).ended;
}
