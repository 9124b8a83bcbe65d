import {
  type PublicMember,
  PublicMemberRead,
  type PublicPage,
  PublicPageRead,
  UNRANKED,
} from '../../core/reads/public-page.ts';
import { memberNotFound } from '../http/response/problem.ts';
import type { RenderedBody } from '../http/response/rendered-body.ts';
import type { CacheableRead } from '../serving/response-cache.ts';
import { renderGuildBadge, renderMemberBadge } from './badges.ts';
import { renderMember, renderPage } from './documents.ts';
import {
  type Address,
  type MemberQuery,
  parseBadge,
  parseMember,
  parsePage,
  parsePicture,
  type RankingQuery,
} from './queries.ts';
import { renderTop, TOP_ROWS } from './top-drawing.ts';
import type { Site } from './unfurl.ts';

/** Members shown above and below one. */
const REACH = 2;

/** A read, which renders null for null. Its `render` throws Problem member_not_found for a user that is not ranked. */
export type Wanted<T = unknown> = CacheableRead<RenderedBody | null, T>;

/** Returns what an address needs. @throws Problem for one that is not right. */
export type Want<T = unknown> = (address: Address, site: Site) => Wanted<T>;

/** Returns what the page of a ranking needs. */
export const wantPage: Want<PublicPage | null> = (address, site) => {
  const parsed = parsePage(address);
  const { guildId, board, lang, isLangGiven, page, limit, isOverlay } = parsed;
  return {
    cacheKey: ['public', guildId, board, lang, isLangGiven, page, limit, isOverlay].join(' '),
    command: new PublicPageRead(guildId, page, limit, board),
    render: (found) => found && renderPage(parsed, found, site),
  };
};

/** Returns what the page of a member needs. */
export const wantMember: Want = (address, site) => {
  return wantedMember('member', parseMember(address), (query, found) => renderMember(query, found, site));
};

/** Returns what a badge needs. */
export const wantBadge: Want = (address) => {
  const parsed = parseBadge(address);
  return 'userId' in parsed ? wantedMember('badge', parsed, renderMemberBadge) : wantedGuildBadge(parsed);
};

/** Returns what the picture of the first members needs: it is rendered as SVG. */
export const wantTop: Want<PublicPage | null> = (address) => {
  const parsed = parsePicture(address);
  const { guildId, board, lang } = parsed;
  return {
    cacheKey: ['public-top', guildId, board, lang].join(' '),
    command: new PublicPageRead(guildId, 1, TOP_ROWS, board),
    render: (found) => found && renderTop(parsed, found),
  };
};

function wantedGuildBadge(parsed: RankingQuery): Wanted<PublicPage | null> {
  const { guildId, board, lang } = parsed;
  return {
    cacheKey: ['public-badge', guildId, board, lang].join(' '),
    command: new PublicPageRead(guildId, 1, 1, board),
    render: (found) => found && renderGuildBadge(parsed, found),
  };
}

function wantedMember(
  kind: string,
  parsed: MemberQuery,
  render: (query: MemberQuery, found: PublicMember) => RenderedBody,
): Wanted<PublicMember | typeof UNRANKED | null> {
  const { guildId, userId, board, lang, isLangGiven } = parsed;
  return {
    cacheKey: [`public-${kind}`, guildId, board, lang, isLangGiven, userId].join(' '),
    command: new PublicMemberRead(guildId, userId, REACH, board),
    render: (found) => {
      if (found === UNRANKED) throw memberNotFound();
      return found && render(parsed, found);
    },
  };
}
