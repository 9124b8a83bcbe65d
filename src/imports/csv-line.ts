/** Returns values as a line of CSV. */
export function csvLine(values: readonly unknown[]): string {
  return `${values.map(csvCell).join(',')}\n`;
}

/** Returns a value as a cell of CSV. */
function csvCell(value: unknown): string {
  const text = String(value ?? '');
  return /[",\r\n\uFEFF]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
