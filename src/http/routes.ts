import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Identity } from '../access/authenticator.ts';
import type { PageCache } from '../leaderboard/page-cache.ts';
import type { LeaderboardReader } from '../leaderboard/reader.ts';
import type { Gate } from './gate.ts';
import { methodNotAllowed, Problem } from './problem.ts';
import type { Replies } from './reply.ts';
import { guildParams, memberParams, noQuery, pageQuery, parseAll } from './schemas.ts';
import { renderJson, renderStats, type View } from './view.ts';

export interface ApiParts {
  readonly gate: Gate;
  readonly reader: LeaderboardReader;
  readonly cache: PageCache<View | null>;
  readonly replies: Replies;
}

/** Answers one operation for the guild whose key the request carries. */
type Operation = (req: Request, res: Response, identity: Identity) => Promise<View>;

/** The three operations of the API. */
export function apiRoutes({ gate, reader, cache, replies }: ApiParts): Router {
  const router = Router({ caseSensitive: true, strict: true });

  const leaderboard: Operation = async (req, _res, identity) => {
    assertOwnGuild(req, identity);
    const { guild_id, limit, page } = parseAll(guildParams, pageQuery, req.params, req.query);
    const view = await cache.get(`page ${guild_id} ${page} ${limit}`, {
      read: (known) => reader.page(guild_id, page, limit, known),
      render: renderJson,
    });
    return view as View;
  };

  const member: Operation = async (req, _res, identity) => {
    assertOwnGuild(req, identity);
    const { guild_id, user_id } = parseAll(memberParams, noQuery, req.params, {});
    const view = await cache.get(`member ${guild_id} ${user_id}`, {
      read: (known) => reader.member(guild_id, user_id, known),
      render: (value) => (value === null ? null : renderJson(value)),
    });
    if (view === null)
      throw new Problem('member_not_found', 'This server has no member with that user_id in its ranking.');
    return view;
  };

  const stats: Operation = async (req, _res, identity) => {
    assertOwnGuild(req, identity);
    const { guild_id } = parseAll(guildParams, noQuery, req.params, {});
    const view = await cache.get(`stats ${guild_id}`, {
      read: (known) => reader.stats(guild_id, known),
      render: renderStats,
    });
    return view as View;
  };

  const serve = (path: string, operation: Operation): void => {
    const handler: RequestHandler = async (req, res) => {
      res.exchange.route = path;
      const view = await gate.pass(req, res, (identity) => operation(req, res, identity));
      replies.view(req, res, view);
    };
    const refuse: RequestHandler = (_req, res) => {
      res.exchange.route = path;
      throw methodNotAllowed();
    };
    router.route(path).get(handler).all(counted(gate, refuse));
  };
  serve('/servers/:guild_id/leaderboard', leaderboard);
  serve('/servers/:guild_id/members/:user_id', member);
  serve('/servers/:guild_id/stats', stats);
  return router;
}

/** Counts a request that brings a key before it is refused; without a key it is refused as it is. */
export function counted(gate: Gate, refuse: RequestHandler): RequestHandler {
  return async (req, res, next) => {
    if (req.headers['x-api-key'] === undefined) return refuse(req, res, next);
    await gate.pass(req, res, async () => refuse(req, res, next));
  };
}

/** A key of another guild learns nothing, not even whether the other parameters are well formed. */
function assertOwnGuild(req: Request, identity: Identity): void {
  const { guild_id } = req.params;
  if (guild_id === identity.guildId || !guildParams.safeParse(req.params).success) return;
  throw new Problem('wrong_guild', 'This API key belongs to another server.');
}
