import { csvLine } from './csv-line.ts';
import type { RefusedRow } from './problems.ts';

/** The first line of a file of refused rows. */
export const REFUSED_HEADER = csvLine(['file', 'unit', 'place', 'user_id', 'username', 'reason', 'row']);

/** Returns a refused row as a line of CSV. */
export function refusedLine({ file, unit, at, reason, content }: RefusedRow): string {
  return csvLine([file, unit, at, content?.userId, content?.username, reason, content?.text]);
}
