import { count, digits } from '../core/readable.ts';
import { formatNamed } from './formats.ts';
import type { Input } from './inputs.ts';
import type { Entry } from './rows.ts';

/** Kinds of reasons that are told apart, and rows of each that are named. A broken file can have millions. */
const MAX_KINDS = 50;
const MAX_NAMED = 5;

/** Bad rows with the same reason but for their values. */
interface Kind {
  /** The first of them, with its place. */
  readonly first: string;
  /** Places of the next ones. */
  readonly more: string[];
  count: number;
}

/** A row that was left out. */
export interface RefusedRow {
  readonly file: string;
  readonly unit: 'line' | 'element';
  readonly at: number;
  readonly reason: string;
}

/** Counts the bad rows of a run, grouped by their reason. */
export class Problems {
  /** Bad rows. */
  count = 0;
  private readonly kinds = new Map<string, Kind>();

  /** @param onRefused called with each of them. */
  constructor(private readonly onRefused: (row: RefusedRow) => void = () => {}) {}

  add({ name: file, unit }: { readonly name: string; readonly unit: RefusedRow['unit'] }, { at, row }: Entry): void {
    const reason = String(row);
    this.count++;
    this.onRefused({ file, unit, at, reason });
    const kind = this.kinds.get(kindOf(file, reason));
    if (kind) {
      kind.count++;
      if (kind.more.length < MAX_NAMED) kind.more.push(digits(at));
    } else if (this.kinds.size < MAX_KINDS)
      this.kinds.set(kindOf(file, reason), { first: `${file} ${unit} ${at}: ${reason}`, more: [], count: 1 });
  }

  /** Returns a line for each kind of reason, the most frequent first: its first row, and the places of the next ones. */
  lines(): string[] {
    const kinds = [...this.kinds.values()].sort((one, other) => other.count - one.count);
    const told = kinds.map(({ first, more, count: rows }) => {
      if (rows === 1) return first;
      const rest = rows - 1 > more.length ? ', …' : '';
      return `${first} (and ${count(rows - 1, 'row')} like it: ${more.join(', ')}${rest})`;
    });
    const left = this.count - kinds.reduce((sum, { count: rows }) => sum + rows, 0);
    return left > 0 ? [...told, `${badRows(left)} for other reasons`] : told;
  }
}

/** Returns a reason without the values in it. */
function kindOf(file: string, reason: string): string {
  return `${file}\n${reason.replace(/"(?:[^"\\]|\\.)*"?/g, '"').replace(/\d+/g, '0')}`;
}

/** Returns a line about the members that the files hide, where their bot shows them again by itself. */
export function hiddenNotice(inputs: readonly Pick<Input, 'format'>[], hidden: number): string | undefined {
  const about = inputs.map(({ format }) => format && formatNamed(format).aboutHidden).find(Boolean);
  return about && hidden > 0 ? `${hiddenMembers(hidden)}: ${about}` : undefined;
}

/** Returns "1 bad row". */
export const badRows = (n: number): string => count(n, 'bad row');
/** Returns "1 row repeated a member". */
export const repeatedRows = (n: number): string => `${count(n, 'row')} repeated a member`;
/** Returns "2 hidden". */
export const hiddenMembers = (n: number): string => `${digits(n)} hidden`;
