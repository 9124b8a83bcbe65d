import { fileURLToPath } from 'node:url';
import { startChild } from '../../scripts/dev/child-process.ts';

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
