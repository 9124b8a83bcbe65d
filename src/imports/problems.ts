import { count, digits } from '../core/readable.ts';
import type { Entry } from './rows.ts';

/** Bad rows that are shown one by one. A broken file can have millions. */
const MAX_SHOWN = 20;

/** Counts the bad rows of a run, and shows the first ones. */
export class Problems {
  /** Bad rows. */
  count = 0;

  constructor(private readonly write: (line: string) => void) {}

  /** @param place file and unit, such as "members.csv line". */
  add(place: string, { at, row }: Entry): void {
    this.count++;
    if (this.count <= MAX_SHOWN) this.write(`${place} ${at}: ${row}`);
    if (this.count === MAX_SHOWN + 1) this.write('More bad rows are counted, not shown.');
  }
}

/** Returns "1 bad row". */
export const badRows = (n: number): string => count(n, 'bad row');
/** Returns "1 row repeated a member". */
export const repeatedRows = (n: number): string => `${count(n, 'row')} repeated a member`;
/** Returns "2 hidden". */
export const hiddenMembers = (n: number): string => `${digits(n)} hidden`;
