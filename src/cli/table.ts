import stringWidth from 'string-width';
import type { CommandContext } from './context.ts';

/** How a table is drawn. */
export interface TableStyle {
  /** Aligns columns in a pipe too, and leaves the headings plain. */
  readonly plain?: boolean;
  /** Columns, by index, whose cells are aligned to the right. */
  readonly alignRight?: readonly number[];
}

/**
 * Returns the lines of a table: aligned columns on a terminal, tab-separated values in a pipe. Control characters, which
 * could steer the terminal, become "?".
 */
export function textTable(
  { stdout, env }: CommandContext,
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  { plain = false, alignRight = [] }: TableStyle = {},
): string[] {
  const all = [headings, ...rows].map((row) => row.map((cell) => cell.replace(/\p{Cc}/gu, '?')));
  if (!plain && !stdout.isTTY) return all.map((row) => row.join('\t'));
  const widths = headings.map((_, column) => Math.max(...all.map((row) => stringWidth(row[column] ?? ''))));
  const align = (cell: string, column: number): string => {
    const width = widths[column] ?? 0;
    const space = ' '.repeat(Math.max(0, width - stringWidth(cell)));
    return alignRight.includes(column) ? space + cell : cell + space;
  };
  const lines = all.map((row) => row.map(align).join('  ').trimEnd());
  const bold = !plain && !env.NO_COLOR;
  return lines.map((line, index) => (index === 0 && bold ? `\x1b[1m${line}\x1b[22m` : line));
}
