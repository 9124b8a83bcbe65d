import { guessField, type ImportField } from './fields.ts';
import { PLAIN_STYLE, readNumber } from './numbers.ts';

/** Fields whose names show that a line names columns. The name of a username is no sign: a member can be called "name". */
const TELLING_FIELDS: ReadonlySet<ImportField | undefined> = new Set(['userId', 'xp', 'level', 'guildId']);
const LONG_ID = /\d{15}/;

/** What a record is in a file that can have several tables, one below the other. */
type RecordKind = 'member' | 'names' | 'other table';

/**
 * Tells the members of the first table of a file from the tables below it. The names of the columns of another table stand below an empty line,
 * or are words such as "level" in a line without any digit. If a line repeats the names of the first table, that table continues below the line.
 */
export class CsvTables {
  /** Whether the last line was empty. A title below the empty line does not count. */
  private isBelowGap = false;
  /** Whether the first table has members already. A second line of names directly below its names, such as a line of types, begins no table. */
  private hasMembers = false;
  /** Line with the names of the columns of the second table; undefined until there is such a line. */
  private secondTable: number | undefined;

  /** @param columns the names of the columns of the first table. */
  constructor(private readonly columns: readonly string[]) {}

  /** Takes an empty line. */
  takeGap(): void {
    this.isBelowGap = true;
  }

  /** Takes the next record and returns what it is. O(values). @param line of the record. */
  take(values: readonly string[], line: number): RecordKind {
    if (this.secondTable !== undefined) return 'other table';
    if (!this.isBelowGap && hasDigit(values[0] ?? '')) {
      this.hasMembers = true;
      return 'member';
    }
    const filled = values.map((value) => value.trim()).filter((value) => value !== '');
    const isTitle = filled.length === 1;
    // Each column of a table has a name, but a member without XP has an empty value between other values.
    const isWhole = !hasGap(values);
    const areNames = !isTitle && isWhole && (this.isBelowGap ? !filled.some(isNumeric) : areTellingNames(filled));
    const isRepeated = areNames && !this.isBelowGap && this.isFirstLine(values);
    if (!isTitle) this.isBelowGap = false;
    if (isRepeated) return 'names';
    if (!areNames || !this.hasMembers) {
      this.hasMembers ||= filled.some(isNumeric);
      return 'member';
    }
    this.secondTable = line;
    return 'other table';
  }

  /** Why the records of the second table are not read, for a person. */
  get reason(): string {
    return `it is in another table, which begins in line ${this.secondTable}: save that table as a file of its own`;
  }

  private isFirstLine(values: readonly string[]): boolean {
    const { columns } = this;
    return (
      values.length === columns.length &&
      values.every((value, index) => value.trim().toLowerCase() === columns[index]?.toLowerCase())
    );
  }
}

/** Whether an empty value stands between values that are not empty. */
function hasGap(values: readonly string[]): boolean {
  const isFilled = (value: string) => value.trim() !== '';
  const between = values.slice(values.findIndex(isFilled), values.findLastIndex(isFilled));
  return !between.every(isFilled);
}

const hasDigit = (text: string): boolean => /\d/.test(text);
const isNumeric = (text: string): boolean => LONG_ID.test(text) || readNumber(text, PLAIN_STYLE) !== undefined;

/** Whether texts look like the names of columns, and at least one of them is a name that tells a field of a member. */
function areTellingNames(texts: readonly string[]): boolean {
  return !texts.some(hasDigit) && texts.some((text) => TELLING_FIELDS.has(guessField(text)));
}
