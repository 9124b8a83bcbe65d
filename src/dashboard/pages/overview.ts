import { type HourUsage, readUsage, sumOf } from '../../access/usage-reader.ts';
import { readOverview } from '../../guild/overview/overview.ts';
import { PageRead } from '../../guild/ranking/reader.ts';
import type { GuildPage } from '../guild-page.ts';
import { guildOf } from '../visit.ts';

const TOP = 10;
/** Hours of a day. */
const DAY = 24;

/** Plan, quota, counters and the first members of the ranking. */
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
      const day = usage.hours.slice(-DAY);
      const charts = [
        { title: 'Last 24 hours', sum: sumOf(day), bars: barsOf(day) },
        { title: 'Last 7 days', sum: sumOf(usage.hours), bars: barsOf(byDay(usage.hours)) },
      ];
      parts.views.send(res, 'overview', { title: 'Overview', overview, top: top.data, charts });
    });
  },
};

/** Returns the usage by days of 24 hours, oldest first; the last one ends with the running hour. */
function byDay(hours: readonly HourUsage[]): HourUsage[] {
  return Array.from({ length: Math.ceil(hours.length / DAY) }, (_, day) => {
    const part = hours.slice(day * DAY, (day + 1) * DAY);
    return { startsAt: part[0]?.startsAt ?? '', ...sumOf(part) };
  });
}

/** Returns bars of a chart that is 100 high, the highest as high as the chart. Requests stand below, refused ones on top. */
function barsOf(parts: readonly HourUsage[]) {
  const most = Math.max(1, ...parts.map(({ requests, refused }) => requests + refused));
  return parts.map((part) => ({
    ...part,
    height: (100 * part.requests) / most,
    refusedHeight: (100 * part.refused) / most,
  }));
}
