import { InvalidArgumentError, Option } from 'commander';
import { parseConfig } from '../config.ts';
import { InvalidInputError } from '../errors.ts';
import { deleteGuild } from '../guilds/delete.ts';
import { type Overview, readOverview } from '../guilds/overview.ts';
import { CURVE_NAMES, type CurveName } from '../leaderboard/curves.ts';
import { type Store, withStore } from './store.ts';
import { confirm, id, print, program, run } from './terminal.ts';

/** `guild set`, `show` and `delete`: what a guild is configured to, what is stored of it, and its end. */
const command = program('guild', "Set, show or delete a guild's configuration and data");

interface Settings {
  readonly plan?: string;
  readonly xpCurve?: CurveName;
  readonly xpMultiplier?: number;
  readonly json?: boolean;
}

command
  .command('set')
  .description('Change the configuration; a new curve recounts the levels. The service follows at once')
  .argument('<guild>', 'guild id', id)
  .option('--plan <plan>', 'one of the plans in PLAN_QUOTAS; sets the requests per hour')
  .addOption(new Option('--xp-curve <name>', 'how levels follow from XP').choices(CURVE_NAMES))
  .option('--xp-multiplier <number>', 'shown by the stats operation, from 0 to 1000', multiplier)
  .option('--json', 'print JSON')
  .action(async (guild: string, { json, ...change }: Settings) => {
    const overview = await withStore(async (store) => {
      if (change.plan !== undefined && !store.plans.includes(change.plan)) {
        const known = store.plans.join(', ');
        throw new InvalidInputError(`Unknown plan "${change.plan}": choose one of ${known}, or add it to PLAN_QUOTAS`);
      }
      await store.audit.configure(guild, change);
      await store.apiKeys.publishInvalidation(guild);
      return overviewOf(store, guild);
    });
    print(json, overview, () => settingsOf(overview));
  });

command
  .command('show')
  .description('Show configuration, counters, number of keys and the quota used')
  .argument('<guild>', 'guild id', id)
  .option('--json', 'print JSON')
  .action(async (guild: string, { json }: { json?: boolean }) => {
    const overview = await withStore((store) => overviewOf(store, guild));
    print(json, overview, () => [
      ...(overview.exists ? [] : [`Nothing is stored of guild ${guild}; these are the defaults.`]),
      ...settingsOf(overview),
      `members        ${overview.ranked} ranked, ${overview.members} with XP`,
      `total XP       ${overview.total_xp}`,
      `average level  ${overview.average_level}`,
      `API keys       ${overview.keys}`,
      `quota used     ${overview.quota_used} of ${overview.requests_per_hour}${
        overview.quota_resets_in_s === null ? '' : `, starts anew in ${overview.quota_resets_in_s} s`
      }`,
    ]);
  });

command
  .command('delete')
  .description('Delete all of a guild: members, counters, configuration, quota and API keys')
  .argument('<guild>', 'guild id', id)
  .option('--yes', 'do not ask')
  .option('--json', 'print JSON')
  .action(async (guild: string, { yes, json }: { yes?: boolean; json?: boolean }) => {
    const removed = await withStore(async (store) => {
      if (!yes) {
        const { ranked, keys } = await overviewOf(store, guild);
        await confirm(guild, `This deletes ${ranked} members and ${keys} API keys of guild ${guild} for good.`);
      }
      return deleteGuild(store, guild);
    });
    print(json, { guild, removed }, () => {
      const { members, staged, keys, config, counters, quota } = removed;
      const rest = [config && 'configuration', counters && 'counters', quota && 'quota'].filter(Boolean).join(', ');
      const counted = `${members} members, ${staged} staged by an unfinished import, ${keys} API keys`;
      const nothing = members + staged + keys === 0 && rest === '';
      return nothing ? `Nothing was stored of guild ${guild}.` : `Removed ${counted}${rest && `, ${rest}`}.`;
    });
  });

await run(command);

function overviewOf(store: Store, guild: string): Promise<Overview> {
  return readOverview(store, parseConfig(process.env).planQuotas, guild);
}

function settingsOf({ guild, plan, requests_per_hour, xp_curve, xp_multiplier }: Overview): string[] {
  return [
    `guild          ${guild}`,
    `plan           ${plan}, ${requests_per_hour} requests an hour`,
    `XP curve       ${xp_curve}`,
    `XP multiplier  ${xp_multiplier}`,
  ];
}

function multiplier(text: string): number {
  const n = /^\d{1,4}(\.\d{1,10})?$/.test(text) ? Number(text) : Number.NaN;
  if (!(n <= 1000)) throw new InvalidArgumentError('It must be a number from 0 to 1000, such as 1.5.');
  return n;
}
