/** Reads times as programs and spreadsheets write them. A time without a zone is in UTC. */

/** The order of day and month in dates such as 01/02/2026. */
export type DateOrder = 'day-month' | 'month-day';

/** ISO 8601, with a space for T, slashes for dashes and UTC for Z as pandas, Gnumeric and LibreOffice have them. */
const ISO = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?:[T ](.+))?$/;
/** Day, month and year with separators, in the orders of different countries. */
const LOCAL = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})(?:,? (.+))?$/;
const CLOCK =
  /^(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?: ?([ap])\.?m\.?)?(?: ?(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?))?$/i;
/** Days since 1899-12-30, as spreadsheets count them, from 2000 to 2099. */
const SERIAL = /^\d{5}(?:[.,]\d+)?$/;
const SERIAL_OF_1970 = 25569;
const DAY_MS = 86_400_000;
/** Seconds since 1970 with or without decimals, as Python has them, and milliseconds, as JavaScript has them. */
const SINCE_1970 = /^(\d{9,10}(?:\.\d+)?|\d{12,13})$/;
/** From 2000 to 2099, in seconds. */
const EARLIEST_S = 946_684_800;
const LATEST_S = 4_102_444_800;

/** Gathers which order of day and month the dates of a file show. */
export class DateEvidence {
  private readonly shown = new Set<DateOrder>();
  /** Whether there are times without a zone. */
  hasZoneless = false;

  /** Takes a value as the file has it. O(1). */
  add(text: string): void {
    const match = LOCAL.exec(text);
    if (match && match[2] !== '.') {
      if (Number(match[1]) > 12) this.shown.add('day-month');
      else if (Number(match[3]) > 12) this.shown.add('month-day');
    }
    if ((match ?? ISO.exec(text)) && !/(?:Z|UTC|GMT|\d[+-]\d{2}:?(?:\d{2})?)$/i.test(text.slice(10)))
      this.hasZoneless = true;
  }

  /** The order that the dates show; undefined when they show no order or both. */
  get order(): DateOrder | undefined {
    return this.shown.size === 1 ? [...this.shown][0] : undefined;
  }
}

/**
 * Parses a time.
 * @param order of day and month in dates such as 01/02/2026.
 * @returns ISO 8601 in UTC; undefined when the value is no time; 'ambiguous' when the order is unknown and gives different days.
 */
export function readTime(value: unknown, order?: DateOrder): string | 'ambiguous' | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') return undefined;
  if (SERIAL.test(text)) {
    const days = Number(text.replace(',', '.')) - SERIAL_OF_1970;
    return days > 10_957 && days < 47_482 ? new Date(Math.round(days * DAY_MS)).toISOString() : undefined;
  }
  if (SINCE_1970.test(text)) {
    const seconds = Number(text) / (/^\d{12}/.test(text) ? 1000 : 1);
    return seconds >= EARLIEST_S && seconds < LATEST_S ? new Date(Math.round(seconds * 1000)).toISOString() : undefined;
  }
  const iso = ISO.exec(text);
  if (iso) return timeOf(Number(iso[1]), Number(iso[3]), Number(iso[4]), iso[5]);
  const local = LOCAL.exec(text);
  if (!local) return undefined;
  const first = Number(local[1]);
  const second = Number(local[3]);
  const year = Number(local[4]) + (local[4]?.length === 2 ? 2000 : 0);
  let shown = order;
  if (local[2] === '.' || first > 12) shown = 'day-month';
  else if (second > 12) shown = 'month-day';
  if (!shown && first !== second) return 'ambiguous';
  const [day, month] = shown === 'month-day' ? [second, first] : [first, second];
  return timeOf(year, month, day, local[5]);
}

/** Returns a date with the time of a clock as ISO 8601; undefined when there is no such date or time. */
function timeOf(year: number, month: number, day: number, clock = '0:00'): string | undefined {
  const match = CLOCK.exec(clock);
  if (!match) return undefined;
  const [, hours = '', minutes = '', seconds = '0', fraction = '', half, zone = 'Z'] = match;
  let hour = Number(hours);
  if (half) {
    hour %= 12;
    if (half.toLowerCase() === 'p') hour += 12;
  }
  if (hour > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined;
  const midnight = new Date(Date.UTC(year, month - 1, day));
  // Date turns 30 February into 2 March. So a day does not exist if Date changes it.
  if (midnight.getUTCMonth() !== month - 1 || midnight.getUTCDate() !== day) return undefined;
  const clockMs =
    (hour * 60 + Number(minutes)) * 60_000 + Number(seconds) * 1000 + Number(fraction.padEnd(3, '0').slice(0, 3));
  return new Date(midnight.getTime() + clockMs - zoneMs(zone)).toISOString();
}

/** Returns how far a zone is ahead of UTC, in milliseconds; 0 for UTC itself. */
function zoneMs(zone: string): number {
  const match = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone);
  if (!match) return 0;
  const minutes = Number(match[2]) * 60 + Number(match[3] ?? 0);
  return (match[1] === '-' ? -1 : 1) * minutes * 60_000;
}
