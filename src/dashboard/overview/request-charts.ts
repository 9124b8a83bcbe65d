import { HOUR_MS } from '../../core/access/usage.ts';
import { DAY_HOURS, type GuildUsage, type HourUsage, sumOfHours } from '../../core/access/usage-reader.ts';

/** Hours from one time of the axis to the next. */
const TICK_HOURS = 8;

/** Returns the chart of a day by the hour, which ends with the running hour. The ticks of its axis are ISO 8601 times at equal distances. */
export function dayChart({ hours }: GuildUsage) {
  const lastDay = hours.slice(-DAY_HOURS);
  const ticks = lastDay.filter((_, hour) => hour % TICK_HOURS === 0).map(({ startsAt }) => startsAt);
  return { ...chartOf('Last 24 hours', lastDay), ticks, show: 'hour' } as const;
}

/** Returns the chart of a week by the day. A day of 24 hours ends with the running hour, as the chart does. */
export function weekChart({ hours }: GuildUsage) {
  const days = Array.from({ length: Math.ceil(hours.length / DAY_HOURS) }, (_, day) => {
    const part = hours.slice(day * DAY_HOURS, (day + 1) * DAY_HOURS);
    return { startsAt: part[0]?.startsAt ?? '', ...sumOfHours(part) };
  });
  // A day of the chart can begin at any hour. It is named by the weekday of its middle.
  const ticks = days.map(({ startsAt }) => new Date(Date.parse(startsAt) + (DAY_HOURS / 2) * HOUR_MS).toISOString());
  return { ...chartOf('Last 7 days', days), ticks, show: 'weekday' } as const;
}

/** Returns a chart that is 100 high. Refused requests stand on top of all other requests; `most` is the value at the height of 100. */
function chartOf(title: string, parts: readonly HourUsage[]) {
  const most = Math.max(...parts.map(({ requests, refused }) => requests + refused));
  const share = (requests: number) => (most === 0 ? 0 : (100 * requests) / most);
  return {
    title,
    sum: sumOfHours(parts),
    most,
    bars: parts.map((part) => ({ ...part, height: share(part.requests), refusedHeight: share(part.refused) })),
  };
}
