import type { Scripts } from '../redis/commands.ts';
import type { KeyNames } from '../redis/keys.ts';
import { curveNameOf, levelForXp, MAX_XP } from './curves.ts';
import type { GuildStats, LeaderboardEntry, LeaderboardPage, Member } from './model.ts';

/** A value with the revision of the guild that it shows; the revision is "" when the guild has none. */
export interface Revised<T> {
  readonly revision: string;
  readonly value: T;
}

/** Replies as member.lua and stats.lua document them. */
type MemberReply = [
  ...[revision: string, rank: number, xp: string, curve: string],
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

/** Reads a guild. Every method is one atomic script: one round trip, one moment. */
export class LeaderboardReader {
  constructor(
    private readonly scripts: Scripts,
    private readonly keys: KeyNames,
  ) {}

  /**
   * One page of the ranking: XP descending, equal XP by user id in descending byte order.
   * O(log m + limit) in a guild of m members.
   * @param page from 1; one past the end is an empty page with the true total.
   * @throws StoreUnavailableError
   */
  async page(guildId: string, page: number, limit: number): Promise<Revised<LeaderboardPage>> {
    const { xp, stats, config, memberPrefix } = this.keys.guild(guildId);
    // Redis takes 64-bit ranks: far beyond any ranking, but not Number's notation for more.
    const first = Math.min((page - 1) * limit, MAX_XP);
    const reply = await this.scripts.run('page', xp, stats, config, memberPrefix, first, first + limit - 1);
    const [revision, total, storedCurve] = reply as [string, number, string];
    const curve = curveNameOf(storedCurve);
    const data: LeaderboardEntry[] = [];
    for (let i = 3; i < reply.length; i += 4) {
      const userId = reply[i] as string;
      const rowXp = wholeXp(reply[i + 1] as string);
      data.push({
        rank: first + data.length + 1,
        user_id: userId,
        username: (reply[i + 2] as string) || userId,
        level: explicitLevel(reply[i + 3] as string) ?? levelForXp(curve, rowXp),
        xp: rowXp,
      });
    }
    return { revision, value: { data, total, page } };
  }

  /**
   * One member with its rank, or null when the guild does not rank it. O(log m).
   * @throws StoreUnavailableError
   */
  async member(guildId: string, userId: string): Promise<Revised<Member | null>> {
    const { xp, stats, config, memberPrefix } = this.keys.guild(guildId);
    const reply = await this.scripts.run('member', xp, stats, config, memberPrefix + userId, userId);
    const [revision, rank, score, storedCurve, username, level, streak, claim] = reply as MemberReply;
    if (rank < 0) return { revision, value: null };
    const memberXp = wholeXp(score);
    const value: Member = {
      user_id: userId,
      username: username || userId,
      level: explicitLevel(level) ?? levelForXp(curveNameOf(storedCurve), memberXp),
      xp: memberXp,
      rank: rank + 1,
      daily_streak: wholeXp(streak),
      last_daily_claim: isoTime(claim),
    };
    return { revision, value };
  }

  /**
   * The guild's counters and curve. O(1).
   * @throws StoreUnavailableError
   */
  async stats(guildId: string): Promise<Revised<GuildStats>> {
    const { stats, config } = this.keys.guild(guildId);
    const reply = await this.scripts.run('stats', stats, config);
    const [revision, members, totalXp, levelSum, curve, multiplier] = reply as StatsReply;
    const memberCount = wholeXp(members);
    const value: GuildStats = {
      total_members: memberCount,
      total_xp: /^\d+$/.test(totalXp) ? BigInt(totalXp) : 0n,
      average_level: memberCount === 0 ? 0 : Math.round(wholeXp(levelSum) / memberCount),
      xp_curve: curveNameOf(curve),
      xp_multiplier: positiveNumber(multiplier) ?? 1,
    };
    return { revision, value };
  }
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
