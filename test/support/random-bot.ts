import fc from 'fast-check';
import type { ClaimRequest, ProfileUpdate, XpRecord } from '../../src/bot/writer.ts';
import { naiveStandardLevel, naiveStandardXp, names } from './random-guild.ts';

/** One call of a bot, or a step of the clock. */
export type BotStep =
  | { readonly kind: 'award'; readonly userId: string; readonly amount: number; readonly username?: string }
  | { readonly kind: 'claim'; readonly request: ClaimRequest }
  | { readonly kind: 'setLevel'; readonly userId: string; readonly level: number }
  | { readonly kind: 'record'; readonly records: readonly XpRecord[] }
  | { readonly kind: 'setProfiles'; readonly updates: readonly ProfileUpdate[] }
  | { readonly kind: 'hide' | 'unhide' | 'remove'; readonly userIds: readonly string[] }
  | { readonly kind: 'season'; readonly calls: number; readonly keepMembers: boolean }
  | { readonly kind: 'clock'; readonly ms: number };

const DAY_MS = 86_400_000;
const userId = fc.constantFrom('1', '9', '10', 'a', 'B', 'a-b');
const username = names;
const level = fc.option(fc.integer({ min: 0, max: 60 }), { nil: null });
const userIds = fc.array(userId, { minLength: 1, maxLength: 4 });
const kindOf = <K extends string>(kind: K) => fc.constant(kind);

const record: fc.Arbitrary<XpRecord> = fc.oneof(
  fc.record({ userId, set: fc.integer({ min: 0, max: 6000 }), profile: fc.record({ level }) }),
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
        updates: fc.array(fc.record({ userId, profile: fc.record({ username, level }, { requiredKeys: [] }) }), {
          minLength: 1,
          maxLength: 3,
        }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: kindOf('hide'), userIds }) },
    { weight: 2, arbitrary: fc.record({ kind: kindOf('unhide'), userIds }) },
    { weight: 1, arbitrary: fc.record({ kind: kindOf('remove'), userIds }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: kindOf('season'),
        calls: fc.integer({ min: 1, max: 9 }),
        keepMembers: fc.boolean(),
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

export interface BotMember {
  xp: number;
  level: number | undefined;
  username: string | undefined;
  hidden: boolean;
  streak: number;
  /** Number of the day of the last claim, on the clock of that claim. */
  day: number | undefined;
  claimedAt: number | undefined;
}

/** A naive model of what a bot does to a guild on the curve `standard` without a multiplier. Returns the expected answer of each call. */
export class BotModel {
  readonly members = new Map<string, BotMember>();
  nowMs = Date.UTC(2026, 2, 28, 22, 30);

  levelOf({ xp, level }: BotMember): number {
    return level ?? naiveStandardLevel(xp);
  }

  ranking(): string[] {
    return [...this.members]
      .filter(([, { hidden }]) => !hidden)
      .sort(([idA, a], [idB, b]) => b.xp - a.xp || Buffer.compare(Buffer.from(idB), Buffer.from(idA)))
      .map(([id]) => id);
  }

  gain(id: string, amount: number, change: (member: BotMember) => void = () => {}) {
    const known = this.members.get(id);
    const member = known ?? this.create(id);
    const [xpBefore, levelBefore] = [member.xp, this.levelOf(member)];
    member.xp += amount;
    change(member);
    return this.change(member, xpBefore, levelBefore, known === undefined);
  }

  claim({ userId: id, reward, utcOffsetMinutes = 0, graceDays = 0, minIntervalMs = 0 }: ClaimRequest) {
    const today = Math.floor((this.nowMs + utcOffsetMinutes * 60_000) / DAY_MS);
    const { day, claimedAt = Number.NEGATIVE_INFINITY, streak = 0 } = this.members.get(id) ?? {};
    const next = (last: number, at: number) =>
      new Date(Math.max((last + 1) * DAY_MS - utcOffsetMinutes * 60_000, at + minIntervalMs));
    if (day !== undefined && (today <= day || this.nowMs < claimedAt + minIntervalMs)) {
      const member = this.members.get(id) as BotMember;
      const change = this.change(member, member.xp, this.levelOf(member), false);
      return { claimed: false, reward: 0, streak, nextClaimAt: next(day, claimedAt), ...change };
    }
    const now = day !== undefined && today - day <= 1 + graceDays ? streak + 1 : 1;
    const xp = typeof reward === 'number' ? reward : (reward[Math.min(now, reward.length) - 1] as number);
    const change = this.gain(id, xp, (member) =>
      Object.assign(member, { day: today, streak: now, claimedAt: this.nowMs }),
    );
    return { claimed: true, reward: xp, streak: now, nextClaimAt: next(today, this.nowMs), ...change };
  }

  /** Returns undefined for records that are refused as a whole. */
  record(records: readonly XpRecord[]) {
    const saved = structuredClone([...this.members]);
    const changes = [];
    for (const { userId: id, set, add = 0, profile, ...rest } of records) {
      const takes = 'floor' in rest && Number(add) < 0;
      if (takes && !this.members.has(id)) {
        changes.push({ userId: id, xpBefore: 0, levelBefore: 0, xp: 0, level: 0, created: false, hidden: false });
        continue;
      }
      const sum = (this.members.get(id)?.xp ?? 0) + Number(add);
      const xp = set !== undefined ? Number(set) : takes ? Math.max(sum, 0) : sum;
      if (xp < 0) {
        this.members.clear();
        for (const [id, member] of saved) this.members.set(id, member);
        return undefined;
      }
      const amount = xp - (this.members.get(id)?.xp ?? 0);
      const change = this.gain(id, amount, (member) => {
        if (profile?.level !== undefined) member.level = profile.level ?? undefined;
      });
      changes.push({ userId: id, ...change });
    }
    return changes;
  }

  setLevel(id: string, level: number) {
    const least = naiveStandardXp(level);
    return this.gain(id, least - (this.members.get(id)?.xp ?? 0), (member) => {
      member.level = undefined;
    });
  }

  setProfiles(updates: readonly ProfileUpdate[]): string[] {
    return updates.flatMap(({ userId: id, profile }) => {
      const member = this.members.get(id);
      if (!member) return [];
      if (profile.username !== undefined) member.username = profile.username || undefined;
      if (profile.level !== undefined) member.level = profile.level ?? undefined;
      return [id];
    });
  }

  move(ids: readonly string[], hidden: boolean): number {
    const moving = new Set(ids.filter((id) => this.members.has(id) && this.members.get(id)?.hidden !== hidden));
    for (const id of moving) (this.members.get(id) as BotMember).hidden = hidden;
    return moving.size;
  }

  remove(ids: readonly string[]): number {
    return new Set(ids.filter((id) => this.members.delete(id))).size;
  }

  private create(id: string): BotMember {
    const created = {
      xp: 0,
      level: undefined,
      username: undefined,
      hidden: false,
      streak: 0,
      day: undefined,
      claimedAt: undefined,
    };
    this.members.set(id, created);
    return created;
  }

  private change(member: BotMember, xpBefore: number, levelBefore: number, created: boolean) {
    return { xpBefore, levelBefore, xp: member.xp, level: this.levelOf(member), created, hidden: member.hidden };
  }
}
