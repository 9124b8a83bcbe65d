import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidInputError } from '../../../../src/core/errors.ts';
import {
  areCurrentOffsets,
  isTimeZone,
  parseTimeZone,
  timeZoneNames,
  utcOffsetsOf,
} from '../../../../src/core/settings/time-zone.ts';
import { BOUNDS } from '../../../../src/core/text-bounds.ts';
import { ALL_VARIANTS, randomRuns } from '../../../support/variants.ts';

const DAY_MS = 86_400_000;
const NOW = Date.parse('2026-11-28T00:00:00Z');

describe('a time zone', () => {
  it.each([
    ['Europe/Berlin', 'Europe/Berlin'],
    ['europe/BERLIN', 'Europe/Berlin'],
    ['utc', 'UTC'],
    ['Etc/GMT+5', 'Etc/GMT+5'],
    ['America/Argentina/ComodRivadavia', 'America/Argentina/ComodRivadavia'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['Europe/Kyiv', 'Europe/Kyiv'],
  ])('a time zone is stored by the name that the owner gave: %s', (text, name) => {
    expect(parseTimeZone(text)).toBe(name);
  });

  it.each(['', 'Berlin', 'Europe/Berln', '+01:00', 'UTC+1', 'Europe/Berlin ', 'a'.repeat(65), 'constructor'])(
    'an unknown time zone is refused by a sentence that names it and a right time zone: %j',
    (text) => {
      expect(isTimeZone(text)).toBe(false);
      expect(() => parseTimeZone(text)).toThrow(InvalidInputError);
      const named = JSON.stringify(text.slice(0, 64));
      expect(() => parseTimeZone(text)).toThrow(
        `There is no time zone ${named}: give an IANA name such as Europe/Berlin, or UTC`,
      );
    },
  );

  it.each([
    ['UTC', '0'],
    ['Asia/Kathmandu', '345'],
    ['America/Phoenix', '-420'],
  ])('a time zone without daylight saving has only its minutes: %s', (timeZone, text) => {
    expect(utcOffsetsOf(timeZone, NOW)).toBe(text);
  });

  it('a time zone has the changes of ten years, to the minute', () => {
    const [first, ...changes] = utcOffsetsOf('Europe/Berlin', NOW).split(' ');
    expect(first).toBe('120');
    const shown = changes.map((change) => {
      const [at, minutes] = change.split(':').map(Number) as [number, number];
      return `${new Date(at * 60_000).toISOString()} ${minutes}`;
    });
    expect(shown).toHaveLength(21);
    expect(shown.slice(0, 3)).toEqual([
      '2026-10-25T01:00:00.000Z 60',
      '2027-03-28T01:00:00.000Z 120',
      '2027-10-31T01:00:00.000Z 60',
    ]);
    expect(shown.at(-1)).toBe('2036-10-26T01:00:00.000Z 60');
  });

  it('the changes of a sample of all time zones fit into their bound, and so does the name of each zone', () => {
    const names = timeZoneNames();
    // `npm run test:long` computes the changes of all zones.
    const some = names.filter((_, n) => ALL_VARIANTS || n % 20 === 0);
    const sizes = some.map((name) => utcOffsetsOf(name, NOW).length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(BOUNDS.utcOffsets.bytes);
    expect(Math.max(...names.map((name) => name.length))).toBeLessThanOrEqual(BOUNDS.timeZone.bytes);
  });
});

describe('the stored changes of a time zone', () => {
  const moments = fc.record({
    timeZone: fc.constantFrom(...timeZoneNames()),
    setAt: fc.integer({ min: Date.UTC(1995, 0), max: Date.UTC(2060, 0) }),
    days: fc.integer({ min: -30, max: 1826 }),
  });

  it('the stored changes of each time zone fit into their bound and stay current for five years at any time', () => {
    fc.assert(
      fc.property(moments, ({ timeZone, setAt, days }) => {
        const text = utcOffsetsOf(timeZone, setAt);
        expect(text.length).toBeLessThanOrEqual(BOUNDS.utcOffsets.bytes);
        expect(areCurrentOffsets(text, timeZone, setAt + days * DAY_MS)).toBe(true);
      }),
      { numRuns: randomRuns(60) },
    );
  });

  it.each([
    ['five years before their end', utcOffsetsOf('Europe/Berlin', NOW - 1900 * DAY_MS)],
    ['by a clock that was two months ahead', utcOffsetsOf('Europe/Berlin', NOW + 60 * DAY_MS).replace(/^120/, '60')],
    ['before a government gave up daylight saving', '60'],
    ['for another zone', utcOffsetsOf('America/New_York', NOW)],
    ['as nonsense', 'x 12:'],
    ['as nothing', ''],
  ])('the stored changes of a time zone are renewed when they were stored %s', (_, text) => {
    expect(areCurrentOffsets(text, 'Europe/Berlin', NOW)).toBe(false);
  });
});
