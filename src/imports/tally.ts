import type { SeedRow } from './rows.ts';

/** Marks a hidden member, whose XP is in no total. */
const HIDDEN = -1;

/** Adds up the members of a file as a load leaves them: of a member that is named again, the last XP counts, and hidden stays hidden. */
export class Tally {
  rows = 0;
  members = 0;
  hidden = 0;
  /** XP of the members that are not hidden. */
  totalXp = 0n;
  /** XP by user id, or {@link HIDDEN}. */
  private readonly xpOf = new Map<string, number>();

  /** @param maxDistinct members that are told apart, at about 100 bytes each. Each row of a further one counts as a member. */
  constructor(private readonly maxDistinct: number) {}

  /** Rows that named a member again. */
  get repeated(): number {
    return this.rows - this.members;
  }

  /** Whether every repeated row was recognized. */
  get isExact(): boolean {
    return this.xpOf.size < this.maxDistinct;
  }

  /** Adds a row. @returns whether its member is hidden now, and whether the row names a member again. */
  add({ userId, xp, hidden = false }: SeedRow): { readonly isHidden: boolean; readonly isRepeated: boolean } {
    this.rows++;
    const before = this.xpOf.get(userId);
    const after = hidden || before === HIDDEN ? HIDDEN : xp;
    if (before === undefined) this.members++;
    else if (before !== HIDDEN) this.totalXp -= BigInt(before);
    if (after !== HIDDEN) this.totalXp += BigInt(after);
    else if (before !== HIDDEN) this.hidden++;
    if (before !== undefined || this.isExact) this.xpOf.set(userId, after);
    return { isHidden: after === HIDDEN, isRepeated: before !== undefined };
  }
}
