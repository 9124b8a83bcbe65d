import { type CommandBatcher, fields } from '../redis/command-batcher.ts';
import { curveNameOf, levelForXp, MAX_XP } from './curves.ts';
import type { GuildStats, LeaderboardEntry, LeaderboardPage, Member } from './model.ts';

/** A value with the revision of the guild that it shows; the revision is "" when the guild has none. */
export interface Versioned<T> {
  readonly revision: string;
  readonly value: T;
}

/** Replies as job-member.lua and job-stats.lua document them. */
type MemberReply = [
  ...[revision: string, rank: string, xp: string, curve: string],
  ...[username: string, level: string, streak: string, claim: string],
];
type StatsReply = [
  revision: string,
  members: string,
  totalXp: string,
  levelSum: string,
  curve: string,
  multiplier: string,
];

/**
 * Reads a guild. Every method is one atomic job, in one round trip, and shows one moment. Given the revision that the caller
 * holds an answer of, a method returns undefined when the guild is still at it.
 */
export class LeaderboardReader {
  constructor(private readonly commands: CommandBatcher) {}

  /**
   * One page of the ranking: XP descending, equal XP by user id in descending byte order.
   * O(log m + limit) in a guild of m members.
   * @param page from 1; one past the end is an empty page with the true total.
   * @throws StoreUnavailableError
   */
  page(guildId: string, page: number, limit: number): Promise<Versioned<LeaderboardPage>>;
  page(guildId: string, page: number, limit: number, held?: string): Promise<Versioned<LeaderboardPage> | undefined>;
  page(guildId: string, page: number, limit: number, held = ''): Promise<Versioned<LeaderboardPage> | undefined> {
    // Redis takes 64-bit ranks: far beyond any ranking, but not Number's notation for more.
    const first = Math.min((page - 1) * limit, MAX_XP);
    const decode = (reply: string) => (reply === '' ? undefined : decodePage(fields(reply), page, first));
    return this.commands.run(guildId, `page ${first} ${first + limit - 1} ${held}`, decode, limit);
  }

  /**
   * One member with its rank, or null when the guild does not rank it. O(log m).
   * @throws StoreUnavailableError
   */
  member(guildId: string, userId: string): Promise<Versioned<Member | null>>;
  member(guildId: string, userId: string, held?: string): Promise<Versioned<Member | null> | undefined>;
  member(guildId: string, userId: string, held = ''): Promise<Versioned<Member | null> | undefined> {
    const decode = (reply: string) => (reply === '' ? undefined : decodeMember(fields(reply) as MemberReply, userId));
    return this.commands.run(guildId, `member ${userId} ${held}`, decode);
  }

  /**
   * The guild's counters and curve. O(1).
   * @throws StoreUnavailableError
   */
  stats(guildId: string): Promise<Versioned<GuildStats>>;
  stats(guildId: string, held?: string): Promise<Versioned<GuildStats> | undefined>;
  stats(guildId: string, held = ''): Promise<Versioned<GuildStats> | undefined> {
    const decode = (reply: string) => (reply === '' ? undefined : decodeStats(fields(reply) as StatsReply));
    return this.commands.run(guildId, `stats ${held}`, decode);
  }
}

function decodePage(reply: string[], page: number, first: number): Versioned<LeaderboardPage> {
  const [revision, total, storedCurve] = reply as [string, string, string];
  const curve = curveNameOf(storedCurve);
  const data: LeaderboardEntry[] = [];
  for (let i = 3; i < reply.length; i += 4) {
    const userId = reply[i] as string;
    const xp = wholeXp(reply[i + 1] as string);
    data.push({
      rank: first + data.length + 1,
      user_id: userId,
      username: reply[i + 2] || userId,
      level: explicitLevel(reply[i + 3] as string) ?? levelForXp(curve, xp),
      xp,
    });
  }
  return { revision: parseRevision(revision), value: { data, total: Number(total), page } };
}

function decodeMember(reply: MemberReply, userId: string): Versioned<Member | null> {
  const [revision, rank, score, storedCurve, username, level, streak, claim] = reply;
  if (rank === '-1') return { revision: parseRevision(revision), value: null };
  const xp = wholeXp(score);
  const value: Member = {
    user_id: userId,
    username: username || userId,
    level: explicitLevel(level) ?? levelForXp(curveNameOf(storedCurve), xp),
    xp,
    rank: Number(rank) + 1,
    daily_streak: wholeXp(streak),
    last_daily_claim: isoTime(claim),
  };
  return { revision: parseRevision(revision), value };
}

function decodeStats(reply: StatsReply): Versioned<GuildStats> {
  const [revision, members, totalXp, levelSum, curve, multiplier] = reply;
  const memberCount = wholeXp(members);
  const value: GuildStats = {
    total_members: memberCount,
    total_xp: /^\d+$/.test(totalXp) ? BigInt(totalXp) : 0n,
    average_level: memberCount === 0 ? 0 : Math.round(wholeXp(levelSum) / memberCount),
    xp_curve: curveNameOf(curve),
    xp_multiplier: positiveNumber(multiplier) ?? 1,
  };
  return { revision: parseRevision(revision), value };
}

/**
 * What is not a whole number is no revision: an answer is not to be held by it. Written anew from the number, because a piece of a reply
 * keeps the whole of it in memory as long as it is held.
 */
function parseRevision(revision: string): string {
  const number = Number(revision);
  const own = number >= 0 && Number.isSafeInteger(number) ? String(number) : '';
  return own === revision ? own : '';
}

/** A raw writer can leave a fraction or a negative score; an answer's XP is an integer 0 .. 2^53-1 whatever it left. */
function wholeXp(text: string): number {
  const n = Math.floor(Number(text));
  return n > 0 ? Math.min(n, MAX_XP) : 0;
}

function explicitLevel(text: string): number | undefined {
  return text !== '' && /^\d+$/.test(text) ? Math.min(Number(text), MAX_XP) : undefined;
}

function positiveNumber(text: string): number | undefined {
  const n = text === '' ? Number.NaN : Number(text);
  return Number.isFinite(n) && n >= 0 ? n : undefined;
}

/** The stored time as ISO 8601 in UTC; what is not a time counts as none. */
function isoTime(text: string): string | null {
  const time = text === '' ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}
