import { hash } from 'node:crypto';
import type { PublicMember, PublicPage } from '../../core/reads/public-page.ts';
import { inLine } from '../../pictures/text.ts';
import { nameOf } from '../../widget/name.ts';
import { type RenderedBody, toBody } from '../http/response/rendered-body.ts';
import { policyOf, styleOf } from './look.ts';
import { type MemberQuery, type PageQuery, queryOf } from './queries.ts';
import { previewTags, type Site } from './unfurl.ts';
import { digitsOf, headingOf, renderTemplate, rowOf, tabsOf, wayOf } from './views.ts';
import { type Words, wordsOf } from './words.ts';

/** Renders one page of a ranking. Links are relative, because a proxy can serve the page below a path of its own. */
export function renderPage(query: PageQuery, found: PublicPage, site: Site): RenderedBody {
  const { guildId, board, limit, isOverlay } = query;
  const { title, curve, page, stats } = found;
  const words = wordsOf(query.lang);
  const heading = headingOf(title, guildId);
  const last = Math.max(1, Math.ceil(page.total / limit));
  const pageLink = (n: number) =>
    guildId + queryOf(query, n > 1 && `page=${n}`, !query.isDefaultLimit && `limit=${limit}`);
  const settings = {
    curve,
    board,
    words,
    href: (userId: string) => (isOverlay ? undefined : `${guildId}/m/${userId}${queryOf(query)}`),
    hasPodium: page.page === 1 && !isOverlay,
    avatars: found.avatars,
  };
  const facts = [
    words.say('members', { n: page.total }),
    `${words.compact(stats.total_xp)} XP`,
    ...(board ? [] : [words.say('average', { n: stats.average_level })]),
  ].join(' · ');
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
      : previewTags(query, found, site, { title: heading, place: words.say('title'), facts, rows }),
    action: `${guildId}/m`,
    multiplier: stats.xp_multiplier !== 1 && !board ? words.number(stats.xp_multiplier) : '',
    digits: digitsOf(page.data),
    note: words.say(page.total === 0 ? 'empty' : 'past'),
    pageOf: words.say('pageOf', { n: page.page, m: last }),
    previous: page.page > 1 ? pageLink(Math.min(page.page - 1, last)) : '',
    next: page.page < last ? pageLink(page.page + 1) : '',
  });
}

/** Renders the page of a member. */
export function renderMember(query: MemberQuery, found: PublicMember, site: Site): RenderedBody {
  const { guildId, userId, board } = query;
  const { title, curve, member, total, dailyStreak } = found;
  const words = wordsOf(query.lang);
  const heading = headingOf(title, guildId);
  const name = nameOf(member);
  const { avatars } = found;
  const settings = { curve, board, words, avatars, href: (id: string) => id + queryOf(query), marked: userId };
  const rank = words.say('rankOf', { n: member.rank, m: total });
  const xp = words.number(member.xp);
  const facts = [`${words.say('rankName')} ${rank}`, words.title('level', { n: member.level }), `${xp} XP`].join(' · ');
  return html('member', query, found, site, {
    words,
    heading,
    name,
    title: `${inLine(name)} · ${inLine(heading)}`,
    base: userId,
    root: '../../../',
    previewTags: previewTags(query, found, site, { title: name, place: heading, facts, rows: [] }),
    back: `../../${guildId}${queryOf(query)}`,
    action: '../m',
    facts: [
      [words.say('rankName'), rank],
      [words.say('levelName'), words.number(member.level)],
      ['XP', xp],
      [words.say('streakName'), words.number(dailyStreak)],
    ],
    way: wayOf(settings, member),
    rows: found.rows.map((entry) => rowOf(entry, settings)),
    digits: digitsOf(found.rows),
  });
}

/** @param data of the template; `base` is the address of the page without its query. */
function html(
  template: string,
  query: PageQuery | MemberQuery,
  { look, boards, showsAvatars }: PublicPage | PublicMember,
  site: Site,
  data: { readonly title: string; readonly base: string; readonly words: Words; readonly [name: string]: unknown },
): RenderedBody {
  const { picture } = look;
  const style = styleOf(look);
  const tabs = tabsOf(boards, query, data.base, data.words);
  // By this, an open page sees that more than the ranking has changed.
  const surroundings = hash(
    'sha1',
    JSON.stringify([data.title, tabs, picture, style, showsAvatars]),
    'base64url',
  ).slice(0, 10);
  const own = { isOverlay: false, isLive: true, query, picture, style, tabs, surroundings };
  return toBody(renderTemplate(template, { ...own, ...data }), 'text/html; charset=utf-8', [
    'Content-Security-Policy',
    policyOf(site.frameAncestors, style, picture, showsAvatars),
  ]);
}
