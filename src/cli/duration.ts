import { InvalidArgumentError } from 'commander';

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const MAX_MS = 36_500 * 86_400_000;

/**
 * Parses a command-line duration such as 30m, 24h, 90d or 2w.
 * @returns milliseconds, at most a hundred years.
 * @throws InvalidArgumentError
 */
export function parseDuration(text: string): number {
  const [, count, unit = ''] = /^(\d{1,9})([mhdw])$/.exec(text) ?? [];
  const ms = Number(count) * (UNIT_MS[unit] ?? Number.NaN);
  if (!(ms <= MAX_MS)) {
    throw new InvalidArgumentError('It must be a whole number with a unit, such as 30m, 24h, 90d or 2w.');
  }
  return ms;
}

/** Returns a text such as "45 s" or "2 min 5 s"; begun seconds count. */
export function formatDuration(seconds: number): string {
  const whole = Math.ceil(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
