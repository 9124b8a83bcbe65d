/** Slots of a new set; a power of two. */
const FIRST_SLOTS = 1 << 12;
/** A set grows when so many of its slots are taken. */
const FULL = 0.7;

/**
 * Tells the members of an import apart, with 12 to 24 bytes for each instead of their ids. Two of them are taken for one with a chance of
 * 1 in 10^6 among five million, because a hash of 63 bits stands for the id.
 */
export class DistinctMembers {
  rows = 0;
  members = 0;
  hidden = 0;
  private high = new Uint32Array(FIRST_SLOTS);
  /** The lowest bit says whether the member is hidden. A slot with 0 in both is free. */
  private low = new Uint32Array(FIRST_SLOTS);

  /** @param maxDistinct members that are told apart. Each row of a further one counts as a member. */
  constructor(private readonly maxDistinct: number) {}

  /** Rows that named a member again. */
  get repeated(): number {
    return this.rows - this.members;
  }

  /** Adds a row. A member that one row hides stays hidden. O(1). @returns whether the row names a member again. */
  add({ userId, hidden = false }: { readonly userId: string; readonly hidden?: boolean | undefined }): boolean {
    this.rows++;
    const high = hashOf(userId, 0x811c9dc5) || 1;
    const low = hashOf(userId, 0x9e3779b9) & ~1;
    const slot = this.find(high >>> 0, low >>> 0);
    const isNew = this.high[slot] === 0;
    if (isNew) this.members++;
    const isHidden = !isNew && ((this.low[slot] ?? 0) & 1) === 1;
    if (hidden && !isHidden) this.hidden++;
    if (isNew && this.members > this.maxDistinct) return false;
    this.high[slot] = high;
    this.low[slot] = low | Number(hidden || isHidden);
    if (isNew && this.members > FULL * this.high.length) this.grow();
    return !isNew;
  }

  /** Returns the slot of a member, or the free one where it goes. */
  private find(high: number, low: number): number {
    const mask = this.high.length - 1;
    let slot = low >>> 1;
    for (slot &= mask; this.high[slot] !== 0; slot = (slot + 1) & mask) {
      if (this.high[slot] === high && ((this.low[slot] ?? 0) & ~1) >>> 0 === low) break;
    }
    return slot;
  }

  private grow(): void {
    const { high, low } = this;
    this.high = new Uint32Array(2 * high.length);
    this.low = new Uint32Array(2 * high.length);
    for (let from = 0; from < high.length; from++) {
      const [highs, lows] = [high[from] ?? 0, low[from] ?? 0];
      if (highs === 0) continue;
      const slot = this.find(highs, (lows & ~1) >>> 0);
      this.high[slot] = highs;
      this.low[slot] = lows;
    }
  }
}

/** Returns 32 bits that depend on all characters of a text: FNV-1a, with the last steps of MurmurHash3. */
function hashOf(text: string, seed: number): number {
  let hash = seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
