import { setFlagsFromString } from 'node:v8';
import { type Command, Option } from 'commander';
import { commandLine } from '../config/command-line.ts';
import { FORMAT_NAMES } from '../imports/formats.ts';
import { LEVEL_CHOICES } from '../imports/level-check.ts';
import { CURVES, FIELD_LIST, parseCurveText, parseFieldMap, parseMemberCount, requireId } from './arguments.ts';
import type { CommandContext } from './context.ts';
import type { SeedOptions } from './seed-options.ts';

const example = (args: string) => commandLine('seed', args);

const HELP = `
Examples:
  ${example('--guild 123456789012345678 --file members.csv')}
  ${example('--guild 123456789012345678 --file page-0.json page-1.json --dry-run')}
  ${example('--guild 123456789012345678 --file export.json --replace')}
  ${example('--guild 123456789012345678 --file members.csv.gz')}
  ${example('--guild demo --generate 100000')}

Exit codes:
  0    everything was imported
  1    seed failed; with --strict or --replace, also for a bad row, and --replace then replaced nothing
  2    the options or the environment are wrong
  3    bad rows were skipped and all other rows imported; or levels do not fit the curve; or another command holds the guild
  130  seed was interrupted: run the same command again. Without --replace, the members imported so far stay

seed sets XP and does not add it, so a second run changes nothing. docs/importing.md describes the formats.`;

/** Defines `seed`, which imports members into a guild from files, or generates them. */
export function defineSeed(command: Command, context: CommandContext): void {
  requireId(command, '--guild <id>', 'guild to import into')
    .option('--file <path...>', 'files to import, in order; - is standard input')
    .option('--generate <n>', 'import n made-up members instead', parseMemberCount)
    .option(
      '--random-seed <text>',
      'text that decides which members are made up; the same text gives the same members',
      '1',
    )
    .addOption(new Option('--format <name>', 'format of the files; detected if left out').choices(FORMAT_NAMES))
    .option(
      '--map <fields>',
      `which field of the files is which, such as xp=total_xp,name=tag. Left of = : ${FIELD_LIST}`,
      parseFieldMap,
    )
    .option('--source-guild <id>', 'guild whose members are imported, when the files have several')
    .option('--curve <curve>', `curve that gives the levels of the guild: ${CURVES}`, parseCurveText)
    .addOption(
      new Option(
        '--levels <from>',
        'what to do with levels that differ from the curve: curve = they follow XP; file = they stay, and XP does not change them',
      ).choices(LEVEL_CHOICES),
    )
    .option('--plan <name>', 'plan of the guild, one of PLAN_QUOTAS')
    .option('--replace', "replace the guild's members; readers never see an empty guild")
    .option('--rules', 'also store the rules that the files contain: XP of a message, multipliers, reward roles')
    .option('--refused <path>', 'write the bad rows into this CSV file, with their places and reasons')
    .option('--dry-run', 'write nothing and need no Redis; show a summary and the first ten members')
    .option('--strict', 'stop at the first bad row instead of skipping it')
    .option('--json', 'print the summary as JSON')
    .addHelpText('after', HELP)
    .action(async (options: SeedOptions) => {
      // V8 would let 60 MB of garbage of a large file pile up. This is the only setting against it that V8 accepts at run time.
      setFlagsFromString('--optimize-for-size');
      // Loaded only here, because the parsers of the formats would slow the start of all commands.
      const { seed } = await import('./seed-run.ts');
      await seed(context, options);
    });
}
