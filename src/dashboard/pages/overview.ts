import { readUsage } from '../../access/usage-reader.ts';
import { readOverview } from '../../guild/overview/overview.ts';
import { PageRead } from '../../guild/ranking/reader.ts';
import { firstSteps } from '../first-steps.ts';
import type { GuildPage } from '../guild-page.ts';
import { requestCharts } from '../request-charts.ts';
import { guildOf } from '../visit.ts';

const TOP = 10;

/** The first steps, plan, quota, counters and the first members of the ranking. */
export const overviewPage: GuildPage = {
  path: '',
  label: 'Overview',
  addTo(router, parts) {
    router.get('/', async (_req, res) => {
      const guildId = guildOf(res);
      const [overview, { value: top }, usage] = await Promise.all([
        readOverview(parts, parts.planQuotas, guildId),
        parts.commands.read(new PageRead(guildId, 1, TOP)),
        readUsage(parts, guildId, parts.now()),
      ]);
      const steps = firstSteps(overview, { publicPages: parts.publicPages, requests: usage.isUsed });
      const charts = requestCharts(usage);
      parts.views.send(res, 'overview', { title: 'Overview', overview, steps, top: top.data, charts });
    });
  },
};
