import { csvLine } from './export.ts';
import type { RefusedRow } from './problems.ts';

/** The first line of a file of refused rows. */
export const REFUSED_HEADER = csvLine(['file', 'unit', 'place', 'reason']);

/** Returns a refused row as a line of CSV. */
export function refusedLine({ file, unit, at, reason }: RefusedRow): string {
  return csvLine([file, unit, at, reason]);
}
