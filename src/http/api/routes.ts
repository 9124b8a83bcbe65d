import type { Express, NextFunction, Request, RequestHandler, Response } from 'express';
import type { Authenticator, Identity } from '../../access/authenticator.ts';
import type { FailedAuthLimiter } from '../../access/failed-auth-limiter.ts';
import type { RequestBatcher } from '../../reads/request-batcher.ts';
import { memberNotFound, methodNotAllowed, type Problem, quotaExceeded, unauthorized } from '../response/problem.ts';
import type { RenderedBody } from '../response/rendered-body.ts';
import type { ResponseWriter } from '../response/response-writer.ts';
import { type ReadQueries, type ReadQuery, ROUTES, wrongGuild } from './read-queries.ts';
import { requireApiKey, requireOrigin } from './require-api-key.ts';

/** The prefix of every operation's path. */
const PREFIX = '/api/v1';

export interface ApiParts {
  readonly authenticator: Authenticator;
  readonly limiter: FailedAuthLimiter;
  readonly queries: ReadQueries;
  readonly batcher: RequestBatcher<RenderedBody | null>;
  readonly responses: ResponseWriter;
  /** Requests that are being answered; this layer counts them. */
  readonly activity: { inFlight: number };
}

/** Returns whether a request has one Host. Node joins several with a comma, which none can contain. */
export function hasOneHost({ headers: { host } }: Request): boolean {
  return host !== undefined && !host.includes(',');
}

/** Returns the query of a request. @throws Problem for a request that is refused. */
type Parse = (identity: Identity) => ReadQuery;

/** The operations of the API, read-only. */
export class ApiRoutes {
  constructor(private readonly parts: ApiParts) {}

  /**
   * Answers a read: the whole way of a request, and the order of its refusals (docs/adr/0002). A request that is refused for its address
   * or its parameters is counted first, and a used-up quota comes before that refusal.
   */
  private async answerRead(req: Request, res: Response, next: NextFunction, parse: Parse): Promise<void> {
    const { authenticator, limiter, batcher, responses, activity } = this.parts;
    const { context } = res;
    activity.inFlight++;
    try {
      const key = req.headers['x-api-key'];
      if (typeof key !== 'string') throw unauthorized('missing_api_key'); // 401
      const identity = authenticator.getCached(key) ?? (await requireApiKey(key, req.ip, authenticator, limiter)); // 429, 401, 503
      context.identity = identity;

      let query: ReadQuery | undefined;
      let refusal: unknown;
      try {
        if (identity.origins.length > 0) requireOrigin(req, identity);
        query = parse(identity);
      } catch (error) {
        refusal = error;
      }

      const { quota, response, error } = await batcher.load(identity, query); // 503
      context.quota = quota;

      if (!quota.allowed) throw quotaExceeded(quota); // 429
      if (refusal !== undefined) throw refusal; // 403, 400
      if (error !== undefined) throw error; // 503
      if (!response) throw memberNotFound(); // 404
      responses.body(req, res, response); // 304, 200
    } catch (error) {
      // Not left to Express, which would add a promise to each request.
      next(error);
    } finally {
      activity.inFlight--;
    }
  }

  /** Answers addresses that were parsed before, without asking the router about them again (hot path, see ADR 11). */
  knownAddresses(): RequestHandler {
    return (req, res, next) => {
      const isRead = (req.method === 'GET' || req.method === 'HEAD') && hasOneHost(req);
      const query = isRead ? this.parts.queries.getCached(req.url) : undefined;
      if (!query) return next();
      res.context.route = query.route;
      void this.answerRead(req, res, next, (identity) => {
        if (query.guildId !== identity.guildId) throw wrongGuild();
        return query;
      });
    };
  }

  /** Adds the routes to the application itself: a mounted router takes the prefix off each path and puts it back (ADR 11). */
  addTo(app: Express): void {
    const { queries } = this.parts;
    for (const route of ROUTES) {
      const named: RequestHandler = (_req, res, next) => {
        res.context.route = route;
        next();
      };
      const read: RequestHandler = (req, res, next) =>
        void this.answerRead(req, res, next, (identity) => queries.parse(req, route, identity));
      app
        .route(PREFIX + route)
        .all(named)
        .get(read)
        .all(this.refuse(methodNotAllowed));
    }
  }

  /** Refuses every request; one that carries a key is authenticated and counted first. */
  refuse(problem: () => Problem): RequestHandler {
    return (req, res, next) => {
      if (req.headers['x-api-key'] === undefined) throw problem();
      void this.answerRead(req, res, next, () => {
        throw problem();
      });
    };
  }
}
