#!/usr/bin/env node
import { Command } from 'commander';
import { VERSION } from '../observability/build-info.ts';
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
import { BIN, run } from './terminal.ts';
import { widgetCommand } from './widget.ts';

/** The package's bin: `guildrank keys create ...` is `npm run -s keys -- create ...` in the repository. */
const bin = new Command(BIN).usage('<command> [options]').version(VERSION).helpCommand(false).exitOverride();
const guild = guildCommand();
const commands = [
  ...[serveCommand(), doctorCommand(), keysCommand(), guild, memberCommand(), seasonCommand()],
  ...[seedCommand(), exportCommand(), statsCommand(), widgetCommand()],
];
commands.push(dashboardCommand(guild));
for (const command of commands) bin.addCommand(command);
bin
  .addHelpText('after', `\n${BIN} <command> --help tells more. REDIS_URL says where Redis is.`)
  .on('command:*', ([name]: string[]) => {
    bin.error(`error: unknown command "${name}": one of ${commands.map((command) => command.name()).join(', ')}`);
  });

const args = process.argv.slice(2);
const asksForHelp = args.length === 0 || args[0] === 'help';
await run(bin, asksForHelp ? ['--help'] : args);
