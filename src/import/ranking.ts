import type { SeedRow } from './rows.ts';

/** The first members of a file as they would rank, from one reading in bounded memory. */
export class TopMembers {
  private members = new Map<string, SeedRow>();
  /** The best member that was let go of. */
  private floor: SeedRow | undefined;

  constructor(
    private readonly size: number,
    private readonly spare = 1000,
  ) {}

  /** A member named again takes the place of the earlier one. O(1), now and then O(spare log spare). */
  add(row: SeedRow): void {
    if (this.floor && byRank(row, this.floor) > 0) {
      this.members.delete(row.userId);
      return;
    }
    this.members.set(row.userId, row);
    if (this.members.size < 2 * this.spare) return;
    const sorted = [...this.members.values()].sort(byRank);
    this.floor = sorted[this.spare] as SeedRow;
    this.members = new Map(sorted.slice(0, this.spare).map((kept) => [kept.userId, kept]));
  }

  /** Best first. Fewer than asked for when so many were named again with less XP that the rest is no longer known. */
  list(): SeedRow[] {
    return [...this.members.values()].sort(byRank).slice(0, this.size);
  }
}

/** Redis's own order, read backwards: XP descending, then user id in descending byte order. */
export function byRank(one: SeedRow, other: SeedRow): number {
  if (one.xp !== other.xp) return other.xp - one.xp;
  return one.userId < other.userId ? 1 : one.userId > other.userId ? -1 : 0;
}
