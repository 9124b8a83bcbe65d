/** What a program can do to texts on their way. */
const DAMAGES = [
  // The bytes of one character in UTF-8 as two or more of Windows-1252: those of Latin letters, of punctuation and of emoji.
  [/Ã[\u0080-\u00BF\u0152-\u0192\u02C6\u02DC\u2013-\u2122]|â€|ðŸ/, 'was written in UTF-8 and read in another encoding'],
  [/&(?:amp|lt|gt|quot|apos|#\d{1,6}|#x[\da-f]{1,5});/i, 'has signs of HTML in place of characters'],
] as const;
/** Characters of an example. */
const MAX_EXAMPLE = 40;

/** Finds texts that a program has damaged. O(1) of memory. */
export class DamagedText {
  private readonly found = new Map<string, { count: number; readonly example: string }>();

  /** Takes a text. O(length). */
  add(text: string): void {
    for (const [pattern, what] of DAMAGES) {
      if (!pattern.test(text)) continue;
      const kind = this.found.get(what);
      if (kind) kind.count++;
      else this.found.set(what, { count: 1, example: text.slice(0, MAX_EXAMPLE) });
    }
  }

  /** What was done to texts, with the number of these and the first. */
  get kinds(): readonly { readonly what: string; readonly count: number; readonly example: string }[] {
    return [...this.found].map(([what, kind]) => ({ what, ...kind }));
  }
}
