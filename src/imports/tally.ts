import { MemberTable } from './member-table.ts';
import type { SeedRow } from './rows.ts';

/** Adds up the members of a file as a load leaves them: of a member that is named again, the last XP counts, and hidden stays hidden. */
export class Tally {
  rows = 0;
  members = 0;
  hidden = 0;
  /** XP of the members that are not hidden. */
  totalXp = 0n;
  private readonly table = new MemberTable(true);

  /** @param maxDistinct members that are told apart. Each row of a further one counts as a member. */
  constructor(private readonly maxDistinct: number) {}

  /** Rows that named a member again. */
  get repeated(): number {
    return this.rows - this.members;
  }

  /** Whether every repeated row was recognized. */
  get isExact(): boolean {
    return this.members < this.maxDistinct;
  }

  /** Adds a row. O(1). @returns whether its member is hidden now, and whether the row names a member again. */
  add({ userId, xp, hidden = false }: SeedRow): { readonly isHidden: boolean; readonly isRepeated: boolean } {
    this.rows++;
    const isRepeated = this.table.find(userId);
    const wasHidden = isRepeated && this.table.isHidden;
    const isHidden = hidden || wasHidden;
    if (!isRepeated) this.members++;
    else if (!wasHidden) this.totalXp -= BigInt(this.table.xp);
    if (!isHidden) this.totalXp += BigInt(xp);
    else if (!wasHidden) this.hidden++;
    if (isRepeated || this.members <= this.maxDistinct) this.table.set(isHidden, xp);
    return { isHidden, isRepeated };
  }
}
