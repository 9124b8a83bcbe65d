/** The most bytes of each text that a person, a bot or a file can give. docs/reference.md shows them. */

/** Origins of one API key. */
export const MAX_ORIGINS = 20;
/** Their bytes together, with a space between two. Each use of the key holds them in the memory of the service. */
export const MAX_ORIGINS_BYTES = 2000;

/** The most bytes of each field of the record of an API key. */
export const KEY_FIELD_BYTES = {
  id: 32,
  guild_id: 64,
  name: 256,
  created_at: 32,
  expires_at: 32,
  lifetime_ms: 16,
  origins: MAX_ORIGINS_BYTES,
  cap: 10,
  prefix: 16,
} as const;

/** The most bytes of each text of an entry of an audit log: who did it, from which address, and what. A longer one is cut. */
export const AUDIT_BYTES = { who: 100, from: 64, what: 300 } as const;

/** Ends a text that was cut. */
const CUT = '…';
const CUT_BYTES = 3;

const encoder = new TextEncoder();

/** Returns whether a text has more bytes of UTF-8 than a bound. A huge text is not encoded: it has at least a byte a character. */
export function isAbove(text: string, bytes: number): boolean {
  return text.length > bytes || (text.length * 3 > bytes && encoder.encode(text).length > bytes);
}

/** Returns the fields of the record of an API key, as it is stored, whose values are above their bounds. */
export function oversizedKeyFields(record: Readonly<Record<string, string>>): string[] {
  const bounds = Object.entries(KEY_FIELD_BYTES);
  return bounds.flatMap(([name, bytes]) => {
    const value = record[name] ?? '';
    const isOversized = isAbove(value, bytes) || (name === 'origins' && value.split(/[\s,]+/).length > MAX_ORIGINS);
    return isOversized ? [name] : [];
  });
}

/** Returns a text of that many bytes of UTF-8 at most. A longer one is cut, and ends with "…". */
export function cutText(text: string, bytes: number): string {
  if (!isAbove(text, bytes)) return text;
  const { read } = encoder.encodeInto(text, new Uint8Array(bytes - CUT_BYTES));
  return text.slice(0, read) + CUT;
}
