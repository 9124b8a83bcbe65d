import type { FormValues } from '../forms.ts';

/** A group of rows of a form. Buttons with the values "add GROUP", "sort GROUP" and "remove GROUP ROW" change the rows without saving them. */
export interface RowGroup {
  /** The names of the fields of a row. The first field names the subject of the row, such as a role. */
  readonly names: readonly string[];
  /** The values of a new row. */
  readonly blank: readonly string[];
}

/**
 * Returns the fields of a form after a button has changed its rows; null if the button that saves was pressed. Stores nothing. With it, a person can
 * change rows without scripts.
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

/** Returns the rows of a group from fields that have one value for each row. Spaces around the values are removed. */
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
