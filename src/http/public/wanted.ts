import {
  type PublicMember,
  PublicMemberRead,
  type PublicPage,
  PublicPageRead,
  UNRANKED,
} from '../../guild/ranking/public-page.ts';
import { memberNotFound } from '../response/problem.ts';
import type { RenderedBody } from '../response/rendered-body.ts';
import { renderGuildBadge, renderMemberBadge } from './badges.ts';
import { renderMember, renderPage } from './documents.ts';
import { type Address, type MemberQuery, parseBadge, parseMember, parsePage, parsePicture } from './queries.ts';
import { renderTop, TOP_ROWS } from './top-drawing.ts';
import type { Site } from './unfurl.ts';

/** Members shown above and below one. */
const REACH = 2;

/** A read with the function that renders what it finds. */
export interface Wanted {
  readonly cacheKey: string;
  readonly command: PublicPageRead | PublicMemberRead;
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
    command: new PublicPageRead(guildId, page, limit, board),
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
  const { guildId, board, lang } = parsed;
  return {
    cacheKey: ['public-badge', guildId, board, lang].join(' '),
    command: new PublicPageRead(guildId, 1, 1, board),
    render: rendering((found: PublicPage) => renderGuildBadge(parsed, found)),
  };
};

/** Returns what the picture of the first members needs: it is rendered as SVG. */
export const wantTop: Want = (address) => {
  const parsed = parsePicture(address);
  const { guildId, board, lang } = parsed;
  return {
    cacheKey: ['public-top', guildId, board, lang].join(' '),
    command: new PublicPageRead(guildId, 1, TOP_ROWS, board),
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
    command: new PublicMemberRead(guildId, userId, REACH, board),
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
