import type { Request } from 'express';
import type { Identity } from '../../../core/access/authenticator.ts';
import {
  type LeaderboardMember,
  type LeaderboardPage,
  type LeaderboardStats,
  parseRankingId,
  type RankingId,
} from '../../../core/ranking/model.ts';
import { MemberCommand, PageCommand, StatsCommand } from '../../../core/reads/read-commands.ts';
import type { CacheableRead } from '../../serving/response-cache.ts';
import { Problem } from '../response/problem.ts';
import { type RenderedBody, renderJson, renderStats } from '../response/rendered-body.ts';
import { guildParams, memberParams, noQuery, pageQuery, parseAll } from './schemas.ts';

/** The query of a read whose parameters are checked. Flat objects, because thousands are cached by address (docs/adr/0011). */
export interface ReadQuery<T = unknown> extends CacheableRead<RenderedBody | null, T> {
  /** Pattern of the route, below the API's prefix. */
  readonly route: string;
}

/** Makes the query of a request. @throws Problem invalid_request naming every bad parameter. */
type ParseQuery = (route: string, params: Request['params'], query: unknown) => ReadQuery;

/** Returns null for a member that the guild does not rank. */
const renderMember = (member: LeaderboardMember | null) => member && renderJson(member);

/** The three operations, by the pattern of their route below the API's prefix. */
const OPERATIONS: Readonly<Record<string, ParseQuery>> = {
  '/servers/:guild_id/leaderboard': (route, params, query): ReadQuery<LeaderboardPage> => {
    const { guild_id, page, limit } = parseAll(guildParams, pageQuery, params, query);
    const cacheKey = [guild_id, 'page', page, limit].join(' ');
    const { guildId, board } = rankingOf(guild_id);
    return { route, cacheKey, command: new PageCommand(guildId, page, limit, board), render: renderJson };
  },
  '/servers/:guild_id/members/:user_id': (route, params): ReadQuery<LeaderboardMember | null> => {
    const { guild_id, user_id } = parseAll(memberParams, noQuery, params, {});
    const cacheKey = [guild_id, 'member', user_id].join(' ');
    const { guildId, board } = rankingOf(guild_id);
    return { route, cacheKey, command: new MemberCommand(guildId, user_id, board), render: renderMember };
  },
  '/servers/:guild_id/stats': (route, params): ReadQuery<LeaderboardStats> => {
    const { guild_id } = parseAll(guildParams, noQuery, params, {});
    const { guildId, board } = rankingOf(guild_id);
    const cacheKey = [guild_id, 'stats'].join(' ');
    return { route, cacheKey, command: new StatsCommand(guildId, board), render: renderStats };
  },
};

export const ROUTES = Object.keys(OPERATIONS);

/**
 * Parses the address of a request that a route has matched.
 * @throws Problem wrong_guild before any other: a key of another guild learns nothing, not even which parameters are well formed.
 * @throws Problem invalid_request naming every bad parameter.
 */
export function parseQuery({ params, query }: Request, route: string, identity: Identity): ReadQuery {
  const ranking = parseRankingId(String(params.guild_id));
  if (ranking && ranking.guildId !== identity.guildId) throw wrongGuild();
  return (OPERATIONS[route] as ParseQuery)(route, params, query);
}

/** Splits an id that the schema has checked. */
function rankingOf(id: string): RankingId {
  return parseRankingId(id) as RankingId;
}

/** Returns the problem of a request whose API key belongs to another guild: 403 wrong_guild. */
export function wrongGuild(): Problem {
  return new Problem('wrong_guild', 'This API key belongs to another server.');
}
