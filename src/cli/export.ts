import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Command, Option } from 'commander';
import { count, digits } from '../count.ts';
import { isAbort, systemErrorOf } from '../errors.ts';
import { EXPORT_FORMATS, type ExportFormat, type ExportResult, exportText } from '../formats/export.ts';
import { requireGuild } from '../guild/overview/overview.ts';
import { requireId } from './arguments.ts';
import type { CommandContext } from './context.ts';
import { INTERRUPTED } from './exit-codes.ts';
import { Interrupt } from './interrupt.ts';
import { withServices } from './services.ts';
import { commandLine, PartialResult } from './terminal.ts';

interface Options {
  readonly guild: string;
  readonly format: ExportFormat;
}

const LEFT_OUT =
  'polaris has no room for more than XP and hidden members: names, explicit levels and claims were left out';

/** Defines `export`, which writes the members of a guild in a format that `seed` reads. */
export function defineExport(command: Command, context: CommandContext): void {
  requireId(command, '--guild <id>', 'guild to export')
    .addOption(new Option('--format <name>', 'format of the output').choices(EXPORT_FORMATS).default('csv'))
    .addHelpText('after', '\nThe last line, on stderr, says whether the members are those of one moment.')
    .action((options: Options) => run(context, options));
}

async function run(context: CommandContext, { guild, format }: Options): Promise<void> {
  const result: ExportResult = { members: 0, hidden: 0, revision: '', curve: undefined };
  const start = new Date();
  const interrupt = new Interrupt(context);
  const counted = () => `${count(result.members, 'member')}, ${digits(result.hidden)} of them hidden`;
  try {
    await withServices(context, async (services) => {
      await requireGuild(services, guild);
      const text = Readable.from(exportText(services.members.readAll(guild), format, result));
      return pipeline(text, context.stdout, { end: false, signal: interrupt.signal });
    });
  } catch (error) {
    if (isAbort(error)) throw new PartialResult(`Interrupted: the output ends after ${counted()}`, INTERRUPTED);
    // The output ended, or cannot be written, which ends the process with an error.
    if (systemErrorOf(error).syscall === 'write') return;
    throw error;
  } finally {
    interrupt.end();
  }
  const state =
    result.revision === undefined
      ? `it changed meanwhile, so each is of a moment from ${start.toISOString()} to ${new Date().toISOString()}`
      : `all of one moment, revision ${result.revision || 0}`;
  const lines = [`guild ${guild}: exported ${counted()}; ${state}`];
  if (format === 'polaris') lines.push(LEFT_OUT);
  if (result.curve)
    lines.push(`The file lacks the curve: load it with ${commandLine('seed', `--curve ${result.curve} ...`)}`);
  context.stderr.write(`${lines.join('\n')}\n`);
}
