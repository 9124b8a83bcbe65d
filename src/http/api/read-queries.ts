import type { Request } from 'express';
import { LRUCache } from 'lru-cache';
import type { Identity } from '../../access/authenticator.ts';
import type { GuildStats, LeaderboardPage, Member } from '../../leaderboard/model.ts';
import type { LeaderboardReader, Versioned } from '../../leaderboard/reader.ts';
import type { CacheableRead } from '../../reads/response-cache.ts';
import { Problem } from '../response/problem.ts';
import { type RenderedBody, renderJson, renderStats } from '../response/rendered-body.ts';
import { guildParams, memberParams, noQuery, pageQuery, parseAll } from './schemas.ts';

/** The query of a read whose parameters are checked. A flat object, because thousands are cached by address (docs/adr/0011). */
export interface ReadQuery extends CacheableRead<RenderedBody | null> {
  /** Pattern of the route, below the API's prefix. */
  readonly route: string;
  readonly guildId: string;
}

class PageQuery implements ReadQuery {
  readonly cacheKey: string;

  constructor(
    private readonly reader: LeaderboardReader,
    readonly route: string,
    readonly guildId: string,
    private readonly page: number,
    private readonly limit: number,
  ) {
    this.cacheKey = [guildId, 'page', page, limit].join(' ');
  }

  read(cachedRevision?: string): Promise<Versioned<LeaderboardPage> | undefined> {
    return this.reader.page(this.guildId, this.page, this.limit, cachedRevision);
  }

  render(page: LeaderboardPage): RenderedBody {
    return renderJson(page);
  }
}

class MemberQuery implements ReadQuery {
  readonly cacheKey: string;

  constructor(
    private readonly reader: LeaderboardReader,
    readonly route: string,
    readonly guildId: string,
    private readonly userId: string,
  ) {
    this.cacheKey = [guildId, 'member', userId].join(' ');
  }

  read(cachedRevision?: string): Promise<Versioned<Member | null> | undefined> {
    return this.reader.member(this.guildId, this.userId, cachedRevision);
  }

  /** Returns null for a member that the guild does not rank. */
  render(member: Member | null): RenderedBody | null {
    return member && renderJson(member);
  }
}

class StatsQuery implements ReadQuery {
  readonly cacheKey: string;

  constructor(
    private readonly reader: LeaderboardReader,
    readonly route: string,
    readonly guildId: string,
  ) {
    this.cacheKey = [guildId, 'stats'].join(' ');
  }

  read(cachedRevision?: string): Promise<Versioned<GuildStats> | undefined> {
    return this.reader.stats(this.guildId, cachedRevision);
  }

  render(stats: GuildStats): RenderedBody {
    return renderStats(stats);
  }
}

/** Makes the query of a request. @throws Problem invalid_request naming every bad parameter. */
type ParseQuery = (params: Request['params'], query: unknown, reader: LeaderboardReader, route: string) => ReadQuery;

/** The three operations, by the pattern of their route below the API's prefix. */
const OPERATIONS: Readonly<Record<string, ParseQuery>> = {
  '/servers/:guild_id/leaderboard': (params, query, reader, route) => {
    const { guild_id, page, limit } = parseAll(guildParams, pageQuery, params, query);
    return new PageQuery(reader, route, guild_id, page, limit);
  },
  '/servers/:guild_id/members/:user_id': (params, _query, reader, route) => {
    const { guild_id, user_id } = parseAll(memberParams, noQuery, params, {});
    return new MemberQuery(reader, route, guild_id, user_id);
  },
  '/servers/:guild_id/stats': (params, _query, reader, route) => {
    const { guild_id } = parseAll(guildParams, noQuery, params, {});
    return new StatsQuery(reader, route, guild_id);
  },
};

export const ROUTES = Object.keys(OPERATIONS);

/** Widgets ask for the same addresses again and again: this many are cached with their queries. */
const MAX_ADDRESSES = 20_000;
/** The API's own addresses are shorter; a longer one holds parameters that it ignores and is not worth the memory. */
const MAX_ADDRESS_LENGTH = 200;

/** Parses the addresses of reads, and caches what it parsed. */
export class ReadQueries {
  private readonly byAddress = new LRUCache<string, ReadQuery>({ max: MAX_ADDRESSES });

  constructor(private readonly reader: LeaderboardReader) {}

  /** Returns the query of an address that was parsed before. @param url path and query, as sent. */
  getCached(url: string): ReadQuery | undefined {
    return this.byAddress.get(url);
  }

  /**
   * Parses the address of a request that a route has matched.
   * @throws Problem wrong_guild before any other: a key of another guild learns nothing, not even which parameters are well formed.
   * @throws Problem invalid_request naming every bad parameter.
   */
  parse({ url, params, query }: Request, route: string, identity: Identity): ReadQuery {
    if (params.guild_id !== identity.guildId && guildParams.safeParse(params).success) throw wrongGuild();
    const parsed = (OPERATIONS[route] as ParseQuery)(params, query, this.reader, route);
    if (url.length <= MAX_ADDRESS_LENGTH) this.byAddress.set(url, parsed);
    return parsed;
  }
}

export function wrongGuild(): Problem {
  return new Problem('wrong_guild', 'This API key belongs to another server.');
}
