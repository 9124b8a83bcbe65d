import fc from 'fast-check';
import type { ClaimRequest, HideReason, PlaceChange, ProfileUpdate, XpRecord } from '../../src/bot/writer.ts';
import { naiveStandardLevel, naiveStandardXp, names } from './random-guild.ts';

/** One call of a bot, or a step of the clock. */
export type BotStep =
  | { readonly kind: 'award'; readonly userId: string; readonly amount: number; readonly username?: string }
  | { readonly kind: 'claim'; readonly request: ClaimRequest }
  | { readonly kind: 'setLevel'; readonly userId: string; readonly level: number }
  | { readonly kind: 'record'; readonly records: readonly XpRecord[] }
  | { readonly kind: 'setProfiles'; readonly updates: readonly ProfileUpdate[] }
  | { readonly kind: 'hide' | 'unhide'; readonly userIds: readonly string[]; readonly reason?: HideReason }
  | { readonly kind: 'remove'; readonly userIds: readonly string[] }
  | { readonly kind: 'season'; readonly calls: number; readonly keepMembers: boolean }
  | { readonly kind: 'clock'; readonly ms: number };

const DAY_MS = 86_400_000;
const userId = fc.constantFrom('1', '9', '10', 'a', 'B', 'a-b');
const username = names;
const level = fc.option(fc.integer({ min: 0, max: 60 }), { nil: null });
const userIds = fc.array(userId, { minLength: 1, maxLength: 4 });
const REASONS = ['left', 'self', 'moderator'] as const;
const reason = fc.constantFrom(...REASONS);
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
  /** None for a ranked member. */
  reasons: readonly HideReason[];
  streak: number;
  /** Number of the day of the last claim, on the clock of that claim. */
  day: number | undefined;
  claimedAt: number | undefined;
}

/** The XP that members have gained in a week or a month, and in the one before: each by user id. */
interface Gains {
  period: string;
  present: Map<string, number>;
  last: Map<string, number>;
}

/** A naive model of the boards of a guild. */
export class BoardsModel {
  private readonly gains: Record<'week' | 'month', Gains>;

  constructor(
    private readonly offsetMinutes: number,
    nowMs: number,
  ) {
    const begun = (kind: 'week' | 'month') => ({
      period: this.periodOf(kind, nowMs),
      present: new Map<string, number>(),
      last: new Map<string, number>(),
    });
    this.gains = { week: begun('week'), month: begun('month') };
  }

  gain(id: string, amount: number, nowMs: number): void {
    for (const kind of ['week', 'month'] as const) {
      this.gains[kind] = this.at(kind, nowMs);
      const { present } = this.gains[kind];
      present.set(id, Math.max((present.get(id) ?? 0) + amount, 0));
    }
  }

  forget(id: string): void {
    for (const { present, last } of Object.values(this.gains)) for (const board of [present, last]) board.delete(id);
  }

  clear(): void {
    for (const { present, last } of Object.values(this.gains)) for (const board of [present, last]) board.clear();
  }

  /** Returns who has gained something: user id and XP. */
  board(name: 'week' | 'week.prev' | 'month' | 'month.prev', nowMs: number): [string, number][] {
    const { present, last } = this.at(name.startsWith('week') ? 'week' : 'month', nowMs);
    return [...(name.endsWith('.prev') ? last : present)].filter(([, xp]) => xp > 0);
  }

  private at(kind: 'week' | 'month', nowMs: number): Gains {
    const gains = this.gains[kind];
    const period = this.periodOf(kind, nowMs);
    // Redis's clock can go back.
    if (period <= gains.period) return gains;
    const isNext = this.periodBefore(kind, nowMs) === gains.period;
    return { period, last: isNext ? gains.present : new Map(), present: new Map() };
  }

  private periodBefore(kind: 'week' | 'month', nowMs: number): string {
    const day = new Date(nowMs + this.offsetMinutes * 60_000);
    const before = kind === 'week' ? 7 : day.getUTCDate();
    return this.periodOf(kind, nowMs - before * 86_400_000);
  }

  /** Names the month, or the Monday of the week. */
  private periodOf(kind: 'week' | 'month', nowMs: number): string {
    const day = new Date(nowMs + this.offsetMinutes * 60_000);
    if (kind === 'month') return day.toISOString().slice(0, 7);
    day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
    return day.toISOString().slice(0, 10);
  }
}

/** A naive model of what a bot does to a guild on the curve `standard` without a multiplier. Returns the expected answer of each call. */
export class BotModel {
  readonly members = new Map<string, BotMember>();
  nowMs = Date.UTC(2026, 2, 28, 22, 30);
  boards: BoardsModel | undefined;

  levelOf({ xp, level }: BotMember): number {
    return level ?? naiveStandardLevel(xp);
  }

  ranking(): string[] {
    return this.ranked([...this.members].map(([id, { xp }]) => [id, xp])).map(([id]) => id);
  }

  /** Returns the members of a board: user id and XP gained. */
  board(name: 'week' | 'week.prev' | 'month' | 'month.prev'): [string, number][] {
    return this.ranked(this.boards?.board(name, this.nowMs) ?? []);
  }

  private ranked(entries: readonly [string, number][]): [string, number][] {
    return entries
      .filter(([id]) => this.members.get(id)?.hidden === false)
      .sort(([idA, a], [idB, b]) => b - a || Buffer.compare(Buffer.from(idB), Buffer.from(idA)));
  }

  /** Adds XP that a member has gained, which the boards count too. */
  gain(id: string, amount: number, change: (member: BotMember) => void = () => {}) {
    this.boards?.gain(id, amount, this.nowMs);
    return this.add(id, amount, change);
  }

  private add(id: string, amount: number, change: (member: BotMember) => void) {
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
    const gains: [string, number][] = [];
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
      const change = this.add(id, amount, (member) => {
        if (profile?.level !== undefined) member.level = profile.level ?? undefined;
      });
      if (set === undefined) gains.push([id, amount]);
      changes.push({ userId: id, ...change });
    }
    for (const [id, amount] of gains) this.boards?.gain(id, amount, this.nowMs);
    return changes;
  }

  setLevel(id: string, level: number) {
    const least = naiveStandardXp(level);
    return this.add(id, least - (this.members.get(id)?.xp ?? 0), (member) => {
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

  move(ids: readonly string[], direction: 'hide' | 'unhide', reason: HideReason = 'moderator'): PlaceChange {
    let changed = 0;
    const hidden = [...new Set(ids)].flatMap((userId) => {
      const member = this.members.get(userId);
      if (!member) return [];
      const others = member.reasons.filter((each) => each !== reason);
      const wanted = direction === 'hide' ? [...others, reason] : others;
      member.reasons = REASONS.filter((each) => wanted.includes(each));
      if (member.hidden !== member.reasons.length > 0) changed++;
      member.hidden = member.reasons.length > 0;
      return member.hidden ? [{ userId, reasons: member.reasons }] : [];
    });
    return { changed, hidden };
  }

  /** Returns the reasons of the hidden members as they are stored. */
  storedReasons(): Record<string, string> {
    const texts = [...this.members].map(([id, { reasons }]) => [id, reasons.join(' ')] as const);
    return Object.fromEntries(texts.filter(([, text]) => text !== '' && text !== 'moderator'));
  }

  remove(ids: readonly string[]): number {
    for (const id of ids) this.boards?.forget(id);
    return new Set(ids.filter((id) => this.members.delete(id))).size;
  }

  private create(id: string): BotMember {
    const created = {
      xp: 0,
      level: undefined,
      username: undefined,
      hidden: false,
      reasons: [],
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
