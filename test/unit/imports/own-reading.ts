import { PLAIN_NAMES } from '../../../src/imports/database-text.ts';
import { OWN_NAMES } from '../../../src/imports/fields.ts';
import { PLAIN_STYLE } from '../../../src/imports/numbers.ts';
import type { RowReading } from '../../../src/imports/rows.ts';

/** How to read Guildrank's own files. */
export const OWN_READING: RowReading = {
  names: OWN_NAMES,
  ofNames: PLAIN_NAMES,
  numbers: PLAIN_STYLE,
  dates: undefined,
  hasSnowflakes: false,
  cutsFractions: false,
  leavesOutZero: false,
};
