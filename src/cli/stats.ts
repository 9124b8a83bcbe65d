import type { Command } from 'commander';
import { commandLine } from '../config/command-line.ts';
import type { Counters } from '../core/counters/counters.ts';
import { withNoun } from '../core/format-numbers.ts';
import { type GuildOptions, guildCommands } from './arguments.ts';
import type { CommandContext } from './context.ts';
import { FAILED } from './exit-codes.ts';
import { PartialResult, print } from './terminal.ts';
import { withGuild } from './with-core.ts';

/** Defines `stats check` and `stats rebuild`, which compare and correct the counters of a guild. */
export function defineStats(command: Command, context: CommandContext): void {
  const guildCommand = guildCommands(command);
  const subcommand = (name: string, description: string) =>
    guildCommand(name, description).option('--json', 'print JSON');

  subcommand('check', 'Compare the counters with the members, and exit with 1 if they differ').action(
    (options: GuildOptions) => check(context, options),
  );
  subcommand('rebuild', 'Recompute the counters from the members').action((options: GuildOptions) =>
    rebuild(context, options),
  );
}

async function check(context: CommandContext, { guild, json }: GuildOptions): Promise<void> {
  const { stored, actual, exact } = await withGuild(context, guild, ({ counters }) => counters.check(guild));
  print(context, json, { guild, exact, stored: toJson(stored), actual: toJson(actual) }, () =>
    exact
      ? `exact: ${describe(actual)}`
      : [`drift: the counters say ${describe(stored)}`, `       the members say  ${describe(actual)}`],
  );
  if (!exact) throw new PartialResult(`Repair it with: ${commandLine('stats', `rebuild --guild ${guild}`)}`, FAILED);
}

async function rebuild(context: CommandContext, { guild, json }: GuildOptions): Promise<void> {
  const { stored, actual, exact } = await withGuild(context, guild, ({ counters }) => counters.rebuild(guild));
  print(context, json, { guild, changed: !exact, before: toJson(stored), now: toJson(actual) }, () =>
    exact ? `already exact: ${describe(actual)}` : [`was: ${describe(stored)}`, `now: ${describe(actual)}`],
  );
}

function describe({ members, totalXp, levelSum, hidden, boards }: Counters): string {
  let text = `${withNoun(members, 'member')} with XP, total XP ${totalXp}, sum of levels ${levelSum}`;
  if (hidden > 0n) text += `, ${hidden} hidden`;
  for (const [name, board] of Object.entries(boards)) {
    text += `; ${name}: ${withNoun(board.members, 'member')}, XP ${board.totalXp}, sum of levels ${board.levelSum}`;
  }
  return text;
}

function toJson({ members, totalXp, levelSum, hidden, boards }: Counters) {
  const onBoards = Object.entries(boards).map(([name, board]) => {
    return [name, { members: board.members, total_xp: board.totalXp, level_sum: board.levelSum }];
  });
  return { members, total_xp: totalXp, level_sum: levelSum, hidden, boards: Object.fromEntries(onBoards) };
}
