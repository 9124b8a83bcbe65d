import type { ImportRow } from './rows.ts';

/** Finds the best members of a file, in one pass and bounded memory. */
export class TopMembers {
  private members = new Map<string, ImportRow>();
  /** The best member that was dropped. */
  private floor: ImportRow | undefined;

  constructor(
    private readonly size: number,
    private readonly spare = 1000,
  ) {}

  /**
   * Adds the member of a row. If a member is repeated, the later row wins, and fields that it lacks are kept from the earlier row. O(1), sometimes
   * O(spare log spare).
   */
  add(row: ImportRow): void {
    if (this.floor && byRank(row, this.floor) > 0) {
      this.members.delete(row.userId);
      return;
    }
    // The texts of a row are slices of a piece of the file, which they keep in memory. The copy has texts of its own.
    const own = structuredClone(row);
    this.members.set(own.userId, { ...this.members.get(own.userId), ...own });
    if (this.members.size < 2 * this.spare) return;
    const sorted = [...this.members.values()].sort(byRank);
    this.floor = sorted[this.spare];
    this.members = new Map(sorted.slice(0, this.spare).map((kept) => [kept.userId, kept]));
  }

  /** Removes a member, if it is among the first. */
  remove(userId: string): void {
    this.members.delete(userId);
  }

  /** Returns the members, best first. There are fewer than `size` if so many members were repeated with less XP that too few others are left. */
  list(): ImportRow[] {
    return [...this.members.values()].sort(byRank).slice(0, this.size);
  }
}

/** Compares members in the order of the leaderboard: XP descending, then user id in descending byte order. */
export function byRank(one: ImportRow, other: ImportRow): number {
  if (one.xp !== other.xp) return other.xp - one.xp;
  if (one.userId === other.userId) return 0;
  return one.userId < other.userId ? 1 : -1;
}
