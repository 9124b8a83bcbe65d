import { InvalidInputError, shownText } from '../errors.ts';

/**
 * Time zones by their IANA names, and their minutes from UTC as Intl knows them. Redis gets the minutes of ten years, because Redis knows no time
 * zones.
 */

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Days from now of the minutes that are stored. They begin in the past, because readers show when the month before the present one began. */
const STORED_DAYS = [-100, 3653] as const;
/** Days from now of the minutes that have to be right. */
const NEEDED_DAYS = [-70, 1826] as const;
/** As many changes as fit into the bound of the text. A zone has 22 in ten years at most, unless a government decides otherwise. */
const MAX_CHANGES = 36;

const NAME_PATTERN = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;

/** Returns the names of the time zones that this version of Node lists. {@link parseTimeZone} takes further names, such as old names. */
export function timeZoneNames(): readonly string[] {
  return Intl.supportedValuesOf('timeZone');
}

/** Returns whether this version of Node knows a time zone by this name. */
export function isTimeZone(text: string): boolean {
  try {
    return NAME_PATTERN.test(text) && formatterOf(text) !== undefined;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Parses the IANA name of a time zone, in capital or small letters. @throws InvalidInputError for a name that this version of Node does not know. */
export function parseTimeZone(text: string): string {
  if (!isTimeZone(text))
    throw new InvalidInputError(
      `There is no time zone ${shownText(text.slice(0, 64))}: give an IANA name such as Europe/Berlin, or UTC`,
    );
  // Intl knows some zones by an older name only, such as Asia/Calcutta. Owners keep the name that they gave.
  const { timeZone } = formatterOf(text).resolvedOptions();
  return timeZone.toLowerCase() === text.toLowerCase() ? timeZone : text;
}

/**
 * Returns the minutes from UTC of a time zone and their changes in the next ten years, as lib-period.lua reads them: `60 29577660:120` is 60, and 120 from
 * that minute since 1970 on. At most 500 bytes. Takes some 20 ms.
 * @param timeZone a name that {@link parseTimeZone} has returned.
 */
export function utcOffsetsOf(timeZone: string, nowMs: number): string {
  return textOf(offsetsBetween(timeZone, nowMs, STORED_DAYS));
}

/**
 * Returns whether the stored minutes of a zone are right for the last two months and the next five years. They are not when less is left of
 * their ten years, nor when a government has changed its clocks since and Node knows it. Takes some 10 ms.
 */
export function areCurrentOffsets(utcOffsets: string, timeZone: string, nowMs: number): boolean {
  const needed = offsetsBetween(timeZone, nowMs, NEEDED_DAYS);
  const { from, to } = minutesAround(nowMs, NEEDED_DAYS);
  const stored: Offsets = { minutes: Number.parseInt(utcOffsets, 10), changes: [] };
  for (const [, at, minutes] of utcOffsets.matchAll(/ (\d+):(-?\d+)/g)) {
    if (Number(at) <= from) stored.minutes = Number(minutes);
    else if (Number(at) <= to) stored.changes.push([Number(at), Number(minutes)]);
  }
  return textOf(stored) === textOf(needed);
}

/** Minutes from UTC before the first change, and from the minute of each change on, in minutes since 1970. */
interface Offsets {
  minutes: number;
  readonly changes: [at: number, minutes: number][];
}

/** Returns the first and the last minute of some days around a time. They are whole days, so that each look at a zone asks for the same moments. */
function minutesAround(nowMs: number, [first, last]: readonly [number, number]) {
  const today = Math.floor(nowMs / DAY_MS);
  return { from: (today + first) * 1440, to: (today + last) * 1440 };
}

/** Finds the changes between two days from now. */
function offsetsBetween(timeZone: string, nowMs: number, days: readonly [number, number]): Offsets {
  const { from, to } = minutesAround(nowMs, days);
  const formatter = formatterOf(timeZone);
  let minutes = offsetAt(formatter, from);
  const found: Offsets = { minutes, changes: [] };
  for (let day = from; day < to && found.changes.length < MAX_CHANGES; day += 1440) {
    const next = offsetAt(formatter, day + 1440);
    if (next === minutes) continue;
    let before = day;
    let after = day + 1440;
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (offsetAt(formatter, middle) === minutes) before = middle;
      else after = middle;
    }
    found.changes.push([after, next]);
    minutes = next;
  }
  return found;
}

function textOf({ minutes, changes }: Offsets): string {
  return [minutes, ...changes.map((change) => change.join(':'))].join(' ');
}

/** Returns the minutes from UTC of a zone at a minute since 1970. */
function offsetAt(formatter: Intl.DateTimeFormat, minute: number): number {
  const parts = formatter.formatToParts(minute * MINUTE_MS);
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours, minutes] = /^GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  const size = Number(hours ?? 0) * 60 + Number(minutes ?? 0);
  return sign === '-' ? -size : size;
}

/** @throws RangeError for a name that Intl does not know. */
function formatterOf(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset', year: 'numeric' });
}
