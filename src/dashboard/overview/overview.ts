import { readUsage } from '../../core/access/usage-reader.ts';
import { type Overview, readOverview } from '../../core/guilds/overview.ts';
import { PageRead } from '../../core/reads/reader.ts';
import type { GuildPage } from '../guild-page.ts';
import { guildOf } from '../visit.ts';
import { requestCharts } from './request-charts.ts';

const TOP = 10;

/** The first steps, plan, quota, counters and the first members of the ranking. */
export const overviewPage: GuildPage = {
  path: '',
  label: 'Overview',
  addTo(router, parts) {
    router.get('/', async (_req, res) => {
      const guildId = guildOf(res);
      await parts.guildConfig.renewTimeZone(guildId);
      const [overview, { value: top }, usage] = await Promise.all([
        readOverview(parts, parts.planQuotas, guildId),
        parts.commands.read(new PageRead(guildId, 1, TOP)),
        readUsage(parts, guildId, parts.now()),
      ]);
      const steps = firstSteps(overview, parts.publicPages, usage.isUsed || usage.publicUse.data.week > 0);
      const charts = requestCharts(usage);
      parts.views.send(res, 'overview', {
        title: 'Overview',
        overview,
        steps,
        top: top.data,
        charts,
        publicUse: usage.publicUse,
      });
    });
  },
};

/** Returns the first steps of a new guild; none when all are done. @param isUsed whether a widget or a program has asked for data. */
function firstSteps(overview: Overview, hasPublicPages: boolean, isUsed: boolean) {
  const steps = [
    {
      label: 'Add members',
      hint: 'Your bot writes them, or you import the file of another bot.',
      path: '/import',
      isDone: overview.ranked > 0,
    },
    {
      label: 'Make an API key',
      hint: 'With it, a site reads the leaderboard. The page of the last step makes one, too.',
      path: '/keys',
      isDone: overview.keys > 0,
    },
    {
      label: 'Switch the public page on',
      hint: 'A web page of your leaderboard for everybody, without a key.',
      path: '/settings',
      isDone: overview.public_page,
    },
    {
      label: 'Show it on your site',
      hint: 'Done with the first request of a widget, with one of your keys or from the public page.',
      path: '/widget',
      isDone: isUsed,
    },
  ];
  const offered = steps.filter(({ path }) => path !== '/settings' || hasPublicPages);
  return offered.every(({ isDone }) => isDone) ? [] : offered;
}
