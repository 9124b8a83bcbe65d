import { MemberTable } from './member-table.ts';

/** Finds the rows of an import that repeat a member. */
export class DistinctMembers {
  rows = 0;
  members = 0;
  hidden = 0;
  private readonly table = new MemberTable();

  /** @param maxDistinct most members that are remembered. Every row of any further member counts as a new member. */
  constructor(private readonly maxDistinct: number) {}

  /** Number of rows that repeated a member. */
  get repeated(): number {
    return this.rows - this.members;
  }

  /** Adds a row. A member that any row hides stays hidden. O(1). @returns whether the row repeats a member. */
  add({ userId, hidden = false }: { readonly userId: string; readonly hidden?: boolean | undefined }): boolean {
    this.rows++;
    const isRepeated = this.table.find(userId);
    if (!isRepeated) this.members++;
    const wasHidden = isRepeated && this.table.isHidden;
    if (hidden && !wasHidden) this.hidden++;
    if (!isRepeated && this.members > this.maxDistinct) return false;
    this.table.set(hidden || wasHidden);
    return isRepeated;
  }
}
