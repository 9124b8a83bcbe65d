import type { PublicGuild } from '../../core/reads/public-page.ts';
import { memberNotFound, Problem } from '../http/response/problem.ts';
import { noPage, type RankingQuery } from './queries.ts';

/** The guild, the board and the page that the address of a missing page names. */
export interface MissingAddress extends Pick<RankingQuery, 'guildId' | 'board'> {
  readonly userId?: string;
  readonly around?: string | undefined;
}

/**
 * The problem of a page that a guild with a public page does not have: the page of a member who is not in the ranking, of a board, or of the rewards.
 * The page of the problem looks like the public page of the guild.
 */
export class MissingProblem extends Problem {
  readonly guildId: string;
  readonly board: RankingQuery['board'];

  constructor(
    { guildId, board, userId, around }: MissingAddress,
    readonly guild: PublicGuild,
  ) {
    const hasBoard = board === undefined || guild.boards.includes(board);
    const namesMember = userId !== undefined || around !== undefined;
    const { code, detail } = hasBoard && namesMember ? memberNotFound() : noPage();
    super(code, detail);
    this.guildId = guildId;
    this.board = board;
  }
}
