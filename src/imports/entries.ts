import { shownJson } from '../core/errors.ts';
import { avatarProblemOf, checkRow, type RawRow, type RowContent, type RowEntry, type RowReading } from './rows.ts';

/** Characters of a value that a refused row keeps. A broken file can have a text of any length. */
const LONGEST_VALUE = 200;

/** Returns a row as an entry: the member, or the reason why the row is refused, with the values that tell whose row it is. */
export function entryOf(at: number, raw: RawRow, reading: RowReading): RowEntry {
  const row = checkRow(raw, reading);
  if (typeof row === 'string') return { at, row, content: contentOf(raw) };
  const avatarProblem = avatarProblemOf(raw, reading);
  return avatarProblem === undefined ? { at, row } : { at, row, avatarProblem };
}

/** Returns the entry of a row whose fields cannot be read. @param row the text or the value of the row. */
export function unreadEntry(at: number, reason: string, row: unknown): RowEntry {
  return { at, row: reason, content: { userId: '', username: '', text: shortened(row) } };
}

/** Returns the values that tell whose row it is. @param text the row itself, if its fields may have been split wrongly. */
export function contentOf({ userId, username }: Pick<RawRow, 'userId' | 'username'>, text = ''): RowContent {
  return { userId: shortened(userId), username: shortened(username), text: shortened(text) };
}

/** Returns a value as a short text; "" if the row lacks the value. */
function shortened(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'object' ? shownJson(value) : String(value);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}
