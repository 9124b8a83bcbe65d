import { Command } from 'commander';
import { BIN } from '../config/command-line.ts';
import { VERSION } from '../observability/build-info.ts';
import type { CommandContext } from './context.ts';
import { program, run, writeTo } from './terminal.ts';

/** A command as the help lists it. The options and the code of the command are loaded when it is called. */
interface Listed {
  readonly name: string;
  readonly description: string;
  define(command: Command, context: CommandContext, startService: () => Promise<unknown>): Promise<void>;
}

const COMMANDS: readonly Listed[] = [
  {
    name: 'serve',
    description: 'Start the service, with settings from the environment',
    define: async (command, _, startService) => {
      command.action(async () => {
        await startService();
        // The service ends the process itself, when it has drained.
        await new Promise(() => {});
      });
    },
  },
  {
    name: 'doctor',
    description: 'Check Redis before the service uses it, without changing anything',
    define: async (command, context) => (await import('./doctor/doctor.ts')).defineDoctor(command, context),
  },
  {
    name: 'keys',
    description: "Create, list, revoke and rotate a guild's API keys",
    define: async (command, context) => (await import('./keys.ts')).defineKeys(command, context),
  },
  {
    name: 'guild',
    description: "List guilds; set, show, move or delete a guild's configuration and data",
    define: async (command, context) => {
      (await import('./guild.ts')).defineGuild(command, context);
      (await import('./dashboard.ts')).defineDashboardAccess(command, context);
    },
  },
  {
    name: 'member',
    description: "Show, change, hide and remove a guild's members",
    define: async (command, context) => (await import('./member.ts')).defineMember(command, context),
  },
  {
    name: 'season',
    description: 'End a season of a guild',
    define: async (command, context) => (await import('./season.ts')).defineSeason(command, context),
  },
  {
    name: 'seed',
    description: 'Import members into a guild, from files or generated',
    define: async (command, context) => (await import('./seed.ts')).defineSeed(command, context),
  },
  {
    name: 'export',
    description: 'Write all members of a guild to standard output, in a format that seed reads',
    define: async (command, context) => (await import('./export.ts')).defineExport(command, context),
  },
  {
    name: 'stats',
    description: "Check or rebuild a guild's counters",
    define: async (command, context) => (await import('./stats.ts')).defineStats(command, context),
  },
  {
    name: 'widget',
    description: 'Print the address and the integrity hash of the widget of this version',
    define: async (command, context) => (await import('./widget.ts')).defineWidget(command, context),
  },
  {
    name: 'dashboard',
    description: 'Start the dashboard, with settings from the environment',
    define: async (command, context) => (await import('./dashboard.ts')).defineDashboard(command, context),
  },
];

/**
 * Runs the package's bin: `guildrank keys create ...` is `npm run -s keys -- create ...` in the repository.
 * @param startService starts the service, which then ends the process itself.
 * @returns the exit code.
 */
export async function runGuildrank(
  context: CommandContext,
  args: readonly string[],
  startService: () => Promise<unknown>,
): Promise<number> {
  const bin = writeTo(context, new Command(BIN))
    .usage('<command> [options]')
    .version(VERSION)
    .showHelpAfterError('(--help lists the commands)')
    .helpCommand(false)
    .exitOverride()
    .addHelpText(
      'after',
      `\n${BIN} <command> --help shows the options of a command. REDIS_URL is the address of Redis.`,
    );
  const asked = args[0] === 'help' ? helpOf(args.slice(1)) : args;
  for (const { name, description, define } of COMMANDS) {
    const command = program(context, name, description);
    if (name === asked[0]) await define(command, context, startService);
    bin.addCommand(command);
  }
  return run(context, bin, withoutHelpOfUnknown(bin, asked));
}

/** Returns the arguments that print the help of a command. They leave out its options, because the last option could take `--help` as its value. */
function helpOf(args: readonly string[]): string[] {
  const end = args.findIndex((arg) => arg.startsWith('-'));
  const names = args.slice(0, end < 0 ? args.length : end);
  return [...(names[0] === 'help' ? [] : names), '--help'];
}

/** Leaves out `--help` after a name that no command has, so that commander reports the unknown name. */
function withoutHelpOfUnknown(bin: Command, args: readonly string[]): readonly string[] {
  let command = bin;
  for (const name of args) {
    if (name.startsWith('-') || command.commands.length === 0) break;
    const named = command.commands.find((each) => each.name() === name);
    if (!named) return args.filter((arg) => arg !== '--help' && arg !== '-h');
    command = named;
  }
  return args;
}
