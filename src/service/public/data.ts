import type { LeaderboardEntry, LeaderboardPage } from '../../core/ranking/model.ts';
import { boundedProgress } from '../../core/reads/card.ts';
import type { PublicGuild, PublicMember, PublicPage } from '../../core/reads/public-page.ts';
import { type RenderedBody, statsText, toBody } from '../http/response/rendered-body.ts';
import { avatarOf, iconOf, nameOfGuild } from './names-and-pictures.ts';
import type { DataQuery } from './queries.ts';

/** A request for data: the guild, and the board that it names. */
type Asked = Pick<DataQuery, 'guildId' | 'board'>;

/** Renders a page of a ranking as one JSON document, with all the data that the web page shows. O(rows). */
export function renderRanking({ guildId, board, limit }: DataQuery, found: PublicPage): RenderedBody {
  const { data, total, page } = found.page;
  const rows = data.map((entry) => entryOf(entry, found, board));
  const pages = Math.max(1, Math.ceil(total / limit));
  // Undefined unless the request asks for the rewards, and JSON leaves undefined fields out.
  const { rewards } = found;
  return toBody(documentOf({ guildId, board }, found, { data: rows, total, page, pages, limit, rewards }));
}

/** Renders the members that a search found in the form of a ranking, all on one page. */
export function renderFound(query: DataQuery, found: PublicGuild, data: readonly LeaderboardEntry[]): RenderedBody {
  const page: LeaderboardPage = { data, total: data.length, page: 1 };
  return renderRanking(query, { ...found, page });
}

/** Renders one member as JSON. */
export function renderMemberData(asked: Asked, found: PublicMember): RenderedBody {
  const member = { ...entryOf(found.member, found, asked.board), daily_streak: found.dailyStreak };
  return toBody(documentOf(asked, found, { member, total: found.total }));
}

/** Returns a document: the guild, the board with its time and counters, and `rest`. JSON.stringify refuses the bigint of the counters. */
function documentOf({ guildId, board }: Asked, found: PublicGuild, rest: object): string {
  const guild = { id: guildId, name: nameOfGuild(found), icon: iconOf(found, guildId) };
  const head = JSON.stringify({ guild, board: board ?? 'all', period: found.period });
  return `${head.slice(0, -1)},"stats":${statsText(found.stats)},${JSON.stringify(rest).slice(1)}`;
}

/** Returns an entry with the XP at which its level and the next level begin; null on a board, whose XP gives no level, and for an explicit level. */
function entryOf(entry: LeaderboardEntry, found: PublicGuild, board: DataQuery['board']) {
  const { level, xp, user_id } = entry;
  const way = boundedProgress(found.curve, xp);
  const isOfCurve = board === undefined && way.level === level;
  const begin = xp - way.gained;
  return {
    ...entry,
    level_xp: isOfCurve ? begin : null,
    next_level_xp: isOfCurve && way.needed > 0 ? begin + way.needed : null,
    avatar: avatarOf(found, user_id),
  };
}
