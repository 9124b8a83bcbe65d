import type { FormValues } from '../forms.ts';

/** What a button of a form does with its rows, beside saving them: "add GROUP", "sort GROUP", or "remove GROUP ROW". */
export interface RowGroup {
  /** The fields of a row: the first one names what it is about. */
  readonly names: readonly string[];
  /** The values of a new row. */
  readonly blank: readonly string[];
}

/**
 * Returns the fields of a form after one of its buttons was pressed; null if it was the button that saves. Nothing is stored, so that rows
 * can be changed without scripts.
 * @param groups the groups of rows, by the names that the buttons have.
 */
export function changedRows(values: FormValues, groups: Readonly<Record<string, RowGroup>>): FormValues | null {
  const [action = '', name = '', row = ''] = (values.do?.[0] ?? '').split(' ');
  const group = Object.hasOwn(groups, name) ? groups[name] : undefined;
  if (!group) return action === 'show' ? values : null;
  const count = Math.max(...group.names.map((field) => values[field]?.length ?? 0));
  const rows = Array.from({ length: count }, (_, i) => group.names.map((field) => values[field]?.[i] ?? ''));
  if (action === 'add') rows.push([...group.blank]);
  if (action === 'remove' && /^\d+$/.test(row)) rows.splice(Number(row), 1);
  if (action === 'sort') rows.sort(([a], [b]) => Number(a) - Number(b));
  return {
    ...values,
    ...Object.fromEntries(group.names.map((field, i) => [field, rows.map((cells) => cells[i] ?? '')])),
  };
}

/** Returns the rows that fields with the same number of values make, each with its values without spaces around them. */
export function rowsOf<const Names extends readonly string[]>(
  values: FormValues,
  names: Names,
): { [Index in keyof Names]: string }[] {
  const count = Math.max(...names.map((name) => values[name]?.length ?? 0));
  return Array.from(
    { length: count },
    (_, i) => names.map((name) => (values[name]?.[i] ?? '').trim()) as { [Index in keyof Names]: string },
  );
}
