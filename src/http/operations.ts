import { type ParsedUrlQuery, parse as parseQuery } from 'node:querystring';
import type { Request } from 'express';
import type { Identity } from '../access/authenticator.ts';
import { BoundedMap } from '../bounded-map.ts';
import type { Source, Want } from '../leaderboard/page-cache.ts';
import type { LeaderboardReader } from '../leaderboard/reader.ts';
import { Problem } from './problem.ts';
import { guildParams, memberParams, noQuery, pageQuery, parseAll } from './schemas.ts';
import { renderJson, renderStats, type View } from './view.ts';

/** What a request asks to read, once its parameters are checked. */
interface Asked {
  readonly guildId: string;
  readonly want: Want<View | null>;
}

/** What an operation wants to read for a request of this guild. @throws Problem for a request that is refused. */
export type Operation = (req: Request, identity: Identity) => Want<View | null>;

/** An address that was asked for before. */
export interface Known {
  /** Pattern of its path. */
  readonly path: string;
  /** What is asked of it, without looking at the request again. */
  readonly operation: Operation;
}

type Params = Readonly<Record<string, string | string[] | undefined>>;

/** Checks a request's parameters. @throws Problem invalid_request naming every bad one. */
type Parse = (params: Params, query: ParsedUrlQuery) => Asked;

/** An operation as addresses in their plain form ask for it: ids of digits, a query of nothing to decode. */
interface Plain {
  readonly path: string;
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
  private readonly remembered = new BoundedMap<Known>(REMEMBERED);
  private readonly plain: Plain[] = [];
  /** By pattern of their path. */
  readonly all: Readonly<Record<string, Operation>>;

  constructor(reader: LeaderboardReader) {
    this.all = {
      ...this.operation('/servers/:guild_id/leaderboard', (params, query) => {
        const { guild_id, limit, page } = parseAll(guildParams, pageQuery, params, query);
        return asked(guild_id, `page ${page} ${limit}`, {
          read: (held) => reader.page(guild_id, page, limit, held),
          render: renderJson,
        });
      }),

      ...this.operation('/servers/:guild_id/members/:user_id', (params) => {
        const { guild_id, user_id } = parseAll(memberParams, noQuery, params, {});
        return asked(guild_id, `member ${user_id}`, {
          read: (held) => reader.member(guild_id, user_id, held),
          render: (value) => (value === null ? null : renderJson(value)),
        });
      }),

      ...this.operation('/servers/:guild_id/stats', (params) => {
        const { guild_id } = parseAll(guildParams, noQuery, params, {});
        return asked(guild_id, 'stats', { read: (held) => reader.stats(guild_id, held), render: renderStats });
      }),
    };
  }

  /** What an address asks for; undefined when that takes Express to find out: it is not in its plain form, or not right. */
  recall(url: string): Known | undefined {
    return this.remembered.get(url) ?? this.read(url);
  }

  private read(url: string): Known | undefined {
    for (const { path, pattern, parse } of this.plain) {
      const groups = pattern.exec(url)?.groups;
      if (!groups) continue;
      try {
        const asked = parse(groups, parseQuery(groups.query ?? ''));
        return { path, operation: (_req, identity) => this.remember(url, path, asked, identity) };
      } catch {
        return undefined;
      }
    }
    return undefined;
  }

  private operation(path: string, parse: Parse): Record<string, Operation> {
    const ids = path.replaceAll(/:(\w+)/g, '(?<$1>\\d+)');
    this.plain.push({ path, parse, pattern: new RegExp(`^${PREFIX}${ids}(?:\\?(?<query>[a-z0-9=&]*))?$`) });
    const operation: Operation = (req, identity) => {
      // A key of another guild learns nothing, not even whether the other parameters are well formed.
      if (req.params.guild_id !== identity.guildId && guildParams.safeParse(req.params).success) throw wrongGuild();
      return this.remember(req.url, path, parse(req.params, req.query as ParsedUrlQuery), identity);
    };
    return { [path]: operation };
  }

  /** Remembers what an address asks for, for whoever has the right to ask. @throws Problem wrong_guild for any other. */
  private remember(url: string, path: string, asked: Asked, identity: Identity): Want<View | null> {
    const want = ofOwnGuild(asked, identity);
    if (url.length <= REMEMBERED_LENGTH) {
      this.remembered.set(url, { path, operation: (_req, identity) => ofOwnGuild(asked, identity) });
    }
    return want;
  }
}

/** What is wanted, for the guild that it is of. @throws Problem wrong_guild for any other. */
function ofOwnGuild({ guildId, want }: Asked, identity: Identity): Want<View | null> {
  if (guildId !== identity.guildId) throw wrongGuild();
  return want;
}

/** Names what is wanted; the cache treats all sources alike and gives each only what its own read gave. */
function asked<T>(guildId: string, what: string, source: Source<T, View | null>): Asked {
  return { guildId, want: { key: `${guildId} ${what}`, source: source as Source<never, View | null> } };
}

function wrongGuild(): Problem {
  return new Problem('wrong_guild', 'This API key belongs to another server.');
}
