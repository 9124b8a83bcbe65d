import { InvalidInputError } from '../../core/errors.ts';

/** The columns of a list of changes, each with the names that it may have. */
const COLUMN_NAMES = {
  userId: ['user_id', 'id'],
  xp: ['xp'],
  add: ['add'],
  take: ['take'],
  level: ['level'],
  name: ['name', 'username'],
} as const;
/** A column of a list of changes. */
export type ListColumn = keyof typeof COLUMN_NAMES;

/** Columns that only an export of all members has, and that a list of changes does not have. */
const OF_EXPORTS = ['explicit_level', 'hidden', 'daily_streak', 'last_daily_claim'];
const CHANGES = ['xp', 'add', 'take', 'level', 'name'] as const;
/** Columns that a message names. */
const MAX_NAMED = 10;

/** Where a list of changes has its columns. */
export interface ListColumns {
  /** The index of each column that it has, from 0. */
  readonly indexes: ReadonlyMap<ListColumn, number>;
  /** The columns that are not used. */
  readonly unread: readonly string[];
}

/**
 * Finds the columns of a list by the names in its first line, in any case.
 * @throws InvalidInputError when the list has no ids or no changes, has a column twice, or has the columns of an export of all members.
 */
export function listColumns(names: readonly string[], file: string): ListColumns {
  const plain = names.map((name) => name.trim().toLowerCase());
  if (plain.some((name) => OF_EXPORTS.includes(name)))
    throw new InvalidInputError(
      `${file} is an export of all members: import it on the page Import, or keep only the column user_id and the columns that change`,
    );
  const indexes = new Map<ListColumn, number>();
  for (const [column, known] of Object.entries(COLUMN_NAMES) as [ListColumn, readonly string[]][]) {
    const found = plain.flatMap((name, index) => (known.includes(name) ? [index] : []));
    const [first] = found;
    if (found.length > 1) throw new InvalidInputError(`${file} has the column ${known.join(' or ')} twice`);
    if (first !== undefined) indexes.set(column, first);
  }
  const has = `it has ${shown(names)}`;
  if (!indexes.has('userId'))
    throw new InvalidInputError(`${file} has no column user_id: name the columns in its first line (${has})`);
  if (!CHANGES.some((column) => indexes.has(column)))
    throw new InvalidInputError(
      `${file} has no column that changes a member, which is xp, add, take, level or name (${has})`,
    );
  const used = [...indexes.values()];
  return { indexes, unread: names.filter((name, index) => name !== '' && !used.includes(index)) };
}

function shown(names: readonly string[]): string {
  const more = names.length > MAX_NAMED ? ', …' : '';
  return (
    names
      .slice(0, MAX_NAMED)
      .map((name) => name.slice(0, 60))
      .join(', ') + more
  );
}
