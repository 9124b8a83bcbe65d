import { Command } from 'commander';
import { VERSION } from '../observability/build-info.ts';
import type { CommandContext } from './context.ts';
import { dashboardCommand } from './dashboard.ts';
import { doctorCommand } from './doctor.ts';
import { exportCommand } from './export.ts';
import { guildCommand } from './guild.ts';
import { keysCommand } from './keys.ts';
import { memberCommand } from './member.ts';
import { seasonCommand } from './season.ts';
import { seedCommand } from './seed.ts';
import { serveCommand } from './serve.ts';
import { statsCommand } from './stats.ts';
import { BIN, run, writeTo } from './terminal.ts';
import { widgetCommand } from './widget.ts';

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
    .exitOverride();
  const guild = guildCommand(context);
  const commands = [
    ...[serveCommand(context, startService), doctorCommand(context), keysCommand(context), guild],
    ...[memberCommand(context), seasonCommand(context), seedCommand(context), exportCommand(context)],
    ...[statsCommand(context), widgetCommand(context)],
  ];
  commands.push(dashboardCommand(context, guild));
  for (const command of commands) bin.addCommand(command);
  bin.addHelpText('after', `\n${BIN} <command> --help tells more. REDIS_URL says where Redis is.`);
  return run(context, bin, args[0] === 'help' ? ['--help'] : args);
}
