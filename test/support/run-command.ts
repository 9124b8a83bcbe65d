import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { until as waitUntil } from './until.ts';

/** How a command ended and what it said. */
export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export const repository = fileURLToPath(new URL('../..', import.meta.url));

/** Runs a program to its end; `env` is added to this process's own. */
export async function runProgram(
  file: string,
  args: readonly string[],
  { env = {}, cwd = repository }: { env?: Readonly<Record<string, string>>; cwd?: string } = {},
): Promise<CommandResult> {
  const child = spawn(file, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const texts = [collect(child.stdout), collect(child.stderr)] as const;
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout: texts[0](), stderr: texts[1]() };
}

/** Runs `npm run NAME -- ARGS` the way npm does, without npm's own lines around it. */
export function runScript(name: string, args: readonly string[], env: Record<string, string>): Promise<CommandResult> {
  return runProgram(process.execPath, ['--import', 'tsx', `src/cli/${name}.ts`, ...args], { env });
}

/** Collects a stream's text; call the result for what came so far. */
export function collect(stream: NonNullable<ChildProcess['stdout']>): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  return () => text;
}

/** Waits until `condition` gives something. @throws after a minute, naming what was waited for. */
export function until<T>(what: string, condition: () => T | Promise<T>): Promise<NonNullable<T>> {
  return waitUntil(condition, { what: () => what, timeoutMs: 60_000 });
}
