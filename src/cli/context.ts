import type { Readable, Writable } from 'node:stream';
import type { LogLines } from '../observability/logger.ts';

/** A stream that may be a terminal. */
export type Output = Writable & { readonly isTTY?: boolean };

/** All that a command takes from its process and gives to it. A test hands in its own. */
export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  /** Calls `listener` at each Ctrl-C (SIGINT), SIGTERM and SIGHUP, which otherwise end the process. @returns a function that removes the listener. */
  onStop(listener: (signal: string) => void): () => void;
  /** Ends the process at once. */
  exit(code: number): void;
  /** Milliseconds to wait for Redis to accept the connection. */
  readonly connectTimeoutMs: number;
  /** Returns standard output as a destination of log lines. */
  logLines(): Promise<LogLines>;
}

const CONNECT_TIMEOUT_MS = 5000;
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Returns the context of the commands of a process. */
export function contextOf(host: NodeJS.Process): CommandContext {
  const { env, stdout, stderr } = host;
  return {
    env,
    // Node opens standard input at its first use, and few commands read from it.
    get stdin() {
      return host.stdin;
    },
    stdout,
    stderr,
    onStop(listener) {
      for (const signal of STOP_SIGNALS) host.on(signal, listener);
      return () => {
        for (const signal of STOP_SIGNALS) host.off(signal, listener);
      };
    },
    exit: (code) => host.exit(code),
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    // Loaded only when it is called, because few commands log.
    logLines: async () => (await import('../observability/logger.ts')).logLinesTo(stdout),
  };
}
