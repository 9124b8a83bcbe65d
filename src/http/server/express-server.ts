import { createServer, IncomingMessage, type Server, type ServerOptions, ServerResponse } from 'node:http';
import type { Express, Request, Response } from 'express';

/**
 * Creates an HTTP server for an Express application. Express replaces the prototype of every request and response
 * (expressjs/express issue 5998). On Node 20 and 22 that makes V8 drop its fast paths for the object: 70 % of the throughput. Here the
 * server creates both with prototypes that already are the application's, so the replacement changes nothing.
 *
 * ES classes, because a Reflect.construct wrapper is slower than the stock server. Routers only, because a mounted sub-application
 * brings prototypes of its own.
 */
export function createExpressServer(app: Express, options: ServerOptions): Server {
  class AppRequest extends IncomingMessage {}
  class AppResponse extends ServerResponse<AppRequest> {}
  adopt(AppRequest.prototype, app, 'request');
  adopt(AppResponse.prototype, app, 'response');
  const classes = { IncomingMessage: AppRequest, ServerResponse: AppResponse };
  // With a last handler given, Express makes none for each request.
  return createServer({ ...options, ...classes }, (req, res) => {
    app(req as Request, res as Response, () => res.destroy());
  });
}

/** Puts Express's methods between the class's prototype and Node's, and makes the class's prototype the application's. */
function adopt<Role extends 'request' | 'response'>(prototype: object, app: Express, role: Role): void {
  app[role] = Object.setPrototypeOf(prototype, app[role]);
}
