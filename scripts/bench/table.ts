/** Formats numbers as the tables of the report. Pure. */

/** Returns the middle value, or the mean of the two in the middle; NaN if there is none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Formats a number: whole from 100 on, else with three significant digits; a dash if it was not measured. */
export function figure(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return '-';
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

/** Returns the lines of a table: a rule under the head, the first column aligned left, the others right. */
export function tableLines(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)));
  const line = (cells: readonly string[]): string =>
    widths.map((width, column) => pad(cells[column] ?? '', width, column === 0)).join('  ');
  return [line(head), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)].map((text) =>
    text.trimEnd(),
  );
}

function pad(text: string, width: number, left: boolean): string {
  return left ? text.padEnd(width) : text.padStart(width);
}

/** A goal and its measured value. */
export interface Goal {
  readonly aim: string;
  readonly measured: number;
  readonly met: boolean;
}

export function atLeast(aim: string, measured: number, bound: number): Goal {
  return { aim: `${aim} >= ${bound.toLocaleString('en-US')}`, measured, met: measured >= bound };
}

export function atMost(aim: string, measured: number, bound: number): Goal {
  return { aim: `${aim} <= ${bound.toLocaleString('en-US')}`, measured, met: measured <= bound };
}

export function goalLines(goals: readonly Goal[]): string[] {
  return tableLines(
    ['goal', 'measured', ''],
    goals.map(({ aim, measured, met }) => [aim, figure(measured), met ? 'met' : 'not met']),
  );
}
