import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readFile, refusals } from './read.ts';

const folder = join(import.meta.dirname, '../../fixtures/imports/libreoffice');
const savedAs = (name: string) => readFile(readFileSync(join(folder, `${name}.csv`)));

describe('an export that LibreOffice has saved', () => {
  it.each([
    ['with the ids as text', 'ids-as-text'],
    ['with columns of whole numbers and dates, and semicolons', 'dates'],
    ['with all texts quoted', 'quoted'],
    ['as UTF-16 with tabs', 'utf16'],
  ])('loads back equal when it was saved %s', async (_how, name) => {
    const [exported, saved] = [await savedAs('export'), await savedAs(name)];
    expect(refusals(saved)).toEqual([]);
    expect(saved.rows).toEqual(exported.rows);
    expect(saved.rows).toHaveLength(3);
  });

  it('is refused row by row when LibreOffice took the ids for numbers', async () => {
    const { rows, entries } = await savedAs('rounded');
    expect(rows).toEqual([]);
    expect(refusals({ entries })).toEqual(
      ['2.04255221017215E+017', '1.59985870458323E+017', '8.03511102246789E+016'].map(
        (id, index) =>
          `${index + 2}: user_id "${id}" is a number that a spreadsheet has rounded: export the ids as text`,
      ),
    );
  });
});
