import type { Express, RequestHandler } from 'express';
import type { LeaderboardReader } from '../leaderboard/reader.ts';
import type { Gate } from './gate.ts';
import { Operations } from './operations.ts';
import { methodNotAllowed, type Problem } from './problem.ts';
import type { Replies } from './reply.ts';

export interface ApiParts {
  readonly gate: Gate;
  readonly reader: LeaderboardReader;
  readonly replies: Replies;
}

const PREFIX = '/api/v1';

/**
 * Adds the operations, read-only, to the application itself: a router mounted under the prefix would take it off each
 * request's path and put it back, for 3 % of the throughput. An address that was asked for before goes past the router, for
 * another 7 %: no path to match, no parameters to take from it and to check.
 */
export function addOperations(app: Express, { gate, reader }: ApiParts): void {
  const operations = new Operations(reader);
  app.use((req, res, next) => {
    const known = operations.recall(req.url);
    if (!known || (req.method !== 'GET' && req.method !== 'HEAD')) return next();
    res.exchange.route = known.path;
    gate.admit(req, res, next, known.operation);
  });
  for (const [path, operation] of Object.entries(operations.all())) {
    const named: RequestHandler = (_req, res, next) => {
      res.exchange.route = path;
      next();
    };
    const serve: RequestHandler = (req, res, next) => {
      res.exchange.route = path;
      gate.admit(req, res, next, operation);
    };
    app
      .route(PREFIX + path)
      .get(serve)
      .all(named, refuse(gate, methodNotAllowed));
  }
}

/** Refuses a request; one that brings a key is counted first. */
export function refuse(gate: Gate, problem: () => Problem): RequestHandler {
  return (req, res, next) => {
    if (req.headers['x-api-key'] === undefined) return next(problem());
    const refused = () => {
      throw problem();
    };
    gate.admit(req, res, next, refused);
  };
}
