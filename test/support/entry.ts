import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

const BUNDLE = 'dist/guildrank.cjs';
/** The entries of the service and of its commands. Tests that need a process run them as `npm run build` has made them. */
const BUILT: ReadonlyMap<string, readonly string[]> = new Map([
  ['src/service/main.ts', [BUNDLE, 'serve']],
  ['src/cli/main.ts', [BUNDLE]],
]);

/** Returns the arguments of Node that run `args`: options, a file of the repository, and its own arguments. */
export function nodeArguments(args: readonly string[]): string[] {
  const run = args.flatMap((arg) => BUILT.get(arg) ?? [arg]);
  const isTypeScript = run.some((arg) => arg.endsWith('.ts') || arg === '-e');
  return isTypeScript ? ['--import', 'tsx', ...run] : [...run];
}

/** Builds the program before a run of the tests that start it, if its sources are newer: Vitest calls it. */
export function setup(): void {
  const built = statSync(join(root, BUNDLE), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).map((name) =>
    join('src', name),
  );
  // The build writes the folders `dist` itself, and so does the first tier, which changes the time of the folder around.
  const read = ['package.json', ...sources.filter((name) => !/^src.(?:kit|widget)(?:.dist.*)?$/.test(name))];
  if (read.every((name) => statSync(join(root, name)).mtimeMs <= built)) return;
  const { status } = spawnSync('npm', ['run', 'build'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error('The build failed: run "npm run build" to see why');
}
