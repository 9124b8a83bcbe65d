import { type FieldNames, type ImportField, valueAt } from './fields.ts';
import type { RawRow } from './rows.ts';

/** Returns the values of an object by field. Fields that the object lacks are left out. */
export function rawOf(object: Readonly<Record<string, unknown>>, names: FieldNames): RawRow {
  const raw: { [Field in ImportField]?: unknown } = {};
  for (const field in names) {
    const value = valueAt(object, names[field as ImportField] as string);
    if (value !== undefined) raw[field as ImportField] = value;
  }
  return raw;
}
