import { type ParsedUrlQuery, parse as parseQuery } from 'node:querystring';
import type { Request } from 'express';
import type { Identity } from '../../access/authenticator.ts';
import { BoundedMap } from '../../bounded-map.ts';
import type { LeaderboardReader } from '../../leaderboard/reader.ts';
import type { Want } from '../../reads/response-cache.ts';
import type { RenderedBody } from '../response/rendered-body.ts';
import { type AskedAny, AskedMember, AskedPage, AskedStats, wrongGuild } from './read-queries.ts';
import { guildParams, memberParams, noQuery, pageQuery, parseAll } from './schemas.ts';

/** What an operation wants to read for a request of this guild. @throws Problem for a request that is refused. */
export type Operation = (req: Request, identity: Identity) => Want<RenderedBody | null>;

type Params = Readonly<Record<string, string | string[] | undefined>>;

/** Checks a request's parameters. @throws Problem invalid_request naming every bad one. */
type Parse = (params: Params, query: ParsedUrlQuery) => AskedAny;

/** An operation as addresses in their plain form ask for it: ids of digits, a query of nothing to decode. */
interface Plain {
  readonly pattern: RegExp;
  readonly parse: Parse;
}

/** What every path of an operation begins with. */
export const PREFIX = '/api/v1';

/** Widgets ask for the same addresses over and over: this many are remembered with what they ask. */
const REMEMBERED = 20_000;
/** The API's own addresses are shorter; what is longer is padded with something it ignores, and not worth the memory. */
const REMEMBERED_LENGTH = 200;

/** The three operations. Each serves only the guild whose key the request carries. */
export class Operations {
  private readonly remembered = new BoundedMap<AskedAny>(REMEMBERED);
  private readonly plain: Plain[] = [];
  /** By pattern of their path. */
  readonly all: Readonly<Record<string, Operation>>;

  constructor(reader: LeaderboardReader) {
    const page = '/servers/:guild_id/leaderboard';
    const member = '/servers/:guild_id/members/:user_id';
    const stats = '/servers/:guild_id/stats';
    this.all = {
      [page]: this.operation(page, (params, query) => {
        const asked = parseAll(guildParams, pageQuery, params, query);
        return new AskedPage(reader, page, asked.guild_id, asked.page, asked.limit);
      }),
      [member]: this.operation(member, (params) => {
        const { guild_id, user_id } = parseAll(memberParams, noQuery, params, {});
        return new AskedMember(reader, member, guild_id, user_id);
      }),
      [stats]: this.operation(stats, (params) => {
        const { guild_id } = parseAll(guildParams, noQuery, params, {});
        return new AskedStats(reader, stats, guild_id);
      }),
    };
  }

  /** What an address asks for; undefined when that takes Express to find out: it is not in its plain form, or not right. */
  recall(url: string): AskedAny | undefined {
    return this.remembered.get(url) ?? this.read(url);
  }

  /** What is wanted, for whoever has the right to ask. Remembers the address then. @throws Problem wrong_guild for any other. */
  want(url: string, asked: AskedAny, identity: Identity): Want<RenderedBody | null> {
    const want = asked.by(identity);
    if (!want.remembered && url.length <= REMEMBERED_LENGTH) {
      want.remembered = true;
      this.remembered.set(url, want);
    }
    return want;
  }

  private read(url: string): AskedAny | undefined {
    for (const { pattern, parse } of this.plain) {
      const groups = pattern.exec(url)?.groups;
      if (!groups) continue;
      try {
        return parse(groups, parseQuery(groups.query ?? ''));
      } catch {
        return undefined;
      }
    }
    return undefined;
  }

  private operation(path: string, parse: Parse): Operation {
    const ids = path.replaceAll(/:(\w+)/g, '(?<$1>\\d+)');
    this.plain.push({ parse, pattern: new RegExp(`^${PREFIX}${ids}(?:\\?(?<query>[a-z0-9=&]*))?$`) });
    return (req, identity) => {
      // A key of another guild learns nothing, not even whether the other parameters are well formed.
      if (req.params.guild_id !== identity.guildId && guildParams.safeParse(req.params).success) throw wrongGuild();
      return this.want(req.url, parse(req.params, req.query as ParsedUrlQuery), identity);
    };
  }
}
