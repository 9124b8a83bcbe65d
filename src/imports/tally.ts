import { MemberTable } from './member-table.ts';
import type { ImportRow } from './rows.ts';

/** Adds up the members of a file as an import would store them: of a repeated member, the last XP counts, and it is hidden if any row hides it. */
export class Tally {
  rows = 0;
  members = 0;
  hidden = 0;
  /** XP of the members that are not hidden. */
  totalXp = 0n;
  private readonly table = new MemberTable(true);

  /** @param maxDistinct most members that are remembered. Every row of any further member counts as a new member. */
  constructor(private readonly maxDistinct: number) {}

  /** Number of rows that repeated a member. */
  get repeated(): number {
    return this.rows - this.members;
  }

  /** Whether `repeated` counts every such row. */
  get isExact(): boolean {
    return this.members < this.maxDistinct;
  }

  /** Adds a row. O(1). @returns whether the member is hidden now, and whether the row repeats a member. */
  add({ userId, xp, hidden = false }: ImportRow): { readonly isHidden: boolean; readonly isRepeated: boolean } {
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
