import type { Request } from 'express';
import type { Identity } from '../access/authenticator.ts';
import { BoundedMap } from '../bounded-map.ts';
import type { Source, Want } from '../leaderboard/page-cache.ts';
import type { LeaderboardReader } from '../leaderboard/reader.ts';
import { Problem } from './problem.ts';
import { guildParams, memberParams, noQuery, pageQuery, parseAll } from './schemas.ts';
import { renderJson, renderStats, type View } from './view.ts';

/** What a request asks to read, once its parameters are checked. */
export interface Asked {
  readonly guildId: string;
  readonly want: Want<View | null>;
}

/** Checks a request's parameters. @throws Problem invalid_request naming every bad one. */
type Parse = (req: Request) => Asked;

/** What an operation wants to read for a request of this guild. @throws Problem for a request that is refused. */
export type Operation = (req: Request, identity: Identity) => Want<View | null>;

/** Widgets ask for the same addresses over and over: this many are remembered with what they ask. */
const REMEMBERED = 10_000;
/** The API's own addresses are shorter; what is longer is padded with something it ignores, and not worth the memory. */
const REMEMBERED_LENGTH = 200;

/** The three operations by path. */
export function operations(reader: LeaderboardReader): Record<string, Operation> {
  return {
    '/servers/:guild_id/leaderboard': ofOwnGuild((req) => {
      const { guild_id, limit, page } = parseAll(guildParams, pageQuery, req.params, req.query);
      return asked(guild_id, `page ${page} ${limit}`, {
        read: () => reader.page(guild_id, page, limit),
        render: renderJson,
      });
    }),

    '/servers/:guild_id/members/:user_id': ofOwnGuild((req) => {
      const { guild_id, user_id } = parseAll(memberParams, noQuery, req.params, {});
      return asked(guild_id, `member ${user_id}`, {
        read: () => reader.member(guild_id, user_id),
        render: (value) => (value === null ? null : renderJson(value)),
      });
    }),

    '/servers/:guild_id/stats': ofOwnGuild((req) => {
      const { guild_id } = parseAll(guildParams, noQuery, req.params, {});
      return asked(guild_id, 'stats', { read: () => reader.stats(guild_id), render: renderStats });
    }),
  };
}

/**
 * An operation that serves only the guild whose key the request carries. What an address asks for is worked out once and
 * remembered: checking it anew was 6 % of a request's cost.
 */
function ofOwnGuild(parse: Parse): Operation {
  const remembered = new BoundedMap<Asked>(REMEMBERED);
  return (req, { guildId }) => {
    let request = remembered.get(req.url);
    if (!request) {
      // A key of another guild learns nothing, not even whether the other parameters are well formed.
      if (req.params.guild_id !== guildId && guildParams.safeParse(req.params).success) throw wrongGuild();
      request = parse(req);
      if (req.url.length <= REMEMBERED_LENGTH) remembered.set(req.url, request);
    }
    if (request.guildId !== guildId) throw wrongGuild();
    return request.want;
  };
}

/** Names what is wanted; the cache treats all sources alike and gives each only what its own read gave. */
function asked<T>(guildId: string, what: string, source: Source<T, View | null>): Asked {
  return { guildId, want: { key: `${guildId} ${what}`, source: source as Source<never, View | null> } };
}

function wrongGuild(): Problem {
  return new Problem('wrong_guild', 'This API key belongs to another server.');
}
