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

/** Checks a request's parameters. @throws Problem invalid_request naming every bad one. */
type Parse = (req: Request) => Asked;

/** Widgets ask for the same addresses over and over: this many are remembered with what they ask. */
const REMEMBERED = 20_000;
/** The API's own addresses are shorter; what is longer is padded with something it ignores, and not worth the memory. */
const REMEMBERED_LENGTH = 200;

/** The three operations. Each serves only the guild whose key the request carries. */
export class Operations {
  private readonly remembered = new BoundedMap<Known>(REMEMBERED);

  constructor(private readonly reader: LeaderboardReader) {}

  /** By pattern of their path. */
  all(): Record<string, Operation> {
    const { reader } = this;
    return {
      ...this.operation('/servers/:guild_id/leaderboard', (req) => {
        const { guild_id, limit, page } = parseAll(guildParams, pageQuery, req.params, req.query);
        return asked(guild_id, `page ${page} ${limit}`, {
          read: (held) => reader.page(guild_id, page, limit, held),
          render: renderJson,
        });
      }),

      ...this.operation('/servers/:guild_id/members/:user_id', (req) => {
        const { guild_id, user_id } = parseAll(memberParams, noQuery, req.params, {});
        return asked(guild_id, `member ${user_id}`, {
          read: (held) => reader.member(guild_id, user_id, held),
          render: (value) => (value === null ? null : renderJson(value)),
        });
      }),

      ...this.operation('/servers/:guild_id/stats', (req) => {
        const { guild_id } = parseAll(guildParams, noQuery, req.params, {});
        return asked(guild_id, 'stats', { read: (held) => reader.stats(guild_id, held), render: renderStats });
      }),
    };
  }

  /** What an address asked for before; undefined when it is not known, or was refused. */
  recall(url: string): Known | undefined {
    return this.remembered.get(url);
  }

  private operation(path: string, parse: Parse): Record<string, Operation> {
    const operation: Operation = (req, identity) => {
      // A key of another guild learns nothing, not even whether the other parameters are well formed.
      if (req.params.guild_id !== identity.guildId && guildParams.safeParse(req.params).success) throw wrongGuild();
      const asked = parse(req);
      if (req.url.length <= REMEMBERED_LENGTH) {
        const again: Operation = (_req, identity) => ofOwnGuild(asked, identity);
        this.remembered.set(req.url, { path, operation: again });
      }
      return ofOwnGuild(asked, identity);
    };
    return { [path]: operation };
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
