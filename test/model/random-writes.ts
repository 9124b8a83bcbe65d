import fc from 'fast-check';
import type { XpRecord } from '../../src/core/members/xp-record.ts';
import { MAX_XP } from '../../src/core/ranking/curves.ts';

/** One write of a test to a guild. */
export type Step =
  | { readonly kind: 'record'; readonly records: readonly XpRecord[] }
  | { readonly kind: 'remove'; readonly userIds: readonly string[] };

/** Names of all kinds: with spaces at any place, without any text, and such that look like other parts of a profile. */
export const names: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    'Quiet Raven',
    '  two  words ',
    '- 0 -',
    '12 3 1764547200000',
    '7',
    'Ünal 数据 🦊',
    'a\nb\\n',
    '\u0000',
  ),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.string({ unit: fc.constantFrom(' ', '-', '+', '0', '7', 'n', '\\', '\n'), maxLength: 8 }),
);

/** Few ids, of different lengths and close together, so that ties, repeats and byte order occur. */
const userId = fc.constantFrom(
  '1',
  '9',
  '10',
  '100',
  '99',
  '12345678901234567',
  '123456789012345678',
  '1234567890123456789',
  '12345678901234567890',
  '123456789012345679',
  'a',
  'B',
  'a-b',
  'a.b',
  'a_b',
);

/** @param maxXp the largest XP to try; the mock adds counters up in doubles, so sums there must stay below 2^53. */
export function steps(maxXp = MAX_XP): fc.Arbitrary<Step[]> {
  const xp = fc.oneof(
    fc.constantFrom(0, 1, 99, 100, 255, 4675, maxXp),
    fc.integer({ min: 0, max: 300 }),
    fc.maxSafeNat().map((n) => Math.min(n, maxXp)),
  );
  const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
  const fields = {
    level: orNull(fc.integer({ min: 0, max: 500 })),
    username: orNull(names),
    dailyStreak: orNull(fc.nat({ max: 400 })),
    lastDailyClaim: orNull(
      fc.integer({ min: -62_135_596_800_000, max: Date.parse('2026-01-01') }).map((ms) => new Date(ms)),
    ),
  };
  const profile = fc.record(fields, { requiredKeys: [] });
  const set = fc.record({ userId, set: xp });
  const add = fc.record({
    userId,
    add: fc.oneof(fc.integer({ min: -300, max: 300 }), fc.constantFrom(maxXp, -maxXp)),
  });
  const record: fc.Arbitrary<XpRecord> = fc
    .tuple(fc.oneof(set, add), fc.oneof(fc.constant({}), profile))
    .map(([change, fields]) => ({ ...change, ...fields }));
  return fc.array(
    fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          kind: fc.constant('record' as const),
          records: fc.array(record, { minLength: 1, maxLength: 8 }),
        }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant('remove' as const),
          userIds: fc.array(userId, { minLength: 1, maxLength: 3 }),
        }),
      },
    ),
    { minLength: 1, maxLength: 12 },
  );
}
