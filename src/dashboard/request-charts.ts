import { type GuildUsage, type HourUsage, type Requests, sumOf } from '../access/usage-reader.ts';

/** Hours of a day. */
const DAY = 24;

/** A chart of requests by time, 100 high. Requests stand below, refused ones on top. */
export interface RequestChart {
  readonly title: string;
  readonly sum: Requests;
  /** Value at the top. */
  readonly most: number;
  readonly bars: readonly (HourUsage & { readonly height: number; readonly refusedHeight: number })[];
  /** Times of the axis, each as the format `show` and at equal distances: ISO 8601. */
  readonly ticks: readonly string[];
  readonly show: 'hour' | 'weekday';
}

/** Returns the charts of a day by the hour, and of a week by the day. A day of 24 hours ends with the running hour, as the chart does. */
export function requestCharts({ hours }: GuildUsage): RequestChart[] {
  const days = Array.from({ length: Math.ceil(hours.length / DAY) }, (_, day) => {
    const part = hours.slice(day * DAY, (day + 1) * DAY);
    return { startsAt: part[0]?.startsAt ?? '', ...sumOf(part) };
  });
  return [chartOf('Last 24 hours', hours.slice(-DAY), 'hour', 8), chartOf('Last 7 days', days, 'weekday', 1)];
}

/** @param every bars from one time of the axis to the next. */
function chartOf(title: string, parts: readonly HourUsage[], show: RequestChart['show'], every: number): RequestChart {
  const most = Math.max(...parts.map(({ requests, refused }) => requests + refused));
  const share = (requests: number) => (most === 0 ? 0 : (100 * requests) / most);
  return {
    title,
    sum: sumOf(parts),
    most,
    bars: parts.map((part) => ({ ...part, height: share(part.requests), refusedHeight: share(part.refused) })),
    ticks: parts.filter((_, index) => index % every === 0).map(({ startsAt }) => startsAt),
    show,
  };
}
