import { RefusedError } from '../core/errors.ts';
import type { RankingId } from '../core/ranking/model.ts';
import { PageCommand } from '../core/reads/read-commands.ts';
import type { ReadStore } from '../core/reads/read-store.ts';
import { BOARD_KINDS, type BoardName, kindOfBoard } from '../core/store/redis-keys.ts';
import type { Store } from '../core/store/store.ts';
import { type ExportResult, lineOf } from './export.ts';

/** The formats of a board. No format of XP data has room for XP gained. */
export const BOARD_FORMATS = ['csv', 'ndjson'] as const;
/** The name of a format of {@link BOARD_FORMATS}. */
export type BoardFormat = (typeof BOARD_FORMATS)[number];

/** The column is not called `xp`, so that nobody imports the XP gained in a week as the total XP of a member. */
const COLUMNS = ['rank', 'user_id', 'username', 'xp_gained', 'level'];

/** Members of one step. Redis serves nobody else during a step, which takes a few milliseconds. */
const ROWS_PER_STEP = 250;

/** Checks that a guild has a board. O(1), one round trip. @throws RefusedError, StoreUnavailableError */
export async function requireBoard({ client, redisKeys }: Store, guildId: string, board: BoardName) {
  const kind = kindOfBoard(board);
  const state = await client.hget(redisKeys.guild(guildId).stats, 'boards');
  const boards = BOARD_KINDS.filter((each) => state?.includes(` ${each}:`));
  if (!boards.includes(kind)) throw new RefusedError('board_unknown', { guild: guildId, kind, boards });
}

/**
 * Returns the text of the ranked members of a board, by rank, in pieces, and fills in `result`. If the board changes during the export, a member
 * can be in the text twice or not at all. O(n log n).
 * @throws StoreUnavailableError
 */
export async function* exportBoardText(
  { commands }: ReadStore,
  { guildId, board }: RankingId,
  format: BoardFormat,
  result: ExportResult,
): AsyncGenerator<string> {
  if (format === 'csv') yield `${COLUMNS.join(',')}\n`;
  for (let page = 1; ; page++) {
    const { revision, value } = await commands.read(new PageCommand(guildId, page, ROWS_PER_STEP, board));
    if (page === 1) result.revision = revision;
    else if (result.revision !== revision) result.revision = undefined;
    const rows = value.data.map(({ rank, user_id, username, level, xp: xp_gained }) =>
      lineOf({ rank, user_id, username, xp_gained, level }, format),
    );
    result.members += rows.length;
    if (rows.length > 0) yield rows.join('');
    if (rows.length < ROWS_PER_STEP) return;
  }
}
