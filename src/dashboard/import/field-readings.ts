import { FIELD_WORDS, type FieldMap, type FieldWord } from '../../imports/fields.ts';
import type { Input } from '../../imports/inputs.ts';

/** How the fields of files are read, so that a person can choose other fields. */
export interface FieldReading {
  /** The numbers of the files that are read in this way, from 0. */
  readonly files: readonly number[];
  /** All fields of the files, each with its first value. */
  readonly fields: readonly { readonly name: string; readonly example: string }[];
  /** The fields that are read. */
  readonly map: FieldMap;
}

/**
 * Returns the readings of the inputs: a reading for the files of each format and each choice of fields, and no reading for files without fields.
 * O(files and fields).
 */
export function fieldReadings(inputs: readonly Input[]): readonly FieldReading[] {
  const readings = new Map<string, FieldReading>();
  for (const [file, { format, members, names }] of inputs.entries()) {
    if (!members || members.fields.size === 0 || !names) continue;
    const words = Object.entries(FIELD_WORDS) as [FieldWord, keyof typeof names][];
    const map: FieldMap = Object.fromEntries(
      words.flatMap(([word, field]) => (names[field] === undefined ? [] : [[word, names[field]]])),
    );
    const kind = JSON.stringify([format, map]);
    const fields = [...members.fields]
      .filter(([name]) => name !== '')
      .map(([name, { example }]) => ({ name, example }));
    const { files } = readings.get(kind) ?? { files: [] };
    readings.set(kind, { fields, map, ...readings.get(kind), files: [...files, file] });
  }
  return [...readings.values()];
}
