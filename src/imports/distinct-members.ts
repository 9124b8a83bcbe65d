/** Tables of a set. Each grows by itself, so that a set never holds its members twice. */
const TABLES = 64;
/** Slots of a new table. */
const FIRST_SLOTS = 64;
/** A table grows when so many of its slots are taken, by a quarter. */
const FULL = 0.75;
const GROWTH = 1.25;

/**
 * Tells the members of an import apart, with 11 to 14 bytes for each instead of their ids. Two of them are taken for one with a chance of
 * 1 in 10^6 among five million, because a hash of 63 bits stands for the id.
 */
export class DistinctMembers {
  rows = 0;
  members = 0;
  hidden = 0;
  private readonly tables = Array.from({ length: TABLES }, () => new HashTable());

  /** @param maxDistinct members that are told apart. Each row of a further one counts as a member. */
  constructor(private readonly maxDistinct: number) {}

  /** Rows that named a member again. */
  get repeated(): number {
    return this.rows - this.members;
  }

  /** Adds a row. A member that one row hides stays hidden. O(1). @returns whether the row names a member again. */
  add({ userId, hidden = false }: { readonly userId: string; readonly hidden?: boolean | undefined }): boolean {
    this.rows++;
    const high = (hashOf(userId, 0x811c9dc5) || 1) >>> 0;
    const low = (hashOf(userId, 0x9e3779b9) & ~1) >>> 0;
    const table = this.tables[high % TABLES] as HashTable;
    const slot = table.find(high, low);
    const isNew = table.isFree(slot);
    if (isNew) this.members++;
    const isHidden = !isNew && table.isHidden(slot);
    if (hidden && !isHidden) this.hidden++;
    if (isNew && this.members > this.maxDistinct) return false;
    table.set(slot, high, low, hidden || isHidden);
    return !isNew;
  }
}

/** A hash table with linear probing. Its keys are hashes of 63 bits, and each has a bit for a hidden member. */
class HashTable {
  private taken = 0;
  private high = new Uint32Array(FIRST_SLOTS);
  /** The lowest bit says whether the member is hidden. A slot with 0 in `high` is free. */
  private low = new Uint32Array(FIRST_SLOTS);

  /** Returns the slot of a key, or the free one where it goes. */
  find(high: number, low: number): number {
    const { length } = this.high;
    let slot = Math.floor((low / 2 ** 32) * length);
    while (this.high[slot] !== 0 && (this.high[slot] !== high || ((this.low[slot] ?? 0) & ~1) >>> 0 !== low)) {
      slot = slot + 1 === length ? 0 : slot + 1;
    }
    return slot;
  }

  isFree(slot: number): boolean {
    return this.high[slot] === 0;
  }

  isHidden(slot: number): boolean {
    return ((this.low[slot] ?? 0) & 1) === 1;
  }

  /** Takes the slot that {@link find} returned. It is not the slot of the key any more afterwards. */
  set(slot: number, high: number, low: number, isHidden: boolean): void {
    if (this.isFree(slot)) this.taken++;
    this.high[slot] = high;
    this.low[slot] = low | Number(isHidden);
    if (this.taken > FULL * this.high.length) this.grow();
  }

  private grow(): void {
    const { high, low } = this;
    const slots = Math.ceil(GROWTH * high.length);
    this.high = new Uint32Array(slots);
    this.low = new Uint32Array(slots);
    for (const [from, highs] of high.entries()) {
      if (highs === 0) continue;
      const lows = low[from] ?? 0;
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
