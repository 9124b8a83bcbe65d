import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Express } from 'express';
import { skipEmptyBodies } from './empty-bodies.ts';

/**
 * Makes the classes of requests and responses of a server that serves an Express application. Express replaces the prototype of every
 * request and response (expressjs/express issue 5998), and V8 then drops its fast paths for the object (hot path, see ADR 11). These classes
 * already have the prototypes of the application, so the replacement changes nothing.
 *
 * They are ES classes, because a Reflect.construct wrapper is slower than the stock server.
 * @param onResponse called with the connection of each response that Node has done with.
 */
export function messageClasses(app: Express, onResponse: (socket: Socket) => void) {
  class AppRequest extends IncomingMessage {}
  class AppResponse extends ServerResponse<AppRequest> {
    override detachSocket(socket: Socket): void {
      super.detachSocket(socket);
      onResponse(socket);
    }
  }
  skipEmptyBodies(AppRequest.prototype);
  adopt(AppRequest.prototype, app, 'request');
  adopt(AppResponse.prototype, app, 'response');
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

/** Puts Express's methods between the class's prototype and Node's, and makes the class's prototype the application's. */
function adopt<Role extends 'request' | 'response'>(prototype: object, app: Express, role: Role): void {
  app[role] = Object.setPrototypeOf(prototype, app[role]);
}
