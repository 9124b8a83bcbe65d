import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readFile, refusals } from './read.ts';

const folder = join(import.meta.dirname, '../../fixtures/imports/libreoffice');
const savedAs = (name: string) => readFile(readFileSync(join(folder, `${name}.csv`)));

describe('exports that LibreOffice has saved', () => {
  it.each([
    ['with the ids as text', 'ids-as-text'],
    ['with columns of whole numbers and dates, and semicolons', 'dates'],
    ['with all texts quoted', 'quoted'],
    ['as UTF-16 with tabs', 'utf16'],
  ])('an import of an export that LibreOffice saved %s gives equal members', async (_how, name) => {
    const exported = await savedAs('export');
    const saved = await savedAs(name);
    expect(refusals(saved)).toEqual([]);
    expect(saved.rows).toEqual(exported.rows);
    expect(saved.rows).toHaveLength(3);
  });

  it('an export is refused when LibreOffice took its ids for numbers', async () => {
    await expect(savedAs('rounded')).rejects.toThrow('f: its ids were rounded, such as 2.04255221017215E+017: ');
  });
});
