import { hash } from 'node:crypto';
import { PICTURE_HOST } from '../../core/ranking/picture-hash.ts';
import { MAX_HITS } from '../../core/reads/name-search.ts';
import type { PublicGuild, PublicMember, PublicPage } from '../../core/reads/public-page.ts';
import type { Member } from '../../core/reads/rankings.ts';
import { inLine } from '../../pictures/text.ts';
import { nameOf } from '../../widget/name.ts';
import { periodFacts } from '../../widget/period.ts';
import { type RenderedBody, toBody } from '../http/response/rendered-body.ts';
import { policyOf, styleOf } from './look.ts';
import { avatarOf, iconOf, nameOfGuild } from './names-and-pictures.ts';
import { type PageWords, pageWordsOf } from './page-words.ts';
import { type MemberQuery, type PageQuery, queryOf, type RankingQuery, type SearchQuery } from './queries.ts';
import { previewTags, type Site } from './unfurl.ts';
import { headingOf, renderTemplate, rowOf, tabsOf, unitOf, wayOf, xpText } from './views.ts';

/** Renders one page of a ranking. Links are relative, because a proxy can serve the page below a path of its own. */
export function renderPage(query: PageQuery, found: PublicPage, site: Site): RenderedBody {
  const { guildId, board, limit, isOverlay } = query;
  const { curve, period, page, stats } = found;
  const words = pageWordsOf(query.lang);
  const heading = headingOf(nameOfGuild(found), guildId);
  const last = Math.max(1, Math.ceil(page.total / limit));
  const sized = !query.isDefaultLimit && `limit=${limit}`;
  const pageLink = (n: number) => guildId + queryOf(query, n > 1 && `page=${n}`, sized);
  const shown = Math.min(page.page, last);
  const settings = {
    curve,
    board,
    words,
    href: (userId: string) => (isOverlay ? undefined : `${guildId}/m/${userId}${queryOf(query)}`),
    hasPodium: page.page === 1 && page.data[0]?.rank === 1 && !isOverlay,
    marked: query.around,
    avatar: (userId: string) => avatarOf(found, userId),
  };
  const dates = period ? periodFacts(period, words, site.now()) : [];
  const totals: string[] = [];
  // An empty ranking has no average. A note says that it is empty.
  if (page.total > 0) {
    totals.push(words.say('members', { n: page.total }), xpText(words.compact(stats.total_xp), words, board));
    if (!board) totals.push(words.say('average', { n: stats.average_level }));
  }
  const facts = [...totals, ...dates].join(' · ');
  const rows = page.data.map((entry) => rowOf(entry, settings));
  return html('page', query, found, site, {
    words,
    heading,
    isOverlay,
    facts,
    rows,
    title: `${inLine(heading)} · ${words.say('title')}`,
    base: guildId,
    root: '../',
    previewTags: isOverlay
      ? []
      : previewTags(query, found, site, {
          title: heading,
          siteName: words.say('title'),
          facts,
          rows: rows.map(({ rank, name }) => ({ label: `${rank}.`, name })),
          path: '',
        }),
    action: guildId,
    multiplier: stats.xp_multiplier !== 1 && !board ? words.number(stats.xp_multiplier) : '',
    note: words.say(page.total === 0 ? 'empty' : 'past'),
    // The text is split where the field for the number stands.
    pageOf: words.say('pageOf', { n: '\n', m: last }).split('\n'),
    shown,
    last,
    limit: query.isDefaultLimit ? '' : limit,
    first: shown > 1 ? pageLink(1) : '',
    previous: page.page > 1 ? pageLink(Math.min(page.page - 1, last)) : '',
    next: page.page < last ? pageLink(page.page + 1) : '',
    end: shown < last ? pageLink(last) : '',
    aroundLink: `${guildId}${queryOf(query, 'around=', sized)}#wanted`,
  });
}

/** Renders the page of a member. */
export function renderMember(query: MemberQuery, found: PublicMember, site: Site): RenderedBody {
  const { guildId, userId, board } = query;
  const { curve, period, member, total, dailyStreak } = found;
  const words = pageWordsOf(query.lang);
  const heading = headingOf(nameOfGuild(found), guildId);
  const name = nameOf(member);
  const settings = {
    curve,
    board,
    words,
    href: (id: string) => id + queryOf(query),
    marked: userId,
    avatar: (id: string) => avatarOf(found, id),
  };
  const rank = words.say('rankOf', { n: member.rank, m: total });
  const xp = words.number(member.xp);
  const shownPeriod = period ? periodFacts(period, words, site.now()) : [];
  const facts = [
    `${words.say('rankName')} ${rank}`,
    words.title('level', { n: member.level }),
    xpText(xp, words, board),
    ...shownPeriod,
  ].join(' · ');
  return html('member', query, found, site, {
    words,
    heading,
    name,
    title: `${inLine(name)} · ${inLine(heading)}`,
    base: userId,
    root: '../../../',
    previewTags: previewTags(query, found, site, {
      title: name,
      siteName: heading,
      facts,
      rows: [],
      path: `/m/${userId}`,
    }),
    back: `../../${guildId}${queryOf(query)}`,
    action: `../../${guildId}`,
    facts: [
      [words.say('rankName'), rank],
      [words.say('levelName'), words.number(member.level)],
      board ? [unitOf(words, board).trim(), `+${xp}`] : ['XP', xp],
      [words.say('streakName'), words.number(dailyStreak)],
      ...(board && period ? [[words.say(board), shownPeriod.join(' · ')]] : []),
    ],
    card: `${userId}/card.svg${queryOf(query)}`,
    way: wayOf(settings, member),
    rows: found.rows.map((entry) => rowOf(entry, settings)),
    inList: `../../${guildId}${queryOf(query, `around=${userId}`)}#wanted`,
  });
}

/** Renders the hits of a search. @param hits undefined when the names of the guild are too many to search. */
export function renderSearch(
  query: SearchQuery,
  found: PublicPage,
  hits: readonly Member[] | undefined,
  site: Site,
): RenderedBody {
  const { guildId, find } = query;
  const words = pageWordsOf(query.lang);
  const settings = {
    curve: found.curve,
    board: undefined,
    words,
    avatar: (userId: string) => avatarOf(found, userId),
    href: (userId: string) => `${guildId}/m/${userId}${queryOf(query)}`,
  };
  const entries = (hits ?? []).map(({ userId: user_id, ...rest }) => ({ ...rest, user_id }));
  const note = hits ? words.say('noneFound') : words.say('idNeeded');
  return html('found', query, found, site, {
    words,
    heading: headingOf(nameOfGuild(found), guildId),
    title: words.say('foundFor', { text: inLine(find) }),
    base: guildId,
    root: '../',
    isLive: false,
    previewTags: [['name', 'robots', 'noindex']],
    back: guildId + queryOf(query),
    action: guildId,
    find,
    rows: entries.map((entry) => rowOf(entry, settings)),
    note: entries.length > 0 ? '' : note,
    more: entries.length === MAX_HITS ? words.say('firstFound', { n: MAX_HITS }) : '',
  });
}

/**
 * Renders a page of a guild.
 * @param data of the template; `base` is the address of the page without its query, and `root` the address of the service.
 */
export function html(
  template: string,
  query: RankingQuery & { readonly isOverlay?: boolean },
  found: PublicGuild,
  site: Site,
  data: {
    readonly title: string;
    readonly base: string;
    readonly root: string;
    readonly words: PageWords;
    readonly [name: string]: unknown;
  },
): RenderedBody {
  const { look, boards, indexing } = found;
  const picture = iconOf(found, query.guildId);
  const style = styleOf(look);
  const isHere = template === 'rewards';
  const rewards = found.hasRewards ? { href: `${data.root}g/${query.guildId}/rewards`, isHere } : undefined;
  const tabs = tabsOf(boards, query, data.base, data.words, rewards);
  // An open page compares this value, to notice when something besides the ranking has changed.
  const surroundings = hash('sha1', JSON.stringify([data.title, tabs, picture, style]), 'base64url').slice(0, 10);
  const { guildId } = query;
  const isIndexed = 'userId' in query ? indexing === 'members' : indexing !== 'none' && !query.isOverlay;
  const own = { isOverlay: false, isLive: true, isIndexed, guildId, query, picture, style, tabs, surroundings };
  return toBody(renderTemplate(template, { ...own, ...data }), 'text/html; charset=utf-8', [
    'Content-Security-Policy',
    policyOf(site.frameAncestors, style, [picture, ...(found.showsAvatars ? [PICTURE_HOST] : [])]),
  ]);
}
