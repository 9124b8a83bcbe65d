import { StoreUnavailableError } from '../errors.ts';
import { type Curve, curveNameOf, levelForXp, MAX_XP, parseCurve } from '../ranking/curves.ts';
import type { LeaderboardEntry, LeaderboardMember, LeaderboardPage, LeaderboardStats } from '../ranking/model.ts';
import { claimTime, explicitLevel, shownName, splitProfile } from '../ranking/profile.ts';
import { type BoardName, READ_KEYS } from '../store/redis-keys.ts';
import { defineScript } from '../store/script.ts';
import type { CommandReply, ReadCommand } from './command-batcher.ts';
import { type Period, periodOf } from './period.ts';

/** A value with the revision of the guild that it shows; the revision is "" for a guild without a revision. */
export interface Versioned<T> {
  readonly revision: string;
  readonly value: T;
}

/** The counters of a guild, and the text of its curve. */
export interface VersionedStats extends Versioned<LeaderboardStats> {
  readonly curve: string;
}

/** A page of a ranking, with the week or month that a board counts; null for the ranking of the guild. */
export interface VersionedPage extends Versioned<LeaderboardPage> {
  readonly period: Period | null;
}

/** The reply of command-page.lua, or of command-board.lua. The rows are user id, XP and so on. */
export type PageReply = readonly [
  revision: string,
  total: number | string,
  curve: string,
  rows: readonly string[],
  profiles: readonly (string | null)[],
  /** Total XP of each member of a board, which gives the level. */
  totals?: readonly string[],
  /** Begin and end of the period of a board (see {@link periodOf}). */
  limits?: readonly string[],
];

/** Reads one page of the ranking: XP descending, equal XP by user id in descending byte order. O(log m + limit) for m members. */
export class PageCommand implements ReadCommand<VersionedPage> {
  readonly line: string;
  readonly isOfBoard: boolean;
  readonly isPublic = false;
  private readonly first: number;

  /**
   * @param page from 1; a page past the end is empty, with the true total.
   * @param board reads a board of the guild instead of its ranking.
   */
  constructor(
    readonly guildId: string,
    private readonly page: number,
    readonly weight: number,
    board?: BoardName,
  ) {
    // Redis takes 64-bit ranks, but not Number's notation for larger numbers.
    this.first = Math.min((page - 1) * weight, MAX_XP);
    this.line = [commandName('page', board), this.first, this.first + weight - 1].join(' ');
    this.isOfBoard = board !== undefined;
  }

  decode(reply: CommandReply): VersionedPage {
    return decodePage(reply as PageReply, this.page, this.first);
  }
}

/** Reads one member with its rank; null when the guild does not rank it. O(log m). */
export class MemberCommand implements ReadCommand<Versioned<LeaderboardMember | null>> {
  readonly line: string;
  readonly weight = 1;
  readonly isOfBoard: boolean;
  readonly isPublic = false;

  constructor(
    readonly guildId: string,
    private readonly userId: string,
    board?: BoardName,
  ) {
    this.line = [commandName('member', board), userId].join(' ');
    this.isOfBoard = board !== undefined;
  }

  decode(reply: CommandReply): Versioned<LeaderboardMember | null> {
    return decodeMember(reply as readonly (string | number)[], this.userId);
  }
}

/** Reads the counters and the curve of a guild. O(1). */
export class StatsCommand implements ReadCommand<VersionedStats> {
  readonly line: string;
  readonly weight = 1;
  readonly isOfBoard: boolean;
  readonly isPublic = false;

  constructor(
    readonly guildId: string,
    board?: BoardName,
  ) {
    this.line = commandName('stats', board);
    this.isOfBoard = board !== undefined;
  }

  decode(reply: CommandReply): VersionedStats {
    return decodeStats(reply as readonly string[]);
  }
}

/** Returns the name of a command of batch.lua for a ranking. */
export function commandName(command: string, board: BoardName | undefined): string {
  return board ? `${command}~${board}` : command;
}

/** Reads the rules of a guild, as the JSON text that is stored; "" without any. O(1). */
export class RulesCommand implements ReadCommand<Versioned<string>> {
  readonly line = 'rules';
  readonly weight = 1;
  readonly isOfBoard = false;
  readonly isPublic = false;

  constructor(readonly guildId: string) {}

  decode(reply: CommandReply): Versioned<string> {
    const [revision, value] = reply as readonly [string, string];
    return { revision: parseRevision(revision), value };
  }
}

/** Decodes the reply of a page. @param first rank of its first row, from 0. */
export function decodePage(
  [revision, total, storedCurve, rows, profiles, totals, limits]: PageReply,
  page: number,
  first: number,
): VersionedPage {
  const curve = curveOf(storedCurve);
  const data = profiles.map((profile, index): LeaderboardEntry => {
    const userId = rows[2 * index] as string;
    const xp = wholeXp(rows[2 * index + 1] as string);
    const { username, level } = splitProfile(profile);
    return {
      rank: first + index + 1,
      user_id: userId,
      username: shownName(username, userId),
      level: explicitLevel(level) ?? levelForXp(curve, totals ? wholeXp(totals[index] as string) : xp),
      xp,
    };
  });
  const value = { data, total: Number(total), page };
  return { revision: parseRevision(revision), value, period: periodOf(limits) };
}

/**
 * Reads a member of a ranking with the members above and below it; null for a user who is not ranked. The keys of the board come last, if a board is
 * read.
 */
export const aroundScript = defineScript({
  name: 'around',
  keys: READ_KEYS,
  args: ({ userId, reach, board }: { userId: string; reach: string; board: BoardName | undefined }) => [
    userId,
    reach,
    board ?? '',
  ],
  decode([first, page]: readonly [number | string, PageReply]): VersionedPage | null {
    return Number(first) < 0 ? null : decodePage(page, 1, Number(first));
  },
});

/** Decodes the reply of command-member.lua, or of command-board.lua. */
function decodeMember(reply: readonly (string | number)[], userId: string): Versioned<LeaderboardMember | null> {
  const [revision = '', rank, score, storedCurve, profile = '', total] = reply.map(String);
  if (rank === '-1') return { revision: parseRevision(revision), value: null };
  const { username, level, streak, claim } = splitProfile(profile);
  const xp = wholeXp(score ?? '');
  const value: LeaderboardMember = {
    user_id: userId,
    username: shownName(username, userId),
    level: explicitLevel(level) ?? levelForXp(curveOf(storedCurve ?? ''), total === undefined ? xp : wholeXp(total)),
    xp,
    rank: Number(rank) + 1,
    daily_streak: wholeXp(streak),
    last_daily_claim: claimTime(claim),
  };
  return { revision: parseRevision(revision), value };
}

/** Decodes the reply of command-stats.lua. */
export function decodeStats(reply: readonly string[]): VersionedStats {
  const [revision = '', members = '', totalXp = '', levelSum = '', curve = '', multiplier = ''] = reply;
  const memberCount = wholeXp(members);
  const value: LeaderboardStats = {
    total_members: memberCount,
    total_xp: /^\d+$/.test(totalXp) ? BigInt(totalXp) : 0n,
    average_level: averageLevel(levelSum, memberCount),
    xp_curve: curveNameOf(curve),
    xp_multiplier: multiplierOf(multiplier),
  };
  return { revision: parseRevision(revision), value, curve };
}

/**
 * Returns the curve of a guild's text.
 * @throws StoreUnavailableError when a guild has a curve of its own with unfit coefficients, because any other curve would show wrong levels.
 */
export function curveOf(stored: string): Curve {
  const curve = parseCurve(stored);
  if (curve) return curve;
  throw new StoreUnavailableError(
    new Error(`CURVE the guild has the curve ${stored}, with unfit coefficients: set a known curve`),
  );
}

/** Returns the mean, rounded half up; 0 without members. A sum of explicit levels can pass 2^53. */
export function averageLevel(levelSum: string, members: number): number {
  if (members === 0) return 0;
  if (!/^\d{16,}$/.test(levelSum)) return Math.round(wholeXp(levelSum) / members);
  const count = BigInt(members);
  return Number((2n * BigInt(levelSum) + count) / (2n * count));
}

/**
 * Returns the revision, or "" if it is not a whole number, so that no response is cached by it. Made from the number, because a piece of a
 * reply keeps the whole reply in memory.
 */
export function parseRevision(revision: string): string {
  const number = Number(revision);
  const own = number >= 0 && Number.isSafeInteger(number) ? String(number) : '';
  return own === revision ? own : '';
}

/** Returns an integer 0 .. 2^53-1 for any score: a raw writer can leave a fraction, a negative number or an infinity. */
export function wholeXp(text: string): number {
  if (text === 'inf') return MAX_XP;
  const n = Math.floor(Number(text));
  return n > 0 ? Math.min(n, MAX_XP) : 0;
}

/** Returns a stored multiplier of XP. A text that is no number from 0 counts as 1. */
function multiplierOf(text: string): number {
  const n = text === '' ? Number.NaN : Number(text);
  return Number.isFinite(n) && n >= 0 ? n : 1;
}
