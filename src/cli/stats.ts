import type { Counters } from '../leaderboard/counters.ts';
import { withStore } from './store.ts';
import { commandLine, id, PartialResult, print, program, run } from './terminal.ts';

/** `stats check` compares a guild's counters with its members; `stats rebuild` makes them say what the members say. */
const command = program('stats', "Check or rebuild a guild's counters");

command
  .command('check')
  .description('Compare the counters with the members; exit 1 when they differ')
  .argument('<guild>', 'guild id', id)
  .option('--json', 'print JSON')
  .action(async (guild: string, { json }: { json?: boolean }) => {
    const { stored, actual, exact } = await withStore(({ audit }) => audit.check(guild));
    print(json, { guild, exact, stored: fields(stored), actual: fields(actual) }, () =>
      exact
        ? `exact: ${describe(actual)}`
        : [`drift: the counters say ${describe(stored)}`, `       the members say  ${describe(actual)}`],
    );
    if (!exact) throw new PartialResult(`Repair it with: ${commandLine('stats')} rebuild ${guild}`, 1);
  });

command
  .command('rebuild')
  .description('Recompute the counters from the members')
  .argument('<guild>', 'guild id', id)
  .option('--json', 'print JSON')
  .action(async (guild: string, { json }: { json?: boolean }) => {
    const { stored, actual, exact } = await withStore(({ audit }) => audit.rebuild(guild));
    print(json, { guild, changed: !exact, before: fields(stored), now: fields(actual) }, () =>
      exact ? `already exact: ${describe(actual)}` : [`was: ${describe(stored)}`, `now: ${describe(actual)}`],
    );
  });

await run(command);

function describe({ members, totalXp, levelSum }: Counters): string {
  return `${members} members with XP, total XP ${totalXp}, sum of levels ${levelSum}`;
}

function fields({ members, totalXp, levelSum }: Counters) {
  return { members, total_xp: totalXp, level_sum: levelSum };
}
