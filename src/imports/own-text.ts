/**
 * Returns a copy of a text that was read from a file, for texts that are kept longer than their row or page. The text itself is a part of a piece of
 * the file, and keeps the whole piece in memory. O(length).
 */
export function ownText(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
