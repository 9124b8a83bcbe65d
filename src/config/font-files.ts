import { closeSync, openSync, readSync } from 'node:fs';
import { messageOf } from '../core/errors.ts';
import { listSetting } from './values.ts';

/** Parses a list of font files. Each of them must be there. */
export const fontFiles = listSetting().superRefine((files, context) => {
  for (const file of files) {
    const problem = problemOfFont(file);
    if (problem) context.addIssue({ code: 'custom', message: `must list font files: ${problem}` });
  }
});

/** The first bytes of a font: TrueType, OpenType, and a collection of fonts. */
const FONTS: readonly string[] = ['\0\x01\0\0', 'true', 'OTTO', 'ttcf'];

/** Returns what is wrong with the file of a font; undefined when nothing is. */
function problemOfFont(path: string): string | undefined {
  try {
    const file = openSync(path, 'r');
    const start = Buffer.alloc(4);
    try {
      readSync(file, start);
    } finally {
      closeSync(file);
    }
    return FONTS.includes(start.toString('latin1')) ? undefined : `${path} is not a font (.ttf, .otf or .ttc)`;
  } catch (error) {
    return messageOf(error);
  }
}
