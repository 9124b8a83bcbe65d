import { type Command, Option } from 'commander';
import { commandLine } from '../config/command-line.ts';
import { FORMAT_NAMES } from '../imports/formats.ts';
import { LEVEL_CHOICES } from '../imports/levels.ts';
import { CURVES, parseCurveText, parseMemberCount, requireId } from './arguments.ts';
import type { CommandContext } from './context.ts';
import type { SeedOptions } from './seed-run.ts';

const example = (args: string) => commandLine('seed', args);

const HELP = `
Examples:
  ${example('--guild 123456789012345678 --file members.csv')}
  ${example('--guild 123456789012345678 --file page-0.json page-1.json --dry-run')}
  ${example('--guild 123456789012345678 --file export.json --replace')}
  ${example('--guild 123456789012345678 --file members.csv.gz')}
  ${example('--guild demo --generate 100000')}

Exit codes:
  0    everything was loaded
  1    it failed, or --strict met a bad row, or --replace found one and replaced nothing
  2    the options or the environment are wrong
  3    bad rows were skipped, all others were loaded; or levels do not fit the curve; or another command holds the guild
  130  it was interrupted; run it again to load the rest

XP is set, not added: running it again changes nothing. The formats are described in docs/importing.md.`;

/** Defines `seed`, which loads members into a guild from files, or generates them. */
export function defineSeed(command: Command, context: CommandContext): void {
  requireId(command, '--guild <id>', 'guild to load into')
    .option('--file <path...>', 'files to load, in order; - is the standard input')
    .option('--generate <n>', 'load n made-up members instead', parseMemberCount)
    .option('--random-seed <text>', 'other made-up members; the same for the same text', '1')
    .addOption(new Option('--format <name>', 'format of the files (found out when left out)').choices(FORMAT_NAMES))
    .option('--curve <curve>', `curve by which the guild counts levels: ${CURVES}`, parseCurveText)
    .addOption(
      new Option(
        '--levels <from>',
        'levels that the curve does not give: curve = they follow XP; file = they stay, and XP does not move them',
      ).choices(LEVEL_CHOICES),
    )
    .option('--plan <name>', "the guild's plan, one of PLAN_QUOTAS")
    .option('--replace', "put them in the place of the guild's members; readers never see it empty")
    .option('--dry-run', 'write nothing, need no Redis; show a summary and the first ten')
    .option('--strict', 'stop at the first bad row instead of skipping it')
    .option('--json', 'print the summary as JSON')
    .addHelpText('after', HELP)
    .action(async (options: SeedOptions) => {
      // Loaded only here, because the parsers of the formats would slow the start of all commands.
      const { seed } = await import('./seed-run.ts');
      await seed(context, options);
    });
}
