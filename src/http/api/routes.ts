import type { Express, RequestHandler } from 'express';
import { methodNotAllowed, type Problem } from '../response/problem.ts';
import { type Operations, PREFIX } from './operations.ts';
import type { Gate } from './require-api-key.ts';

export interface ApiParts {
  readonly gate: Gate;
  readonly operations: Operations;
}

/**
 * Adds the operations, read-only, to the application itself: a router mounted under the prefix would take it off each
 * request's path and put it back, for 3 % of the throughput.
 */
export function addOperations(app: Express, { gate, operations }: ApiParts): void {
  for (const [path, operation] of Object.entries(operations.all)) {
    const named: RequestHandler = (_req, res, next) => {
      res.context.route = path;
      next();
    };
    const serve: RequestHandler = (req, res, next) => {
      res.context.route = path;
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
