import { readOverview } from '../../guilds/overview.ts';
import { PageRead } from '../../leaderboard/reader.ts';
import type { GuildPage } from '../guild-page.ts';
import { guildOf } from '../visit.ts';

const TOP = 10;

/** Plan, quota, counters and the first members of the ranking. */
export const overviewPage: GuildPage = {
  path: '',
  label: 'Overview',
  addTo(router, parts) {
    router.get('/', async (_req, res) => {
      const guildId = guildOf(res);
      const [overview, { value: top }] = await Promise.all([
        readOverview(parts, parts.planQuotas, guildId),
        parts.commands.read(new PageRead(guildId, 1, TOP)),
      ]);
      parts.views.send(res, 'overview', { title: 'Overview', overview, top: top.data });
    });
  },
};
