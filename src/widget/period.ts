/** The dates of a board's week or month, for the widget, public pages and the dashboard. */

/** A week or a month, as ISO 8601 in UTC: it begins and ends at local midnights of the guild, whose time zone is not told. */
export interface PeriodData {
  readonly from: string;
  readonly to: string;
}

/** The functions that say the dates of a period in a language. */
interface PeriodWords {
  /** Returns two dates as a range. */
  readonly dates: (first: number, last: number) => string;
  readonly say: (label: 'daysLeft', values: { readonly n: number }) => string;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MONDAY = 1;

/** Returns the dates of a period in words, and the days that are left unless it is over: `Nov 23 – 29` and `2 days left`. */
export function periodFacts(period: PeriodData, words: PeriodWords, nowMs: number): string[] {
  const [first, last] = daysOf(period);
  const isOver = nowMs >= Date.parse(period.to);
  const days = (last - first) / DAY_MS + 1;
  // By the clock with which the period began: at a change of daylight saving, a day of the calendar has 23 or 25 hours.
  const passed = Math.floor((nowMs - Date.parse(period.from)) / DAY_MS);
  const left = Math.min(days, Math.max(1, days - passed));
  return [words.dates(first, last), ...(isOver ? [] : [words.say('daysLeft', { n: left })])];
}

/** Returns the first and the last day of a period on the calendar of the guild, as midnights in UTC. */
export function daysOf({ from, to }: PeriodData): [first: number, last: number] {
  const isWeek = Date.parse(to) - Date.parse(from) < 8 * DAY_MS;
  const dayOf = (iso: string) => {
    // Clocks are between 12 hours behind UTC and 14 ahead of it, so it can be one of two days.
    const day = Math.ceil((Date.parse(iso) - 12 * HOUR_MS) / DAY_MS) * DAY_MS;
    const date = new Date(day);
    const begins = isWeek ? date.getUTCDay() === MONDAY : date.getUTCDate() === 1;
    return begins ? day : day + DAY_MS;
  };
  return [dayOf(from), dayOf(to) - DAY_MS];
}
