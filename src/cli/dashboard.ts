import type { Command } from 'commander';
import { createInvite, INVITE_TTL_S, type Recipient } from '../core/access/invites.ts';
import { endSessions } from '../core/access/session-generation.ts';
import { requireGuild } from '../core/guilds/overview.ts';
import { type GuildOptions, guildCommands, parseId } from './arguments.ts';
import type { CommandContext } from './context.ts';
import { formatDuration } from './duration.ts';
import { print } from './terminal.ts';
import { withCore } from './with-core.ts';

/** Defines `dashboard`, which runs the dashboard until a signal ends the process. */
export function defineDashboard(command: Command, context: CommandContext): void {
  command
    .option('--operator-link', 'print a link that signs in as the operator, once, instead of starting the dashboard')
    .option('--json', 'print the link as JSON')
    .action(async ({ operatorLink, json }: { readonly operatorLink?: boolean; readonly json?: boolean }) => {
      if (operatorLink) return printLink(context, { guildId: null, userId: '' }, json);
      // Loaded only here: the other commands need neither Express nor its start-up time.
      const { runDashboard } = await import('../dashboard/main.ts');
      await runDashboard(context);
    });
}

/** Adds `invite` and `sign-out` to the command `guild`. */
export function defineDashboardAccess(guild: Command, context: CommandContext): void {
  const subcommand = guildCommands(guild);
  subcommand('invite', 'Print a link that signs one person in to the dashboard of the guild. The link works once')
    .option('--user <id>', 'id of the person who gets the link, shown in the audit log', parseId, '')
    .option('--json', 'print JSON')
    .action(({ guild: guildId, user: userId, json }: GuildOptions & { readonly user: string }) =>
      printLink(context, { guildId, userId }, json),
    );
  subcommand('sign-out', 'Sign all owners of the guild out of the dashboard, and end the links that nobody has used')
    .option('--json', 'print JSON')
    .action(async ({ guild, json }: GuildOptions) => {
      await withCore(context, async (core) => {
        const { client, redisKeys } = core;
        // No check that the guild exists: a guild without data can have owners already.
        if ((await client.exists(redisKeys.guild(guild).sessions)) === 0) await requireGuild(core, guild);
        await endSessions(core, guild);
      });
      print(context, json, { guild }, () => [`signed out all owners of guild ${guild}`]);
    });
}

async function printLink(context: CommandContext, recipient: Recipient, json: boolean | undefined): Promise<void> {
  const { parseDashboardConfig } = await import('../config/dashboard.ts');
  const { dashboardUrl } = parseDashboardConfig(context.env);
  const url = await withCore(context, (core) => createInvite(core, dashboardUrl, recipient));
  const time = formatDuration(INVITE_TTL_S).replace(' 0 s', '');
  print(context, json, { url, expires_in_s: INVITE_TTL_S }, () => [url, `The link signs in once, within ${time}.`]);
}
