import type { Entry } from './rows.ts';

/** How many bad rows are named one by one; a broken file could have millions. */
const NAMED = 20;

/** The bad rows of a run: names the first ones as they come, and counts them all. */
export class Problems {
  count = 0;

  constructor(private readonly write: (line: string) => void) {}

  /** `place` is the file and the unit, such as "members.csv line". */
  add(place: string, { at, row }: Entry): void {
    this.count++;
    if (this.count <= NAMED) this.write(`${place} ${at}: ${row}`);
    if (this.count === NAMED + 1) this.write('More bad rows are counted, not shown.');
  }
}

/** "1 bad row", "2 bad rows". */
export function badRows(count: number): string {
  return `${count.toLocaleString('en-US')} bad ${count === 1 ? 'row' : 'rows'}`;
}
