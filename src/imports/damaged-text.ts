/** The ways in which programs damage texts. */
const DAMAGES = [
  // One character in UTF-8 that was read as two or more characters of Windows-1252: Latin letters, punctuation and emoji.
  [/Ã[\u0080-\u00BF\u0152-\u0192\u02C6\u02DC\u2013-\u2122]|â€|ðŸ/, 'was written in UTF-8 and read in another encoding'],
  [/&(?:amp|lt|gt|quot|apos|#\d{1,6}|#x[\da-f]{1,5});/i, 'has signs of HTML in place of characters'],
] as const;
/** Characters of an example. */
const MAX_EXAMPLE = 40;

/** Finds texts that a program has damaged. O(1) memory. */
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

  /** Each kind of damage that was found, with the number of such texts and the first of them. */
  get kinds(): readonly { readonly what: string; readonly count: number; readonly example: string }[] {
    return [...this.found].map(([what, kind]) => ({ what, ...kind }));
  }
}
