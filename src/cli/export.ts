import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Command, Option } from 'commander';
import { commandLine } from '../config/command-line.ts';
import { systemErrorOf } from '../core/errors.ts';
import { digits, withNoun } from '../core/format-numbers.ts';
import type { RankingId } from '../core/ranking/model.ts';
import { EXPORT_FORMATS, type ExportFormat, type ExportResult, exportText } from '../imports/export.ts';
import { BOARD_FORMATS, type BoardFormat, exportBoardText, requireBoard } from '../imports/export-board.ts';
import { parseRanking, requireId } from './arguments.ts';
import type { CommandContext } from './context.ts';
import { interruptible } from './interrupt.ts';
import { UsageError } from './terminal.ts';
import { withGuild } from './with-core.ts';

interface Options {
  readonly guild: RankingId;
  readonly format: ExportFormat;
}

const LEFT_OUT = 'polaris has room only for XP and hidden members: names, explicit levels and claims were left out';

/** Defines `export`, which writes the members of a guild in a format that `seed` reads, or the members of a board with the XP that they gained. */
export function defineExport(command: Command, context: CommandContext): void {
  requireId(command, '--guild <id>', 'guild to export, or a board of the guild, such as 123~week', parseRanking)
    .addOption(new Option('--format <name>', 'format of the output').choices(EXPORT_FORMATS).default('csv'))
    .addHelpText('after', '\nThe first line on stderr says whether all members are from the same moment.')
    .action((options: Options) => run(context, options));
}

async function run(context: CommandContext, { guild: ranking, format }: Options): Promise<void> {
  const { guildId, board } = ranking;
  if (board && format === 'polaris')
    throw new UsageError(`polaris has no room for the XP of a board: use --format ${BOARD_FORMATS.join(' or ')}`);
  const result: ExportResult = { members: 0, hidden: 0, revision: '', curve: undefined };
  const start = new Date();
  const hidden = () => (board ? '' : `, ${digits(result.hidden)} of them hidden`);
  const counted = () => `${withNoun(result.members, 'member')}${hidden()}`;
  const message = () => `Interrupted: the output ends after ${counted()}`;
  try {
    await interruptible(context, message, ({ signal }) =>
      withGuild(context, guildId, async (core) => {
        if (board) await requireBoard(core, guildId, board);
        const text = board
          ? exportBoardText(core, ranking, format as BoardFormat, result)
          : exportText(core.members.readAll(guildId), format, result);
        return pipeline(Readable.from(text), context.stdout, { end: false, signal });
      }),
    );
  } catch (error) {
    // `run` reports an error of the output, and a reader that went away is no error.
    if (systemErrorOf(error).syscall === 'write') return;
    throw error;
  }
  const state =
    result.revision === undefined
      ? `it changed meanwhile, so each member is from some moment between ${start.toISOString()} and ${new Date().toISOString()}`
      : `all from the same moment, revision ${result.revision || 0}`;
  const source = board ? `board ${guildId}~${board}` : `guild ${guildId}`;
  const lines = [`${source}: exported ${counted()}; ${state}`];
  if (format === 'polaris') lines.push(LEFT_OUT);
  if (result.curve)
    lines.push(
      `The file does not contain the curve: import the file with ${commandLine('seed', `--curve ${result.curve} ...`)}`,
    );
  context.stderr.write(`${lines.join('\n')}\n`);
}
