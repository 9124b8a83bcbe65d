import { type Command, Option } from 'commander';
import type { Core } from '../core/core.ts';
import { digits, withNoun } from '../core/format-numbers.ts';
import { deleteGuild, type Removed } from '../core/guilds/delete.ts';
import { type Overview, readOverview } from '../core/guilds/overview.ts';
import type { GuildConfigChange } from '../core/settings/guild-config.ts';
import {
  CURVES,
  type GuildOptions,
  guildCommands,
  parseBoards,
  parseCurveText,
  parseOffset,
  parsePageTitle,
  parseSwitch,
  parseXpMultiplier,
  parseZone,
} from './arguments.ts';
import type { CommandContext } from './context.ts';
import { FAILED } from './exit-codes.ts';
import { listGuilds } from './guild-list.ts';
import { moveIn, moveOut } from './guild-move.ts';
import { defineRules } from './guild-rules.ts';
import { addPageLookOptions, gatherLook, lookLines, type PageLookOptions } from './page-look-options.ts';
import { confirm, PartialResult, print, UsageError } from './terminal.ts';
import { planQuotasOf, withCore, withGuild } from './with-core.ts';

interface RemoveOptions extends GuildOptions {
  readonly yes?: boolean;
}

/** Defines `guild set`, `show`, `list`, `export`, `delete` and others: the configuration and the data of a guild. */
export function defineGuild(command: Command, context: CommandContext): void {
  const subcommand = guildCommands(command);
  const settings = subcommand(
    'set',
    'Change the configuration. The service applies it at once. After a change of the curve, all levels are counted again',
  )
    .option('--plan <plan>', 'one of the plans in PLAN_QUOTAS, which sets the requests per hour')
    .option('--xp-curve <curve>', `how levels follow from XP: ${CURVES}`, parseCurveText)
    .option('--xp-multiplier <number>', 'multiplies the XP of each award, from 0 to 1000', parseXpMultiplier)
    .option(
      '--boards <list>',
      'rankings by the XP gained in the current period: week, month, week,month or none',
      parseBoards,
    )
    .addOption(
      new Option('--time-zone <name>', 'time zone by whose clock weeks and months begin, such as Europe/Berlin')
        .argParser(parseZone)
        .conflicts('utcOffsetMinutes'),
    )
    .option(
      '--utc-offset-minutes <number>',
      'fixed minutes from UTC, from -720 to 840, instead of a time zone',
      parseOffset,
    )
    .option(
      '--public-page <on|off>',
      'whether the leaderboard has a web page, if the service has PUBLIC_PAGES=1',
      parseSwitch,
    )
    .option(
      '--avatars <on|off>',
      'whether pages show the pictures of members, which come from cdn.discordapp.com',
      parseSwitch,
    )
    .option('--page-title <text>', 'title of the public page; empty = the guild id', parsePageTitle);
  addPageLookOptions(settings)
    .option('--json', 'print JSON')
    .action((options: GuildOptions & GuildConfigChange & PageLookOptions) => set(context, options));
  subcommand('show', 'Show the configuration, the counters, the number of API keys and the quota used')
    .option('--json', 'print JSON')
    .action((options: GuildOptions) => show(context, options));
  command
    .command('list')
    .description('List all guilds with plan, members, number of API keys and title of the public page')
    .option('--json', 'print JSON')
    .action((options: Pick<GuildOptions, 'json'>) => listGuilds(context, options));
  defineRules(subcommand('rules', 'Store, print or remove the rules for XP and rewards, which bots read'), context);
  subcommand(
    'export',
    'Write the whole guild to standard output, for "guild import" on another Redis, while the bot runs',
  )
    .option('--paused', 'do not wait for Enter, because the bot is already stopped')
    .action(({ guild, ...options }: GuildOptions & { readonly paused?: boolean }) => moveOut(context, guild, options));
  command
    .command('import')
    .description('Store the guild that "guild export" has written, from standard input')
    .option('--json', 'print JSON')
    .action((options: Pick<GuildOptions, 'json'>) => moveIn(context, options));
  subcommand('delete', 'Delete everything of a guild: members, counters, configuration, quota and API keys')
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print JSON')
    .action((options: RemoveOptions) => remove(context, options));
}

async function set(
  context: CommandContext,
  options: GuildOptions & GuildConfigChange & PageLookOptions,
): Promise<void> {
  const { guild, json, ...change } = gatherLook<GuildOptions & GuildConfigChange>(options);
  const overview = await withCore(context, async (core) => {
    const planQuotas = planQuotasOf(context, change.plan);
    if (Object.keys(change).length === 0)
      throw new UsageError(
        'Nothing to set: give --plan, --xp-curve, --xp-multiplier, --boards, --time-zone, --utc-offset-minutes, --public-page, --avatars, --page-title or another --page option',
      );
    await core.guildConfig.update(guild, change);
    await core.guildConfig.renewTimeZone(guild);
    return readOverview(core, planQuotas, guild);
  });
  print(context, json, overview, () => settingLines(overview));
}

async function show(context: CommandContext, { guild, json }: GuildOptions): Promise<void> {
  const overview = await withGuild(context, guild, async (core) => {
    await core.guildConfig.renewTimeZone(guild);
    return overviewOf(context, core, guild);
  });
  const { quota_used, requests_per_hour, quota_resets_in_s } = overview;
  const reset = quota_resets_in_s === null ? '' : `, resets in ${quota_resets_in_s} s`;
  print(context, json, overview, () => [
    ...settingLines(overview),
    `members        ${overview.ranked} ranked, ${overview.members} with XP`,
    `total XP       ${overview.total_xp}`,
    `average level  ${overview.average_level}`,
    `API keys       ${overview.keys}`,
    `quota used     ${quota_used} of ${requests_per_hour}${reset}`,
  ]);
}

async function remove(context: CommandContext, { guild, yes, json }: RemoveOptions): Promise<void> {
  const removed = await withCore(context, async (core) => {
    if (!yes) {
      const { ranked, keys } = await overviewOf(context, core, guild);
      await confirm(
        context,
        guild,
        `This deletes ${withNoun(ranked, 'member')} and ${withNoun(keys, 'API key')} of guild ${guild} for good.`,
      );
    }
    return deleteGuild(core, guild);
  });
  const { linksEnded, ...data } = removed;
  print(context, json, { guild, removed: data }, () => removedLine(guild, removed));
  if (!linksEnded)
    throw new PartialResult(
      `Redis is full, so a link to the dashboard of guild ${guild} that was made before still works until it expires: run this command again when Redis has room`,
      FAILED,
    );
}

function overviewOf(context: CommandContext, core: Core, guild: string): Promise<Overview> {
  return readOverview(core, planQuotasOf(context), guild);
}

function settingLines(overview: Overview): string[] {
  const { guild, plan, requests_per_hour, xp_curve, xp_multiplier, boards } = overview;
  const { time_zone, utc_offset_minutes, public_page, page_title, avatars } = overview;
  const clock = time_zone === null ? `at ${utc_offset_minutes} minutes from UTC` : `by the clock of ${time_zone}`;
  const shownBoards = boards.length > 0 ? `${boards.join(', ')}; ${clock}` : 'none';
  const shownPage = public_page ? `on, with the title ${page_title || guild}` : 'off';
  return [
    `guild          ${guild}`,
    `plan           ${plan}, ${withNoun(requests_per_hour, 'request')} an hour`,
    `XP curve       ${xp_curve}`,
    `XP multiplier  ${xp_multiplier}`,
    `boards         ${shownBoards}`,
    `public page    ${shownPage}`,
    `avatars        ${avatars ? 'shown' : 'not shown'}`,
    ...lookLines(overview),
  ];
}

function removedLine(guild: string, { members, staged, keys, config, counters, quota }: Removed): string {
  const rest = [config && 'configuration', counters && 'counters', quota && 'quota'].filter(Boolean);
  if (members + staged + keys + rest.length === 0) return `Nothing was stored for guild ${guild}.`;
  const counted = [
    withNoun(members, 'member'),
    `${digits(staged)} staged by an unfinished import`,
    withNoun(keys, 'API key'),
  ];
  return `Removed ${[...counted, ...rest].join(', ')}.`;
}
