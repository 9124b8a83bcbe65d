/** Most keys to remember. They take 256 KiB. */
const SLOTS = 65_536;

/**
 * Tells a key that was met before from a new key, so that a cache keeps only entries that clients ask for again. Clients ask only once for most
 * members and for most pages far down: if a cache kept these entries, the garbage collector would move them for nothing. The name comes from
 * Einziger, Friedman and Manes, "TinyLFU" (2017), section 3.4.2.
 */
export class Doorkeeper {
  /** The hash of the last key in each slot. */
  private readonly hashes = new Uint32Array(SLOTS);

  /**
   * Notes a key. O(length).
   * @returns whether the key was met before. The answer may be wrong: a key with the same slot displaces the key, and a key with the same hash passes for it.
   */
  meet(key: string): boolean {
    const hash = fnv1a(key);
    const slot = hash % SLOTS;
    const isKnown = this.hashes[slot] === hash;
    this.hashes[slot] = hash;
    return isKnown;
  }
}

/** Returns the hash FNV-1a of a text by its UTF-16 code units: http://www.isthe.com/chongo/tech/comp/fnv. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
