import fc from 'fast-check';
import type { ClaimRequest, HideReason, ProfileUpdate, XpRecord } from '../../../src/kit/writer.ts';
import { names } from '../../model/random-writes.ts';

/** One call of a bot, or a step of the clock. */
export type BotStep =
  | { readonly kind: 'award'; readonly userId: string; readonly amount: number; readonly username?: string }
  | { readonly kind: 'claim'; readonly request: ClaimRequest }
  | { readonly kind: 'setLevel'; readonly userId: string; readonly level: number }
  | { readonly kind: 'record'; readonly records: readonly XpRecord[] }
  | { readonly kind: 'setProfiles'; readonly updates: readonly ProfileUpdate[] }
  | { readonly kind: 'hide' | 'unhide'; readonly userIds: readonly string[]; readonly reason?: HideReason }
  | { readonly kind: 'remove'; readonly userIds: readonly string[] }
  | { readonly kind: 'season'; readonly calls: number; readonly keepMembers: boolean; readonly isKilled: boolean }
  | { readonly kind: 'clock'; readonly ms: number };

const DAY_MS = 86_400_000;
const userId = fc.constantFrom('1', '9', '10', 'a', 'B', 'a-b');
const username = names;
const level = fc.option(fc.integer({ min: 0, max: 60 }), { nil: null });
const userIds = fc.array(userId, { minLength: 1, maxLength: 4 });
const reason = fc.constantFrom<HideReason[]>('left', 'self', 'moderator');
const kindOf = <K extends string>(kind: K) => fc.constant(kind);

const record: fc.Arbitrary<XpRecord> = fc.oneof(
  fc.record({ userId, set: fc.integer({ min: 0, max: 6000 }), level }),
  fc.record({ userId, set: fc.integer({ min: 0, max: 6000 }) }),
  fc.record({ userId, add: fc.integer({ min: -200, max: 900 }) }),
  fc.record({ userId, add: fc.integer({ min: -900, max: 200 }), floor: fc.constant(0 as const) }),
);

export const botSteps: fc.Arbitrary<BotStep[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: kindOf('award'), userId, amount: fc.integer({ min: 0, max: 800 }) }) },
    { weight: 2, arbitrary: fc.record({ kind: kindOf('award'), userId, amount: fc.constant(7), username }) },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: kindOf('claim'),
        request: fc.record({
          userId,
          reward: fc.constantFrom<ClaimRequest['reward'][]>(100, [10, 20, 40]),
          utcOffsetMinutes: fc.constantFrom(0, 60, 120, -300, 840),
          graceDays: fc.constantFrom(0, 1),
          minIntervalMs: fc.constantFrom(0, 0, 72_000_000),
        }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: kindOf('record'), records: fc.array(record, { minLength: 1, maxLength: 4 }) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: kindOf('setLevel'), userId, level: fc.integer({ min: 0, max: 20 }) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: kindOf('setProfiles'),
        updates: fc.array(fc.record({ userId, username, level }, { requiredKeys: ['userId'] }), {
          minLength: 1,
          maxLength: 3,
        }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ kind: kindOf('hide'), userIds, reason }, { requiredKeys: ['kind', 'userIds'] }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ kind: kindOf('unhide'), userIds, reason }, { requiredKeys: ['kind', 'userIds'] }),
    },
    { weight: 1, arbitrary: fc.record({ kind: kindOf('remove'), userIds }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: kindOf('season'),
        calls: fc.integer({ min: 1, max: 9 }),
        keepMembers: fc.boolean(),
        isKilled: fc.boolean(),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: kindOf('clock'),
        ms: fc.constantFrom(1000, 3_600_000, DAY_MS / 2, DAY_MS, 2 * DAY_MS, -3_600_000),
      }),
    },
  ),
  { minLength: 1, maxLength: 25 },
);
