/** Formats numbers, tables and goals of the report. Pure, but for the lines of progress. */

/** Result of a section. */
export interface SectionResult {
  /** The data for --json. */
  readonly data: unknown;
  readonly lines: readonly string[];
  readonly goals: readonly Goal[];
}

/** A goal and its measured value. */
interface Goal {
  readonly aim: string;
  readonly measured: number;
  readonly met: boolean;
}

/** Prints a line of progress to stderr: stdout has only the result. */
export function logProgress(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Returns the middle value, or the mean of the two values in the middle; NaN for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Formats a number: whole from 100 on, else with three significant digits; a dash if it was not measured. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return '-';
  return Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3)));
}

/** Formats a ratio, such as 2.31x; a dash if either side is missing. */
export function times(value: number, base: number): string {
  const ratio = value / base;
  return Number.isFinite(ratio) ? `${ratio.toFixed(2)}x` : '-';
}

/** Formats a part of 1 as a percentage, such as 84 %; a dash if it was not measured. */
export function percent(part: number): string {
  return Number.isFinite(part) ? `${Math.round(part * 100)} %` : '-';
}

/** Returns the lines of a table: a rule under the head, the first column aligned left, and the other columns right. */
export function tableLines(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const pad = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0);
  const rule = widths.map((width) => '-'.repeat(width));
  return [head, rule, ...rows].map((row) => row.map(pad).join('  ').trimEnd());
}

/** Returns a goal that a value of at least `bound` meets. */
export function atLeast(aim: string, measured: number, bound: number): Goal {
  return { aim: `${aim} >= ${bound.toLocaleString('en-US')}`, measured, met: measured >= bound };
}

/** Returns a goal that a value of at most `bound` meets. */
export function atMost(aim: string, measured: number, bound: number): Goal {
  return { aim: `${aim} <= ${bound.toLocaleString('en-US')}`, measured, met: measured <= bound };
}

/** Returns the table of goals. */
export function goalLines(goals: readonly Goal[]): string[] {
  const rows = goals.map(({ aim, measured, met }) => [aim, figure(measured), met ? 'met' : 'not met']);
  return tableLines(['goal', 'measured', ''], rows);
}
