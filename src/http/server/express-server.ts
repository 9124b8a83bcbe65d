import { createServer, IncomingMessage, type Server, type ServerOptions, ServerResponse } from 'node:http';
import type { Express, Request, Response } from 'express';
import type { Shortcut } from '../api/shortcut.ts';

/**
 * Express replaces the prototype of every request and response it is given (expressjs/express issue 5998). On Node 20 and
 * 22 that makes V8 drop its fast paths for the object: 70 % of the throughput. Here the server creates both with
 * prototypes that already are the application's, and the replacement has nothing left to do.
 *
 * ES classes, because a Reflect.construct wrapper is slower than the stock server; routers only, because a mounted
 * sub-application brings prototypes of its own.
 * @param shortcut serves what needs no application, if there is such.
 */
export function createNativeServer(app: Express, options: ServerOptions, shortcut?: Shortcut): Server {
  class AppRequest extends IncomingMessage {}
  class AppResponse extends ServerResponse<AppRequest> {}
  adopt(AppRequest.prototype, app, 'request');
  adopt(AppResponse.prototype, app, 'response');
  const classes = { IncomingMessage: AppRequest, ServerResponse: AppResponse };
  // With a last handler given, Express makes none for each request.
  return createServer({ ...options, ...classes }, (req, res) => {
    if (shortcut?.(req as Request, res as Response)) return;
    app(req as Request, res as Response, () => res.destroy());
  });
}

/** Puts Express's methods between the class's prototype and Node's, and makes the class's prototype the application's. */
function adopt(prototype: object, app: Express, role: 'request' | 'response'): void {
  Object.setPrototypeOf(prototype, app[role]);
  app[role] = prototype as never;
}
