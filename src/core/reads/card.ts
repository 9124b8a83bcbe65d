import { type Curve, type LevelProgress, MAX_XP, progress } from '../ranking/curves.ts';
import { type HideReason, type LeaderboardEntry, reasonsIn } from '../ranking/model.ts';
import { explicitLevel, splitProfile } from '../ranking/profile.ts';
import { GUILD_KEYS } from '../store/redis-keys.ts';
import { defineScript } from '../store/script.ts';
import { curveOf, decodePage, type PageReply, wholeXp } from './read-commands.ts';

/** The reply of card.lua. */
type CardReply = readonly [
  place: 'ranked' | 'hidden' | 'none',
  rank: number | string,
  reasons: string,
  page: PageReply,
];

/** One row of a ranking as a bot reads it. */
export interface RankedMember {
  /** Position in the ranking, from 1. */
  readonly rank: number;
  readonly userId: string;
  /** The display name; the user id for a member without a name. */
  readonly username: string;
  readonly level: number;
  /** Total XP, 0 .. 2^53-1. */
  readonly xp: number;
}

/** How far a member is in its level. */
export type CardProgress = Pick<LevelProgress, 'gained' | 'needed'>;

/** The data of one member that a rank card shows, all read at one moment. */
export interface MemberCard extends Omit<RankedMember, 'rank'> {
  /** Position in the ranking, from 1; null for a hidden member. */
  readonly rank: number | null;
  /** Members in the ranking, including members with XP 0. */
  readonly total: number;
  /** Null for a member with an explicit level, which XP does not change. */
  readonly progress: CardProgress | null;
  /** Total XP at which the next level begins; null at the highest level, and for an explicit level. */
  readonly nextLevelXp: number | null;
  /** The member one rank above; null for the first member of the ranking and for a hidden member. */
  readonly above: RankedMember | null;
  /** The member one rank below; null for the last member of the ranking and for a hidden member. */
  readonly below: RankedMember | null;
  /** Days on which the member has claimed in a row. */
  readonly dailyStreak: number;
  /** Why the member is hidden, one reason or more; null for a ranked member. */
  readonly hidden: readonly HideReason[] | null;
}

/** Reads what a rank card shows of a member, with the members above and below it; null for a user who is no member. */
export const cardScript = defineScript({
  name: 'card',
  keys: [...GUILD_KEYS, 'hiddenReasons'],
  args: ({ userId }: { userId: string }) => [userId],
  decode: (reply: CardReply, { userId }) => decodeCard(reply, userId),
});

/** Decodes the reply of card.lua; null for a user who is no member. @throws StoreUnavailableError "CURVE" for a curve with unfit numbers. */
function decodeCard([place, first, reasons, page]: CardReply, userId: string): MemberCard | null {
  if (place === 'none') return null;
  const { data, total } = decodePage(page, 1, Number(first)).value;
  const index = data.findIndex((row) => row.user_id === userId);
  const { rank, username, level, xp } = data[index] as LeaderboardEntry;
  const profile = splitProfile(page[4][index] ?? null);
  const isExplicit = explicitLevel(profile.level) !== undefined;
  const isRanked = place === 'ranked';
  return {
    rank: isRanked ? rank : null,
    total,
    userId,
    username,
    level,
    xp,
    ...(isExplicit ? { progress: null, nextLevelXp: null } : wayOf(curveOf(page[2]), xp)),
    above: neighbour(data[index - 1]),
    below: neighbour(data[index + 1]),
    dailyStreak: wholeXp(profile.streak),
    hidden: isRanked ? null : reasonsIn(reasons),
  };
}

/** Returns how far XP is in its level. `needed` is 0 at the highest level: the highest level of the curve, or the last level that XP can reach. */
export function boundedProgress(curve: Curve, xp: number): LevelProgress {
  const { level, gained, needed } = progress(curve, xp);
  return { level, gained, needed: xp - gained + needed > MAX_XP ? 0 : needed };
}

function wayOf(curve: Curve, xp: number): Pick<MemberCard, 'progress' | 'nextLevelXp'> {
  const { gained, needed } = boundedProgress(curve, xp);
  return { progress: { gained, needed }, nextLevelXp: needed === 0 ? null : xp - gained + needed };
}

function neighbour(row: LeaderboardEntry | undefined): RankedMember | null {
  return row ? rankedMember(row) : null;
}

/** Returns a row with the names of the bot kit. */
export function rankedMember({ rank, user_id: userId, username, level, xp }: LeaderboardEntry): RankedMember {
  return { rank, userId, username, level, xp };
}
