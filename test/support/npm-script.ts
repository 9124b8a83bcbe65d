import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeArguments } from './entry.ts';
import { type CommandResult, repository, runProgram } from './run-command.ts';

const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

/** Returns the arguments of Node that run the script `name` of package.json. */
export function scriptArguments(name: string): string[] {
  const [program, option, loader, ...args] = scripts[name]?.split(' ') ?? [];
  if (`${program} ${option} ${loader}` !== 'node --import tsx') {
    throw new Error(`The script ${name} does not run TypeScript: ${scripts[name]}`);
  }
  return nodeArguments(args);
}

/** Runs `npm run NAME -- ARGS` without npm's own lines around its output. `env` is added to the environment. */
export function runNpmScript(
  name: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<CommandResult> {
  return runProgram(process.execPath, [...scriptArguments(name), ...args], { env });
}
