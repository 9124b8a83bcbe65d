import fc from 'fast-check';
import type { XpRecord } from '../../src/core/members/records.ts';
import { MAX_XP } from '../../src/core/ranking/curves.ts';

/** One write of a test to a guild. */
export type Step =
  | { readonly kind: 'record'; readonly records: readonly XpRecord[] }
  | { readonly kind: 'remove'; readonly userIds: readonly string[] };

export interface ModelMember {
  xp: number;
  level: number | undefined;
  username: string | undefined;
  dailyStreak: number;
  lastDailyClaim: number | undefined;
}

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

const NOBODY: ModelMember = {
  xp: 0,
  level: undefined,
  username: undefined,
  dailyStreak: 0,
  lastDailyClaim: undefined,
};

/** A naive model of a guild: a Map. `apply` returns false for a step that must be refused as a whole. */
export class Model {
  members = new Map<string, ModelMember>();

  apply(step: Step): boolean {
    const next = new Map([...this.members].map(([id, member]) => [id, { ...member }]));
    if (step.kind === 'remove') {
      for (const id of step.userIds) next.delete(id);
    } else {
      for (const record of step.records) {
        const member = next.get(record.userId) ?? { ...NOBODY };
        const xp = record.set === undefined ? BigInt(member.xp) + BigInt(record.add) : BigInt(record.set);
        if (xp < 0n || xp > BigInt(MAX_XP)) return false;
        member.xp = Number(xp);
        const { level, username, dailyStreak, lastDailyClaim } = record;
        if (level !== undefined) member.level = level ?? undefined;
        if (username !== undefined) member.username = username || undefined;
        if (dailyStreak !== undefined) member.dailyStreak = dailyStreak ?? 0;
        if (lastDailyClaim !== undefined)
          member.lastDailyClaim = lastDailyClaim === null ? undefined : new Date(lastDailyClaim).getTime();
        next.set(record.userId, member);
      }
    }
    this.members = next;
    return true;
  }

  /** XP descending, then user id descending in byte order. */
  ranking(): [string, ModelMember][] {
    return [...this.members].sort(
      ([idA, a], [idB, b]) => b.xp - a.xp || Buffer.compare(Buffer.from(idB), Buffer.from(idA)),
    );
  }

  get totalXp(): bigint {
    return [...this.members.values()].reduce((sum, { xp }) => sum + BigInt(xp), 0n);
  }
}

const standardReach = (n: bigint) => (10n * n ** 3n + 135n * n ** 2n + 455n * n) / 6n;

/** The least XP of a level on the curve `standard`. */
export function naiveStandardXp(level: number): number {
  return Number(standardReach(BigInt(level)));
}

/** Returns the level at `xp` on 5n^3/3 + 45n^2/2 + 455n/6, by counting up in exact arithmetic from a safe start. */
export function naiveStandardLevel(xp: number): number {
  let low = 0n;
  let high = 200_000n;
  while (low < high) {
    const middle = (low + high + 1n) / 2n;
    if (standardReach(middle) <= BigInt(xp)) low = middle;
    else high = middle - 1n;
  }
  return Number(low);
}
