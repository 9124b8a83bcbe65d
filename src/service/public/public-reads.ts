import {
  type PublicGuild,
  type PublicMember,
  PublicMemberCommand,
  type PublicMissing,
  type PublicPage,
  PublicPageCommand,
  type PublicRewards,
  PublicRewardsCommand,
} from '../../core/reads/public-page.ts';
import type { RenderedBody } from '../http/response/rendered-body.ts';
import type { CacheableRead } from '../serving/response-cache.ts';
import { renderGuildBadge, renderMemberBadge } from './badges.ts';
import { renderMemberData, renderRanking } from './data.ts';
import { renderMember, renderPage } from './documents.ts';
import { renderCard } from './member-card.ts';
import { type MissingAddress, MissingProblem } from './missing-problem.ts';
import {
  type Address,
  type MemberQuery,
  parseBadge,
  parseCard,
  parseData,
  parseMember,
  parseMemberData,
  parsePage,
  parsePicture,
  parseRewards,
  type RankingQuery,
} from './queries.ts';
import { renderRewards } from './rewards-page.ts';
import { renderTop, TOP_ROWS } from './top-drawing.ts';
import type { Site } from './unfurl.ts';

/** Rows of a member's page, with the member in the middle. */
const MEMBER_ROWS = 5;
/** Rows of a card: the member and its neighbours. */
const CARD_ROWS = 3;

/** A read that renders null if it found nothing. Its `render` throws Problem member_not_found for a user that is not ranked. */
export type PublicRead<T = unknown> = CacheableRead<RenderedBody | null, T>;

/** Returns the read that answers an address. @throws Problem for a wrong address. */
export type MakeRead<T = unknown> = (address: Address, site: Site) => PublicRead<T>;

/** Returns the read for the page of a ranking. */
export const pageRead: MakeRead = (address, site) => {
  const parsed = parsePage(address);
  const { guildId, board, lang, isLangGiven, page, limit, around, isOverlay } = parsed;
  const key = ['public', guildId, board, lang, isLangGiven, limit, isOverlay];
  if (around === undefined) {
    return {
      cacheKey: [...key, page].join(' '),
      command: new PublicPageCommand(guildId, page, limit, board),
      render: (found: PageFound) => found && renderPage(parsed, present(found, parsed), site),
    };
  }
  return {
    cacheKey: [...key, 'around', around].join(' '),
    command: new PublicMemberCommand(guildId, around, limit, board),
    render: (found: MemberFound) => found && renderPage(parsed, pageAround(present(found, parsed), limit), site),
  };
};

/** Returns the read for the page of a member. */
export const memberRead: MakeRead = (address, site) => {
  return memberReadOf('member', parseMember(address), (query, found) => renderMember(query, found, site));
};

/** Returns the read for the page of rewards and rules. */
export const rewardsRead: MakeRead<PublicRewards | PublicMissing | null> = (address, site) => {
  const parsed = parseRewards(address);
  const { guildId, lang, isLangGiven } = parsed;
  return {
    cacheKey: ['public-rewards', guildId, lang, isLangGiven].join(' '),
    command: new PublicRewardsCommand(guildId),
    render: (found) => found && renderRewards(parsed, present(found, parsed), site),
  };
};

/** Returns the read for a badge. */
export const badgeRead: MakeRead = (address) => {
  const parsed = parseBadge(address);
  return 'userId' in parsed ? memberReadOf('badge', parsed, renderMemberBadge) : guildBadgeRead(parsed);
};

/** Returns the read for the card of a member, which is rendered as SVG. */
export const cardRead: MakeRead = (address) => {
  const parsed = parseCard(address);
  const { guildId, userId, board, lang, theme } = parsed;
  return {
    cacheKey: ['public-card', guildId, board, lang, theme, userId].join(' '),
    command: new PublicMemberCommand(guildId, userId, CARD_ROWS, board),
    render: (found: MemberFound) => found && renderCard(parsed, present(found, parsed)),
  };
};

/** Returns the read for the picture of the first members, which is rendered as SVG. */
export const topRead: MakeRead<PageFound> = (address) => {
  const parsed = parsePicture(address);
  const { guildId, board, lang } = parsed;
  return {
    cacheKey: ['public-top', guildId, board, lang].join(' '),
    command: new PublicPageCommand(guildId, 1, TOP_ROWS, board),
    render: (found) => found && renderTop(parsed, present(found, parsed)),
  };
};

function guildBadgeRead(parsed: RankingQuery): PublicRead<PageFound> {
  const { guildId, board, lang } = parsed;
  return {
    cacheKey: ['public-badge', guildId, board, lang].join(' '),
    command: new PublicPageCommand(guildId, 1, 1, board),
    render: (found) => found && renderGuildBadge(parsed, present(found, parsed)),
  };
}

/** Returns the read for a document of data: a page of the ranking, or the rows around a member. */
export const dataRead: MakeRead = (address) => {
  const parsed = parseData(address);
  const { guildId, board, page, limit, around, withRewards } = parsed;
  const key = ['public-data', guildId, board, limit, withRewards];
  if (around === undefined) {
    return {
      cacheKey: [...key, page].join(' '),
      command: new PublicPageCommand(guildId, page, limit, board, { withRewards }),
      render: (found: PageFound) => found && renderRanking(parsed, present(found, parsed)),
    };
  }
  return {
    cacheKey: [...key, 'around', around].join(' '),
    command: new PublicMemberCommand(guildId, around, limit, board, { withRewards }),
    render: (found: MemberFound) => found && renderRanking(parsed, pageAround(present(found, parsed), limit)),
  };
};

/** Returns the read for the document of a member. */
export const memberDataRead: MakeRead = (address) => {
  const parsed = parseMemberData(address);
  const { guildId, board, userId } = parsed;
  return {
    cacheKey: ['public-member-data', guildId, board, userId].join(' '),
    command: new PublicMemberCommand(guildId, userId, 1, board),
    render: (found: MemberFound) => found && renderMemberData(parsed, present(found, parsed)),
  };
};

/** The result of the read of a page; null for a guild without a public page. */
type PageFound = PublicPage | PublicMissing | null;
/** The result of the read of a member; null for a guild without a public page. */
type MemberFound = PublicMember | PublicMissing | null;

/** Returns what a read has found. @throws MissingProblem if the guild does not have it. */
function present<T extends PublicGuild>(found: T | PublicMissing, address: MissingAddress): T {
  if ('isMissing' in found) throw new MissingProblem(address, found);
  return found;
}

/** Returns the rows around a member as a page, with the number of the page of the ranking on which the member stands. */
function pageAround(found: PublicMember, limit: number): PublicPage {
  const { rows: data, total, member } = found;
  return { ...found, page: { data, total, page: Math.ceil(member.rank / limit) } };
}

function memberReadOf(
  kind: string,
  parsed: MemberQuery,
  render: (query: MemberQuery, found: PublicMember) => RenderedBody,
): PublicRead<MemberFound> {
  const { guildId, userId, board, lang, isLangGiven } = parsed;
  return {
    cacheKey: [`public-${kind}`, guildId, board, lang, isLangGiven, userId].join(' '),
    command: new PublicMemberCommand(guildId, userId, MEMBER_ROWS, board),
    render: (found) => found && render(parsed, present(found, parsed)),
  };
}
