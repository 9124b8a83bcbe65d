import { MAX_XP } from '../../src/core/ranking/curves.ts';
import type {
  ClaimRequest,
  HideReason,
  HideResult,
  ProfileChange,
  ProfileUpdate,
  XpRecord,
} from '../../src/kit/writer.ts';
import { naiveStandardLevel, naiveStandardXp } from './standard-curve.ts';

const DAY_MS = 86_400_000;
const REASONS = ['left', 'self', 'moderator'] as const;

export interface ModelMember {
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

export type BoardName = 'week' | 'week.prev' | 'month' | 'month.prev';

/** The boards of a guild as the tests of boards model them. */
export interface Boards {
  gain(id: string, amount: number, nowMs: number): void;
  forget(id: string): void;
  clear(): void;
  board(name: BoardName, nowMs: number): [string, number][];
}

/**
 * The model of a guild on the curve `standard` without a multiplier, which all random tests compare the scripts with. Each method returns the expected
 * result of a call. Members are in a Map, and whatever follows from them is computed anew at each question.
 */
export class GuildModel {
  readonly members = new Map<string, ModelMember>();
  nowMs = Date.UTC(2026, 2, 28, 22, 30);
  boards: Boards | undefined;

  levelOf({ xp, level }: ModelMember): number {
    return level ?? naiveStandardLevel(xp);
  }

  ranking(): string[] {
    return this.ranked([...this.members].map(([id, { xp }]) => [id, xp])).map(([id]) => id);
  }

  get totalXp(): bigint {
    return [...this.members.values()].reduce((sum, { xp, hidden }) => sum + (hidden ? 0n : BigInt(xp)), 0n);
  }

  /** Returns the members of a board: user id and XP gained. */
  board(name: BoardName): [string, number][] {
    return this.ranked(this.boards?.board(name, this.nowMs) ?? []);
  }

  private ranked(entries: readonly [string, number][]): [string, number][] {
    return entries
      .filter(([id]) => this.members.get(id)?.hidden === false)
      .sort(([idA, a], [idB, b]) => b - a || Buffer.compare(Buffer.from(idB), Buffer.from(idA)));
  }

  /** Adds XP that a member has gained, which the boards count too. */
  gain(id: string, amount: number, change: (member: ModelMember) => void = () => {}) {
    this.boards?.gain(id, amount, this.nowMs);
    return this.add(id, amount, change);
  }

  private add(id: string, amount: number, change: (member: ModelMember) => void) {
    const known = this.members.get(id);
    const member = known ?? this.create(id);
    const xpBefore = member.xp;
    const levelBefore = this.levelOf(member);
    member.xp += amount;
    change(member);
    return this.change(member, xpBefore, levelBefore, known === undefined);
  }

  claim({ userId: id, reward, utcOffsetMinutes = 0, graceDays = 0, minIntervalMs = 0 }: ClaimRequest) {
    const today = Math.floor((this.nowMs + utcOffsetMinutes * 60_000) / DAY_MS);
    const { day, claimedAt = Number.NEGATIVE_INFINITY, streak = 0 } = this.members.get(id) ?? {};
    const next = (last: number, at: number) =>
      new Date(Math.max((last + 1) * DAY_MS - utcOffsetMinutes * 60_000, at + minIntervalMs));
    const isAhead = claimedAt > this.nowMs + DAY_MS;
    if (day !== undefined && !isAhead && (today <= day || this.nowMs < claimedAt + minIntervalMs)) {
      const member = this.members.get(id) as ModelMember;
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
    for (const { userId: id, set, add = 0, ...rest } of records) {
      const takes = 'floor' in rest && Number(add) < 0;
      if (takes && !this.members.has(id)) {
        changes.push({ userId: id, xpBefore: 0, levelBefore: 0, xp: 0, level: 0, created: false, hidden: false });
        continue;
      }
      const before = this.members.get(id)?.xp ?? 0;
      const sum = BigInt(before) + BigInt(add);
      let exact = set === undefined ? sum : BigInt(set);
      // What takes XP leaves at least none.
      if (takes && exact < 0n) exact = 0n;
      if (exact < 0n || exact > BigInt(MAX_XP)) {
        this.members.clear();
        for (const [id, member] of saved) this.members.set(id, member);
        return undefined;
      }
      const amount = Number(exact) - before;
      const change = this.add(id, amount, (member) => changeProfile(member, rest));
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
    return updates.flatMap(({ userId: id, ...profile }) => {
      const member = this.members.get(id);
      if (!member) return [];
      changeProfile(member, profile);
      return [id];
    });
  }

  move(ids: readonly string[], direction: 'hide' | 'unhide', reason: HideReason = 'moderator'): HideResult {
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

  private create(id: string): ModelMember {
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

  private change(member: ModelMember, xpBefore: number, levelBefore: number, created: boolean) {
    return { xpBefore, levelBefore, xp: member.xp, level: this.levelOf(member), created, hidden: member.hidden };
  }
}

function changeProfile(member: ModelMember, profile: ProfileChange): void {
  const { level, username, dailyStreak, lastDailyClaim } = profile;
  if (level !== undefined) member.level = level ?? undefined;
  if (username !== undefined) member.username = username || undefined;
  if (dailyStreak !== undefined) member.streak = dailyStreak ?? 0;
  if (lastDailyClaim === undefined) return;
  member.claimedAt = lastDailyClaim === null ? undefined : new Date(lastDailyClaim).getTime();
  member.day = member.claimedAt === undefined ? undefined : Math.floor(member.claimedAt / DAY_MS);
}
