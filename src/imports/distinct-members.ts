import { MemberTable } from './member-table.ts';

/** Tells the members of an import apart. */
export class DistinctMembers {
  rows = 0;
  members = 0;
  hidden = 0;
  private readonly table = new MemberTable();

  /** @param maxDistinct members that are told apart. Each row of a further one counts as a member. */
  constructor(private readonly maxDistinct: number) {}

  /** Rows that named a member again. */
  get repeated(): number {
    return this.rows - this.members;
  }

  /** Adds a row. A member that one row hides stays hidden. O(1). @returns whether the row names a member again. */
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
