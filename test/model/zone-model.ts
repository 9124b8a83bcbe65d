import type { Period } from '../../src/core/reads/period.ts';
import type { BoardKind } from '../../src/core/store/redis-keys.ts';

const DAY = 86_400_000;
const MINUTE = 60_000;

/** A naive model of the weeks and months of a time zone: it asks Intl for the date of each minute. Days are numbers since 1970. */
export class ZoneModel {
  private readonly format: Intl.DateTimeFormat;

  constructor(timeZone: string) {
    this.format = new Intl.DateTimeFormat('en', { timeZone, calendar: 'iso8601', dateStyle: 'short' });
  }

  /** Returns the day on the calendar of the zone. */
  dayAt(ms: number): number {
    const parts = Object.fromEntries(this.format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    return Date.UTC(parts.year as number, (parts.month as number) - 1, parts.day as number) / DAY;
  }

  /** Returns the first minute of a day. A day can begin at another time than midnight, and a day can be left out. */
  beginOf(day: number): number {
    let ms = day * DAY - DAY;
    while (this.dayAt(ms) < day) ms += MINUTE;
    return ms;
  }

  periodAt(kind: BoardKind, ms: number): Period {
    const day = this.dayAt(ms);
    const date = new Date(day * DAY);
    const first = kind === 'week' ? day - ((date.getUTCDay() + 6) % 7) : day - date.getUTCDate() + 1;
    const next = kind === 'week' ? first + 7 : Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) / DAY;
    const [from, to] = [first, next].map((each) => new Date(this.beginOf(each)).toISOString()) as [string, string];
    return { from, to };
  }
}
