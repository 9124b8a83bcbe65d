import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { startChild } from '../../scripts/dev/child-process.ts';
import { until as waitUntil } from './until.ts';

/** How a command ended and what it wrote. */
export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The root folder of the repository. */
export const repository = fileURLToPath(new URL('../..', import.meta.url));

/** Installing packages is the slowest command of a test. */
const TIMEOUT_MS = 600_000;

/** Runs a program to its end; `env` is added to the environment of this process. @throws when it does not end within ten minutes. */
export async function runProgram(
  file: string,
  args: readonly string[],
  { env = {}, cwd = repository }: { env?: Readonly<Record<string, string>>; cwd?: string } = {},
): Promise<CommandResult> {
  const child = startChild(file, args, { cwd, env: { ...process.env, ...env } });
  try {
    const { code } = await child.waitForEnd(TIMEOUT_MS);
    return { code, stdout: child.stdout(), stderr: child.stderr() };
  } finally {
    await child.stop();
  }
}

/** Runs a command of the project to its end: `src/cli/NAME.ts ARGS`. */
export function runScript(name: string, args: readonly string[], env: Record<string, string>): Promise<CommandResult> {
  return runProgram(process.execPath, ['--import', 'tsx', `src/cli/${name}.ts`, ...args], { env });
}

/** Collects the text of a stream; the result returns the text so far. */
export function collect(stream: NonNullable<ChildProcess['stdout']>): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return () => text;
}

/** Waits until `condition` returns something true. @throws after a minute, naming `what`. */
export function until<T>(what: string, condition: () => T | Promise<T>): Promise<NonNullable<T>> {
  return waitUntil(condition, { what: () => what, timeoutMs: 60_000 });
}
