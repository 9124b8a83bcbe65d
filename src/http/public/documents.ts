import stringWidth from 'string-width';
import type { PublicMember, PublicPage } from '../../guild/ranking/public-page.ts';
import { nameOf } from '../../web/widget/name.ts';
import type { Problem } from '../response/problem.ts';
import { type RenderedBody, toBody } from '../response/rendered-body.ts';
import type { MemberQuery, PageQuery, RankingQuery } from './queries.ts';
import { compact, digitsOf, number, renderTemplate, rowOf, tabsOf, wayOf } from './views.ts';

const HTML = 'text/html; charset=utf-8';
const SVG = 'image/svg+xml; charset=utf-8';

/** Renders one page of a ranking. Links are relative, because a proxy can serve the page below a path of its own. */
export function renderPage(query: PageQuery, { title, boards, curve, page, stats }: PublicPage): RenderedBody {
  const { guildId, board, limit, isOverlay } = query;
  const heading = title || guildId;
  const last = Math.max(1, Math.ceil(page.total / limit));
  const pageLink = (n: number) => {
    const further = [n > 1 && `page=${n}`, !query.isDefaultLimit && `limit=${limit}`].filter(Boolean);
    return `${guildId}?${[board && `board=${board}`, ...further].filter(Boolean).join('&')}`;
  };
  const settings = {
    curve,
    board,
    href: (userId: string) => (isOverlay ? undefined : `${guildId}/m/${userId}${ofBoard({ board })}`),
    hasPodium: page.page === 1 && !isOverlay,
  };
  return html('page', {
    title: `${heading} · Leaderboard`,
    root: '../',
    isLive: true,
    heading,
    isOverlay,
    board,
    action: `${guildId}/m`,
    tabs: tabsOf(boards, query, guildId),
    facts: [
      `${number(page.total)} ${page.total === 1 ? 'member' : 'members'}`,
      `${compact(stats.total_xp)} XP`,
      ...(board ? [] : [`average level ${number(stats.average_level)}`]),
    ].join(' · '),
    multiplier: stats.xp_multiplier !== 1 && !board ? number(stats.xp_multiplier) : '',
    rows: page.data.map((entry) => rowOf(entry, settings)),
    digits: digitsOf(page.data),
    note: page.total === 0 ? 'No XP yet.' : 'This page is past the end of the ranking.',
    page: number(page.page),
    last: number(last),
    previous: page.page > 1 ? pageLink(Math.min(page.page - 1, last)) : '',
    next: page.page < last ? pageLink(page.page + 1) : '',
  });
}

/** Renders the page of a member. */
export function renderMember(query: MemberQuery, { title, boards, curve, ...found }: PublicMember): RenderedBody {
  const { guildId, userId, board } = query;
  const { member, rows, total, dailyStreak } = found;
  const [heading, name] = [title || guildId, nameOf(member)];
  const settings = { curve, board, href: (id: string) => `${id}${ofBoard(query)}`, marked: userId };
  return html('member', {
    title: `${name} · ${heading}`,
    root: '../../../',
    isLive: true,
    heading,
    name,
    back: `../../${guildId}${ofBoard(query)}`,
    board,
    action: '../m',
    tabs: tabsOf(boards, query, userId),
    facts: [
      ['Rank', `${number(member.rank)} of ${number(total)}`],
      ['Level', number(member.level)],
      ['XP', number(member.xp)],
      ['Daily streak', number(dailyStreak)],
    ],
    way: wayOf(curve, member, board),
    rows: rows.map((entry) => rowOf(entry, settings)),
    digits: digitsOf(rows),
  });
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'This address is not right',
  404: 'Nothing here',
  405: 'Nothing here',
  429: 'Too many requests',
  503: 'Back in a moment',
};

/** Returns the page of a problem. @param root relative address of the root of the service. */
export function problemPage({ status, detail }: Problem, root: string): string {
  const text = status === 503 ? 'The leaderboard is away for a moment. Load this page again shortly.' : detail;
  const title = TITLES[status] ?? 'Something went wrong';
  return renderTemplate('problem', { title, text, root, isLive: false, isOverlay: false });
}

/** The longest text on each side of a badge, in characters as people see them, and in UTF-16 units: a badge has 2 kB at most. */
const MAX_CHARACTERS = 24;
const MAX_UNITS = 60;

/** Renders the badge of a guild: its members, and the first one of them. */
export function renderGuildBadge({ guildId }: RankingQuery, { title, page }: PublicPage): RenderedBody {
  const [first] = page.data;
  const members = `${compact(page.total)} ${page.total === 1 ? 'member' : 'members'}`;
  return badge(title || guildId, first ? `${members} · 1. ${shorten(nameOf(first))}` : members);
}

/** Renders the badge of a member: its rank. */
export function renderMemberBadge(_: MemberQuery, { member }: PublicMember): RenderedBody {
  return badge(nameOf(member), `rank ${number(member.rank)} · level ${number(member.level)}`);
}

function badge(label: string, value: string): RenderedBody {
  const short = shorten(label);
  const [labelWidth, valueWidth] = [short, value].map((text) => Math.max(1, stringWidth(text)) * 7 + 12) as [
    number,
    number,
  ];
  const svg = { label: short, value, labelWidth, valueWidth, width: labelWidth + valueWidth };
  return toBody(renderTemplate('badge', svg), SVG);
}

/** Characters that XML does not allow, and line breaks. */
const UNFIT = /[^ -\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** Returns the start of a text, cut between characters. */
function shorten(text: string): string {
  let short = '';
  let characters = 0;
  for (const { segment } of new Intl.Segmenter().segment(text.replace(UNFIT, ''))) {
    if (++characters > MAX_CHARACTERS || short.length + segment.length > MAX_UNITS) return `${short}…`;
    short += segment;
  }
  return short;
}

function ofBoard({ board }: Pick<RankingQuery, 'board'>): string {
  return board ? `?board=${board}` : '';
}

function html(template: string, data: object): RenderedBody {
  return toBody(renderTemplate(template, { isOverlay: false, ...data }), HTML);
}
