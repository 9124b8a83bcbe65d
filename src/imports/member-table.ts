/** Number of hash tables. Each grows on its own, so that never all members are in memory twice at once. */
const TABLES = 64;
/** Slots of a new table. */
const FIRST_SLOTS = 64;
/** A table grows by a quarter when this share of its slots is taken. */
const FULL = 0.75;
const GROWTH = 1.25;

/**
 * Keeps of each member whether it is hidden, and its XP if wanted. It takes 11 to 14 bytes for a member, and 11 to 14 more for XP, because it stores
 * a hash of 63 bits instead of the user id. Among five million members, the chance that two members count as one is 1 in 10^6.
 */
export class MemberTable {
  /** The current member, by its hashes and its table. */
  private high = 0;
  private low = 0;
  private table: HashTable;
  private slot = 0;
  private readonly tables: readonly [HashTable, ...HashTable[]];

  /** @param keepsXp whether the table keeps XP too. */
  constructor(keepsXp = false) {
    const others = Array.from({ length: TABLES - 1 }, () => new HashTable(keepsXp));
    this.tables = [new HashTable(keepsXp), ...others];
    this.table = this.tables[0];
  }

  /** Makes a user the current member. O(1). @returns whether the table has this member. */
  find(userId: string): boolean {
    this.high = (hashOf(userId, 0x811c9dc5) || 1) >>> 0;
    this.low = (hashOf(userId, 0x9e3779b9) & ~1) >>> 0;
    this.table = this.tables[this.high % TABLES] ?? this.tables[0];
    this.slot = this.table.find(this.high, this.low);
    return !this.table.isFree(this.slot);
  }

  /** Whether the current member is hidden. */
  get isHidden(): boolean {
    return this.table.isHidden(this.slot);
  }

  /** XP of the current member; 0 in a table without XP. */
  get xp(): number {
    return this.table.xpOf(this.slot);
  }

  /** Stores the state of the current member. Call {@link find} before the next use of the table. O(1), and O(n) when the table grows. */
  set(isHidden: boolean, xp = 0): void {
    this.table.set(this.slot, this.high, this.low, isHidden, xp);
  }
}

/** A hash table with linear probing. Its keys are hashes of 63 bits, and each has a bit for a hidden member. */
class HashTable {
  private taken = 0;
  private high = new Uint32Array(FIRST_SLOTS);
  /** The lowest bit says whether the member is hidden. A slot with 0 in `high` is free. */
  private low = new Uint32Array(FIRST_SLOTS);
  private xp: Float64Array | undefined;

  constructor(keepsXp: boolean) {
    if (keepsXp) this.xp = new Float64Array(FIRST_SLOTS);
  }

  /** Returns the slot of a key, or the free slot where the key belongs. */
  find(high: number, low: number): number {
    const { length } = this.high;
    let slot = Math.floor((low / 2 ** 32) * length);
    while (this.high[slot] !== 0 && (this.high[slot] !== high || ((this.low[slot] ?? 0) & ~1) >>> 0 !== low)) {
      slot = slot + 1 === length ? 0 : slot + 1;
    }
    return slot;
  }

  /** Whether no member is in a slot. */
  isFree(slot: number): boolean {
    return this.high[slot] === 0;
  }

  /** Whether the member in a slot is hidden. */
  isHidden(slot: number): boolean {
    return ((this.low[slot] ?? 0) & 1) === 1;
  }

  /** Returns the XP of the member in a slot; 0 in a table without XP. */
  xpOf(slot: number): number {
    return this.xp?.[slot] ?? 0;
  }

  /** Stores a key in the slot that {@link find} returned. The table can grow then, so that the key has another slot. */
  set(slot: number, high: number, low: number, isHidden: boolean, xp: number): void {
    if (this.isFree(slot)) this.taken++;
    this.high[slot] = high;
    this.low[slot] = low | Number(isHidden);
    if (this.xp) this.xp[slot] = xp;
    if (this.taken > FULL * this.high.length) this.grow();
  }

  private grow(): void {
    const { high, low, xp } = this;
    const slots = Math.ceil(GROWTH * high.length);
    this.high = new Uint32Array(slots);
    this.low = new Uint32Array(slots);
    if (xp) this.xp = new Float64Array(slots);
    for (const [from, highs] of high.entries()) {
      if (highs === 0) continue;
      const lows = low[from] ?? 0;
      const slot = this.find(highs, (lows & ~1) >>> 0);
      this.high[slot] = highs;
      this.low[slot] = lows;
      if (this.xp) this.xp[slot] = xp?.[from] ?? 0;
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
