import { type PublicMember, type PublicPage, UNRANKED } from '../../guild/ranking/public-page.ts';
import { memberNotFound } from '../response/problem.ts';
import type { RenderedBody } from '../response/rendered-body.ts';
import { renderGuildBadge, renderMemberBadge } from './badges.ts';
import { renderMember, renderPage } from './documents.ts';
import {
  type Address,
  type MemberQuery,
  memberRead,
  pageRead,
  parseBadge,
  parseMember,
  parsePage,
  parsePicture,
} from './queries.ts';
import { renderTop, TOP_ROWS } from './top-drawing.ts';
import type { Site } from './unfurl.ts';

/** A read with the function that renders what it finds. */
export interface Wanted {
  readonly cacheKey: string;
  readonly command: ReturnType<typeof pageRead> | ReturnType<typeof memberRead>;
  /** @throws Problem member_not_found for a user that is not ranked. */
  render(value: unknown): RenderedBody | null;
}

/** Returns what an address needs. @throws Problem for one that is not right. */
export type Want = (address: Address, site: Site) => Wanted;

/** Returns what the page of a ranking needs. */
export const wantPage: Want = (address, site) => {
  const parsed = parsePage(address);
  const { guildId, board, lang, isLangGiven, page, limit, isOverlay } = parsed;
  return {
    cacheKey: ['public', guildId, board, lang, isLangGiven, page, limit, isOverlay].join(' '),
    command: pageRead(parsed),
    render: rendering((found: PublicPage) => renderPage(parsed, found, site)),
  };
};

/** Returns what the page of a member needs. */
export const wantMember: Want = (address, site) => {
  return wantedMember('member', parseMember(address), (query, found) => renderMember(query, found, site));
};

/** Returns what a badge needs. */
export const wantBadge: Want = (address) => {
  const parsed = parseBadge(address);
  if ('userId' in parsed) return wantedMember('badge', parsed, renderMemberBadge);
  return {
    cacheKey: ['public-badge', parsed.guildId, parsed.board, parsed.lang].join(' '),
    command: pageRead({ ...parsed, page: 1, limit: 1 }),
    render: rendering((found: PublicPage) => renderGuildBadge(parsed, found)),
  };
};

/** Returns what the picture of the first members needs: it is rendered as SVG. */
export const wantTop: Want = (address) => {
  const parsed = parsePicture(address);
  return {
    cacheKey: ['public-top', parsed.guildId, parsed.board, parsed.lang].join(' '),
    command: pageRead({ ...parsed, page: 1, limit: TOP_ROWS }),
    render: rendering((found: PublicPage) => renderTop(parsed, found)),
  };
};

function wantedMember(
  kind: string,
  parsed: MemberQuery,
  render: (query: MemberQuery, found: PublicMember) => RenderedBody,
): Wanted {
  const { guildId, userId, board, lang, isLangGiven } = parsed;
  return {
    cacheKey: [`public-${kind}`, guildId, board, lang, isLangGiven, userId].join(' '),
    command: memberRead(parsed),
    render: rendering((found: PublicMember | typeof UNRANKED) => {
      if (found === UNRANKED) throw memberNotFound();
      return render(parsed, found);
    }),
  };
}

/** Makes the response of a value that may be null. */
function rendering<T>(render: (found: T) => RenderedBody): (value: unknown) => RenderedBody | null {
  return (value) => (value === null ? null : render(value as T));
}
