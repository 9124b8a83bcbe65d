#!/usr/bin/env node
/** The package's command: `guildrank keys create ...` runs what `npm run keys -- create ...` runs in the repository. */

const COMMANDS: Readonly<Record<string, readonly [module: string, description: string]>> = {
  serve: ['../main', 'start the service; settings come from the environment'],
  keys: ['./keys', "create, list, revoke and rotate a guild's API keys"],
  guild: ['./guild', "set, show or delete a guild's configuration and data"],
  seed: ['./seed', 'load XP data from a file'],
  stats: ['./stats', "check or rebuild a guild's counters"],
};

const [name = '--help', ...rest] = process.argv.slice(2);
const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
if (command) {
  // Each command reads its arguments from the place where its own name is not; the service's workers need theirs kept.
  if (name !== 'serve') process.argv.splice(2, Number.POSITIVE_INFINITY, ...rest);
  const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
  await import(new URL(command[0] + extension, import.meta.url).href);
} else if (name === '--help' || name === '-h' || name === 'help') {
  const lines = Object.entries(COMMANDS).map(([each, [, description]]) => `  ${each.padEnd(6)} ${description}`);
  process.stdout.write(`Usage: guildrank <command> [options]\n\nCommands:\n${lines.join('\n')}\n\n`);
  process.stdout.write('guildrank <command> --help tells more. REDIS_URL says where Redis is.\n');
} else {
  process.stderr.write(`error: unknown command "${name}": one of ${Object.keys(COMMANDS).join(', ')}\n`);
  process.exitCode = 1;
}
