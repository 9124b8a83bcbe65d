import type { Command } from 'commander';
import { createInvite, INVITE_TTL_S } from '../access/invites.ts';
import { formatDuration } from './duration.ts';
import { withServices } from './services.ts';
import { print, program } from './terminal.ts';

interface Options {
  readonly operatorLink?: boolean;
  readonly json?: boolean;
}

/** Returns `dashboard`: the dashboard, until a signal ends the process; or a link to it for the operator. */
export function dashboardCommand(): Command {
  return program('dashboard', 'Start the dashboard; settings come from the environment')
    .option('--operator-link', 'print a link that signs in as the operator, and end')
    .option('--json', 'print the link as JSON')
    .action(async ({ operatorLink, json }: Options) => {
      // Loaded only here: the other commands need neither Express nor its start-up time.
      if (!operatorLink) return (await import('../dashboard/main.ts')).runDashboard(process.env);
      const { parseDashboardConfig } = await import('../dashboard/config.ts');
      const { dashboardUrl } = parseDashboardConfig(process.env);
      const grant = { guildId: null, userId: '' };
      const url = await withServices(({ scripts, redisKeys }) => createInvite(scripts, redisKeys, dashboardUrl, grant));
      print(json, { url, expires_in_s: INVITE_TTL_S }, () => [
        url,
        `It signs in once, within ${formatDuration(INVITE_TTL_S)}.`,
      ]);
    });
}
