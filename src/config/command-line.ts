/** The name of the package's bin. */
export const BIN = 'guildrank';

/** Returns the text that starts a command: through npm in the repository, through the bin in the package. */
export function commandLine(name: string, args = ''): string {
  const isRepository = import.meta.url.endsWith('.ts');
  if (!isRepository) return args ? `${BIN} ${name} ${args}` : `${BIN} ${name}`;
  // Without -s, npm prints two lines of its own before the output.
  const start = name === 'serve' ? 'npm start' : `npm run -s ${name}`;
  return args ? `${start} -- ${args}` : start;
}
