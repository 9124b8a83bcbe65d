import { HOUR_MS } from '../access/usage.ts';
import { DAY_HOURS, type GuildUsage, type HourUsage, type Requests, sumOf } from '../access/usage-reader.ts';

/** Hours from one time of the axis to the next. */
const TICK_HOURS = 8;

/** A chart of requests by time, 100 high. Requests stand below, refused ones on top. */
export interface RequestChart {
  readonly title: string;
  readonly sum: Requests;
  /** Value at the top. */
  readonly most: number;
  readonly bars: readonly (HourUsage & { readonly height: number; readonly refusedHeight: number })[];
  /** Times of the axis, each as the format `show` and at equal distances: ISO 8601. That of a day is in its middle. */
  readonly ticks: readonly string[];
  readonly show: 'hour' | 'weekday';
}

/** Returns the charts of a day by the hour, and of a week by the day. A day of 24 hours ends with the running hour, as the chart does. */
export function requestCharts({ hours }: GuildUsage): RequestChart[] {
  const days = Array.from({ length: Math.ceil(hours.length / DAY_HOURS) }, (_, day) => {
    const part = hours.slice(day * DAY_HOURS, (day + 1) * DAY_HOURS);
    return { startsAt: part[0]?.startsAt ?? '', ...sumOf(part) };
  });
  const lastDay = hours.slice(-DAY_HOURS);
  const starts = lastDay.filter((_, hour) => hour % TICK_HOURS === 0).map(({ startsAt }) => startsAt);
  // A day of the chart begins at any hour, and most of it is of the weekday of its middle.
  const middles = days.map(({ startsAt }) => new Date(Date.parse(startsAt) + (DAY_HOURS / 2) * HOUR_MS).toISOString());
  return [
    { ...chartOf('Last 24 hours', lastDay), ticks: starts, show: 'hour' },
    { ...chartOf('Last 7 days', days), ticks: middles, show: 'weekday' },
  ];
}

function chartOf(title: string, parts: readonly HourUsage[]): Omit<RequestChart, 'ticks' | 'show'> {
  const most = Math.max(...parts.map(({ requests, refused }) => requests + refused));
  const share = (requests: number) => (most === 0 ? 0 : (100 * requests) / most);
  return {
    title,
    sum: sumOf(parts),
    most,
    bars: parts.map((part) => ({ ...part, height: share(part.requests), refusedHeight: share(part.refused) })),
  };
}
