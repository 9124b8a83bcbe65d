import { digits, withNoun } from '../core/format-numbers.ts';
import { formatNamed } from './formats.ts';
import type { Input } from './inputs.ts';
import { quote } from './row-values.ts';
import type { RowEntry } from './rows.ts';

/** Most kinds of reasons that are listed, and most rows of a kind that are named. A broken file can have millions of bad rows. */
const MAX_KINDS = 50;
const MAX_NAMED = 5;

/** Rows with the same reason, apart from the values in it. */
interface Kind {
  /** The first row with its position. */
  readonly first: string;
  /** Positions of the next rows. */
  readonly more: string[];
  count: number;
}

/** A row that was left out. */
export interface RefusedRow extends Pick<RowEntry, 'content'> {
  readonly file: string;
  readonly unit: 'line' | 'element';
  readonly at: number;
  readonly reason: string;
}

/** Where a row stands. */
export interface RowPosition {
  readonly input: { readonly name: string; readonly unit: RefusedRow['unit'] };
  /** Line of the file from 1, or number of the element from 1. */
  readonly at: number;
}

/** Groups rows by their reasons, apart from the values in them. */
class GroupedRows {
  count = 0;
  private readonly kinds = new Map<string, Kind>();

  /** Adds a row with its reason. O(1). */
  add({ input: { name, unit }, at }: RowPosition, reason: string): void {
    this.count++;
    const kind = this.kinds.get(kindOf(name, reason));
    if (kind) {
      kind.count++;
      if (kind.more.length < MAX_NAMED) kind.more.push(digits(at));
    } else if (this.kinds.size < MAX_KINDS)
      this.kinds.set(kindOf(name, reason), { first: `${name} ${unit} ${at}: ${reason}`, more: [], count: 1 });
  }

  /** Returns a line for each kind of reason, the most frequent first: its first row, and the positions of the next rows. */
  lines(): string[] {
    const kinds = [...this.kinds.values()].sort((one, other) => other.count - one.count);
    const told = kinds.map(({ first, more, count: rows }) => {
      if (rows === 1) return first;
      const rest = rows - 1 > more.length ? ', …' : '';
      return `${first} (and ${withNoun(rows - 1, 'row')} like it: ${more.join(', ')}${rest})`;
    });
    const left = this.count - kinds.reduce((sum, { count: rows }) => sum + rows, 0);
    return left > 0 ? [...told, `${badRows(left)} for other reasons`] : told;
  }
}

/** The rows of a run that a person should know about, grouped by their reason: bad rows, rows that repeat a member, and rows without their avatar. */
export class Problems {
  private readonly bad = new GroupedRows();
  private readonly repeated = new GroupedRows();
  private readonly avatars = new GroupedRows();

  /** @param onRefused called with each bad row. */
  constructor(private readonly onRefused: (row: RefusedRow) => void = () => {}) {}

  /** Bad rows. */
  get count(): number {
    return this.bad.count;
  }

  /** Rows that are imported without their avatar. */
  get avatarCount(): number {
    return this.avatars.count;
  }

  /** Adds a bad row. */
  add(input: RowPosition['input'], { at, row, content }: RowEntry): void {
    const reason = String(row);
    this.onRefused({ file: input.name, unit: input.unit, at, reason, ...(content && { content }) });
    this.bad.add({ input, at }, reason);
  }

  /** Adds a good row that repeats the member of an earlier row. */
  addRepeated(position: RowPosition, userId: string): void {
    this.repeated.add(position, `it names the member ${quote(userId)} again, and the last row of a member is imported`);
  }

  /** Adds a good row whose avatar cannot be read. */
  addAvatar(position: RowPosition, reason: string): void {
    this.avatars.add(position, reason);
  }

  /** Returns lines about the bad rows, as {@link GroupedRows.lines}. */
  lines(): string[] {
    return this.bad.lines();
  }

  /** Returns lines about the rows that repeat a member. */
  repeatedLines(): string[] {
    return this.repeated.lines();
  }

  /** Returns lines about the rows that are imported without their avatar. */
  avatarLines(): string[] {
    return this.avatars.lines();
  }
}

/** Returns a reason without the values in it. */
function kindOf(file: string, reason: string): string {
  return `${file}\n${reason.replace(/"(?:[^"\\]|\\.)*"?/g, '"').replace(/\d+/g, '0')}`;
}

/** Returns a line about hidden members, if the bot of the files would have shown them again by itself. */
export function hiddenNotice(inputs: readonly Pick<Input, 'format'>[], hidden: number): string | undefined {
  const about = inputs.map(({ format }) => format && formatNamed(format).aboutHidden).find(Boolean);
  return about && hidden > 0 ? `${hiddenMembers(hidden)}: ${about}` : undefined;
}

/** Returns "1 bad row". */
export const badRows = (n: number): string => withNoun(n, 'bad row');
/** Returns "1 row repeated a member". */
export const repeatedRows = (n: number): string => `${withNoun(n, 'row')} repeated a member`;
/** Returns "1 avatar left out". */
export const avatarsLeftOut = (n: number): string => `${withNoun(n, 'avatar')} left out`;
/** Returns "2 hidden". */
export const hiddenMembers = (n: number): string => `${digits(n)} hidden`;
