import type { SeedRow } from './rows.ts';

/** Finds the first members of a file by rank, in one pass and bounded memory. */
export class TopMembers {
  private members = new Map<string, SeedRow>();
  /** The best member that was dropped. */
  private floor: SeedRow | undefined;

  constructor(
    private readonly size: number,
    private readonly spare = 1000,
  ) {}

  /** Adds a member; of one that is named again, fields that the later row lacks stay. O(1), sometimes O(spare log spare). */
  add(row: SeedRow): void {
    if (this.floor && byRank(row, this.floor) > 0) {
      this.members.delete(row.userId);
      return;
    }
    // The texts of a row are parts of a piece of the file. The copy has texts of its own, so that it does not keep the whole piece in memory.
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

  /** Returns the members, best first. Fewer than `size` when too many were named again with less XP, so that the rest was dropped. */
  list(): SeedRow[] {
    return [...this.members.values()].sort(byRank).slice(0, this.size);
  }
}

/** Compares as the leaderboard ranks: XP descending, then user id in descending byte order. */
export function byRank(one: SeedRow, other: SeedRow): number {
  if (one.xp !== other.xp) return other.xp - one.xp;
  return one.userId < other.userId ? 1 : one.userId > other.userId ? -1 : 0;
}
