/** The entries of the service and of its commands, with their place in the build. */
const ENTRIES: ReadonlyMap<string, string> = new Map([
  ['src/main.ts', 'dist/main.js'],
  ['src/cli/main.ts', 'dist/cli/main.js'],
]);

/**
 * Returns the arguments of Node that run `args`: options, a file of the repository, and its own arguments. With TEST_BUILD=1 the entries
 * run as `npm run build` has made them, which starts them in half the time; else TypeScript runs as it is.
 */
export function nodeArguments(args: readonly string[]): string[] {
  const run = process.env.TEST_BUILD === '1' ? args.map((arg) => ENTRIES.get(arg) ?? arg) : args;
  const isTypeScript = run.some((arg) => arg.endsWith('.ts') || arg === '-e');
  return isTypeScript ? ['--import', 'tsx', ...run] : [...run];
}

/** Returns what a person types to run a command: the commands name themselves so in their messages. */
export function commandLine(name: string): string {
  if (process.env.TEST_BUILD === '1') return `guildrank ${name}`;
  return name === 'serve' ? 'npm start --' : `npm run -s ${name} --`;
}
