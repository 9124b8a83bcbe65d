import type { Command } from 'commander';
import { digits, withNoun } from '../core/format-numbers.ts';
import { countStored } from '../core/guilds/overview.ts';
import { type GuildOptions, requireId } from './arguments.ts';
import type { CommandContext } from './context.ts';
import { interruptible } from './interrupt.ts';
import { confirm, print } from './terminal.ts';
import { withGuild } from './with-core.ts';

interface Options extends GuildOptions {
  readonly archive: string;
  readonly dropMembers?: boolean;
  readonly yes?: boolean;
}

/** Defines `season reset`, which ends a season. */
export function defineSeason(command: Command, context: CommandContext): void {
  const subcommand = command
    .command('reset')
    .description(
      'Copy all members into an archive, then start them again at 0 XP. After an interruption, run the same command again',
    );
  requireId(subcommand, '--guild <id>', 'guild whose season ends');
  requireId(subcommand, '--archive <id>', 'guild id for the members of the season, such as 123.2026-s1')
    .option(
      '--drop-members',
      'remove the members instead of setting them to 0 XP. Members who gain XP meanwhile, and members hidden with the reason self or moderator, stay',
    )
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print JSON')
    .action((options: Options) => reset(context, options));
}

async function reset(
  context: CommandContext,
  { guild, archive, dropMembers = false, yes, json }: Options,
): Promise<void> {
  const then = dropMembers ? 'removes them' : 'starts them at 0 XP';
  const message = () => 'Interrupted: run the same command again to go on';
  const result = await interruptible(context, message, ({ signal }) =>
    withGuild(context, guild, async (core) => {
      if (!yes) {
        await confirm(
          context,
          guild,
          `This copies ${withNoun(await countStored(core, guild), 'member')} of guild ${guild} to ${archive}, and ${then}.`,
        );
      }
      return core.writer.resetSeason(guild, { archiveAs: archive, keepMembers: !dropMembers, signal });
    }),
  );
  const { archived, reset } = result;
  print(context, json, { guild, archive, ...result }, () =>
    archived + reset === 0
      ? `The season of guild ${guild} that was copied to ${archive} is already over: there was nothing to do.`
      : `The season of guild ${guild} is over: ${withNoun(archived, 'member')} copied to ${archive}, ${digits(reset)} reset.`,
  );
}
