import { withNoun } from '../../core/format-numbers.ts';
import type { Overview } from '../../core/guilds/overview.ts';
import { PageCommand } from '../../core/reads/read-commands.ts';
import { type GuildConfigChange, parseUtcOffset } from '../../core/settings/guild-config.ts';
import { parseTimeZone } from '../../core/settings/time-zone.ts';
import type { BoardKind } from '../../core/store/redis-keys.ts';
import { periodFacts } from '../../widget/period.ts';
import type { Parts } from '../guild-page.ts';

/** The clock by which the boards of a guild begin. */
type ClockChange = Pick<GuildConfigChange, 'timeZone' | 'utcOffsetMinutes'>;

/** Parses a clock: the name of a time zone, or an offset such as `UTC+05:30`. @throws InvalidInputError which says why the text is no clock. */
export function parseClock(text: string): ClockChange {
  const [, sign, hours, minutes = '0'] = /^UTC([+-])(\d{1,2})(?::([0-5]\d))?$/i.exec(text.trim()) ?? [];
  if (sign === undefined) return { timeZone: parseTimeZone(text.trim()) };
  const size = Number(hours) * 60 + Number(minutes);
  return { utcOffsetMinutes: parseUtcOffset(String(sign === '-' ? -size : size)) };
}

/** Returns the clock of a guild as {@link parseClock} reads it. */
export function clockOf({ time_zone, utc_offset_minutes }: Overview): string {
  return time_zone ?? clockText({ utcOffsetMinutes: utc_offset_minutes ?? 0 });
}

/** Returns a clock in words: the time zone, or `UTC+05:30`. */
export function clockText({ timeZone, utcOffsetMinutes = 0 }: ClockChange): string {
  if (timeZone !== undefined) return timeZone;
  if (utcOffsetMinutes === 0) return 'UTC';
  const size = Math.abs(utcOffsetMinutes);
  const [hours, minutes] = [Math.floor(size / 60), size % 60].map((part) => String(part).padStart(2, '0'));
  return `UTC${utcOffsetMinutes < 0 ? '-' : '+'}${hours}:${minutes}`;
}

const range = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const WORDS = {
  dates: (first: number, last: number) => range.formatRange(first, last),
  say: (_label: 'daysLeft', { n }: { readonly n: number }) => `${withNoun(n, 'day')} left`,
};

/** Returns the dates of the present week or month of each board, and the days that are left, in words. One round trip. @throws StoreUnavailableError */
export function periodsOf({ commands, now }: Parts, guildId: string, boards: readonly BoardKind[]) {
  return Promise.all(
    boards.map(async (kind) => {
      const { period } = await commands.read(new PageCommand(guildId, 1, 1, kind));
      return { kind, text: period ? periodFacts(period, WORDS, now()).join(' · ') : '' };
    }),
  );
}
