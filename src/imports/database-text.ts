/** Words that databases and programs write for a missing value. A member can have such a name too. */
const NO_VALUE_WORDS: ReadonlySet<string> = new Set(['NULL', 'null', '\\N', 'NaN', 'nan', '<NA>', '#N/A', 'None']);
/** A text in which each backslash begins an escape, as mysql and psql write it. */
const ESCAPED = /^(?:[^\\]|\\[\\tnrbfv0])*$/;
const ESCAPES: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', b: '\b', f: '\f', v: '\v', 0: '\0' };

/** Gathers the signs in the values of a column that a database wrote them. O(1) memory. */
export class DatabaseMarks {
  /** The number of values that are a word for a missing value, by word. */
  readonly words = new Map<string, number>();
  /** Values with an escaped backslash, and values with a backslash that escapes nothing. */
  private doubled = 0;
  private loose = 0;

  /** Takes a value. O(length). */
  add(text: string): void {
    const { length } = text;
    if (length > 1 && length < 5 && NO_VALUE_WORDS.has(text)) this.words.set(text, (this.words.get(text) ?? 0) + 1);
    else if (text.includes('\\')) {
      if (!ESCAPED.test(text)) this.loose++;
      else if (text.includes('\\\\')) this.doubled++;
    }
  }

  /** Whether each backslash begins an escape, and a backslash is escaped too. */
  get isEscaped(): boolean {
    return this.doubled > 0 && this.loose === 0;
  }
}

/** How the names of members in a file of columns are read. */
export interface NameReading {
  /** Words that count as no name. */
  readonly noNames: ReadonlySet<string>;
  /** Whether a backslash begins an escape. */
  readonly areEscaped: boolean;
}

/** The reading of names as they stand. */
export const PLAIN_NAMES: NameReading = { noNames: new Set(), areEscaped: false };

/** Returns the name of a member from its text in the file; null for no name. */
export function readName(text: string, { noNames, areEscaped }: NameReading): string | null {
  if (text === '' || noNames.has(text)) return null;
  return areEscaped ? text.replace(/\\(.)/g, (_, char: string) => ESCAPES[char] ?? char) : text;
}
