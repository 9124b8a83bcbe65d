import { z } from 'zod';
import { ID_PATTERN, type RankingId } from '../../guild/ranking/model.ts';
import { PublicMemberRead, PublicPageRead } from '../../guild/ranking/public-page.ts';
import { count, parseAll } from '../api/schemas.ts';
import { Problem } from '../response/problem.ts';

/** Rows of a page unless its address says otherwise, and the most. */
const DEFAULT_ROWS = 25;
const MAX_ROWS = 100;
/** Members shown above and below one. */
const REACH = 2;

const board = z
  .enum(['week', 'week.prev', 'month', 'month.prev'], {
    error: ({ input }) =>
      Array.isArray(input) ? 'must be given once' : 'must be week, week.prev, month or month.prev',
  })
  .optional();
const pageQuery = z.object({
  board,
  page: count(1, Number.MAX_SAFE_INTEGER, 1),
  limit: count(1, MAX_ROWS, DEFAULT_ROWS),
  overlay: z.enum(['0', '1'], { error: 'must be 0 or 1' }).default('0'),
});
const memberQuery = z.object({ board });
const badgeQuery = z.object({ board, member: z.string({ error: 'must be given once' }).optional() });

/** Which ranking a page shows. */
export interface RankingQuery {
  readonly guildId: string;
  /** A board of the guild; undefined = its ranking. */
  readonly board: RankingId['board'];
}

export interface PageQuery extends RankingQuery {
  readonly page: number;
  readonly limit: number;
  readonly isDefaultLimit: boolean;
  readonly isOverlay: boolean;
}

export interface MemberQuery extends RankingQuery {
  readonly userId: string;
}

/** @throws Problem not_found for an id of no guild; invalid_request naming every bad parameter. */
export function parsePage(guildId: string, query: unknown): PageQuery {
  const { board, page, limit, overlay } = parseAll(z.object({}), pageQuery, {}, query);
  const isDefaultLimit = limit === DEFAULT_ROWS;
  return { guildId: knownForm(guildId), board, page, limit, isDefaultLimit, isOverlay: overlay === '1' };
}

/** @throws Problem as {@link parsePage}; not_found for an id that no member can have. */
export function parseMember(guildId: string, userId: string, query: unknown): MemberQuery {
  const { board } = parseAll(z.object({}), memberQuery, {}, query);
  return { guildId: knownForm(guildId), userId: knownForm(userId), board };
}

/** @throws Problem as {@link parseMember}. */
export function parseBadge(guildId: string, query: unknown): RankingQuery | MemberQuery {
  const { board, member } = parseAll(z.object({}), badgeQuery, {}, query);
  const ranking = { guildId: knownForm(guildId), board };
  return member === undefined ? ranking : { ...ranking, userId: knownForm(member) };
}

/** Returns the command that reads a page. */
export function pageRead({ guildId, board, page, limit }: Pick<PageQuery, 'guildId' | 'board' | 'page' | 'limit'>) {
  return new PublicPageRead(guildId, page, limit, board);
}

/** Returns the command that reads a member and those next to it. */
export function memberRead({ guildId, userId, board }: MemberQuery) {
  return new PublicMemberRead(guildId, userId, REACH, board);
}

function knownForm(id: string): string {
  if (!ID_PATTERN.test(id)) throw noPage();
  return id;
}

/** The problem of a page that does not exist, is switched off, or is of a member that is not ranked: visitors learn nothing else. */
export function noPage(): Problem {
  return new Problem('not_found', 'There is no public page here, or no such member in this ranking.');
}
